// Site has hosts of one provider in one resource group, what the leaves of its plan hold and use of
// them, and the work that waits for each leaf, by shape. What leaves are due is decided by the
// broker's core, as it is shipped (broker/core/plan/cycle.hpp); what it orders is done at once.
// Work starts when it fits and never ends by itself, and no work is added.
#pragma once

#include <vector>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/state.hpp"
#include "tests/demand/proof/site.hpp"

namespace leasehold::demand_aware::proof::plans {

/// The slots of one host with one leaf.
struct LeafSlots {
  int32_t idle = 0;
  int32_t used = 0;
};
/// The slots of one host by leaf; nobody has the others.
using HostState = std::vector<LeafSlots>;

class Site {
 public:
  /// `base` has the plan, the hosts and the leaves' agents; nobody holds anything in it
  /// (states.hpp).
  Site(const State& base, const std::vector<HostState>& hosts, std::vector<Queue> waiting);

  size_t leaves() const { return waiting_.size(); }
  size_t hosts() const { return group().hosts.size(); }
  const State& state() const { return state_; }
  const Queue& waiting(size_t leaf) const { return waiting_[leaf]; }
  /// Its waiting work without shapes that left slots unused lately.
  Queue counting(size_t leaf) const;
  Idle idle(size_t leaf) const;
  /// Slots that it is due and has not, by host.
  Idle coming(size_t leaf) const;
  /// Slots that nobody is due, by host.
  Idle free() const;
  /// The slots on which nothing of its own runs, by host.
  Idle all_but_used(size_t leaf) const;
  bool in_whole_hosts() const;
  int64_t used(size_t leaf) const;
  int64_t due(size_t leaf) const;
  int32_t due(size_t leaf, size_t host) const { return row(host, leaf).due; }

  /// Has the plan evaluated. Slots move only by carry_out().
  void evaluate();
  /// Slots that were just reclaimed for the leaf, by the quotas alone, and on which work runs.
  Idle to_end_for(size_t leaf) const;
  /// Returns the slots that a leaf gives up as its work ends, which here it never does.
  int64_t to_shrink() const;
  /// Moves what was decided. Work on reclaimed slots ends and waits again, slot by slot.
  void carry_out();
  /// Starts whatever fits, leaf by leaf, the oldest bucket first. Returns the slots.
  int64_t start_work();
  /// Agents report what is used now.
  void note_use();
  void pass(int64_t ms) { state_.now = state_.now + ms; }
  /// True if an evaluation will remember that slots were given for work, or left unused.
  bool remembers() const;
  bool waits_off() const;  // some shape that left slots unused
  /// Returns the slots that the last evaluation gave the leaf for its work.
  int64_t just_given(size_t leaf) const;
  /// Returns what it has remembered, unused, of those given until then.
  int64_t granted_before(size_t leaf, Instant last) const;
  int64_t reserved(size_t leaf) const;
  bool provides(size_t leaf) const { return member_[leaf] == kProvider; }

 private:
  const SlotGroup& group() const { return state_.slot_groups.front(); }
  Holding& row(size_t host, size_t leaf) {
    return state_.slot_groups.front().at(host, member_[leaf]);
  }
  const Holding& row(size_t host, size_t leaf) const { return group().at(host, member_[leaf]); }
  const PlanConsumerLedger& known(size_t leaf) const {
    return state_.resource_groups.front().consumers[leaf];
  }
  int32_t reclaimed(size_t host, size_t leaf) const;
  int32_t lose(size_t host, size_t leaf);
  void fill(size_t host);
  void tell();

  State state_;
  Effects effects_;
  std::vector<Queue> waiting_;  // by leaf
  std::vector<size_t> member_;  // by leaf
};

}  // namespace leasehold::demand_aware::proof::plans
