#include "broker/core/plan/take_snapshot.hpp"

#include <algorithm>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/queries/ready_plan.hpp"
#include "broker/core/plan/by_work.hpp"
#include "broker/core/plan/in_hosts.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

class Snapshot {
 public:
  Snapshot(const State& state, uint32_t resource_group, Asleep asleep)
      : state_(state), ledger_(state.resource_groups[resource_group]), asleep_(asleep) {}

  PlanSnapshot take() {
    out_.plan = plan_in_force(state_, ledger_);
    if (out_.plan == nullptr) return std::move(out_);
    out_.ready = ready_plan(state_, ledger_, *out_.plan);
    out_.compiled = out_.ready->compiled;
    out_.ledger = out_.ready->ledger;
    out_.state.slots = 0;
    out_.state.leaves.resize(out_.plan->consumers.size());
    for (const uint32_t g : ledger_.slot_groups) add_group(g);
    add_pending();
    add_loans();
    if (decides_in_hosts(state_, ledger_, *out_.plan)) count_in_hosts(out_);
    const bool by_numbers = LEASEHOLD_CANARY(plans_by_numbers);
    if (!by_numbers && goes_by_work(shaped_.size(), out_.rows.size())) {
      go_by_work(state_, shaped_, out_);
    }
    return std::move(out_);
  }

 private:
  uint32_t consumer_of(const SlotGroup& group, size_t member) const {
    const uint32_t at = group.members[member].plan_consumer;
    return at == kNoIndex ? kNoIndex : out_.ready->consumer_at[at];
  }

  void add_group(uint32_t g) {
    const SlotGroup& group = state_.slot_groups[g];
    for (size_t m = 0; m < group.members.size(); ++m) {
      const uint32_t consumer = consumer_of(group, m);
      if (consumer == kNoIndex) continue;
      // Without contact in one of its groups, it takes no part at all.
      if (!member_takes_part(state_, group, m)) out_.state.leaves[consumer].connected = false;
    }
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      if (row_counts(state_, group, row) || would_wake(group, row)) {
        add_row(g, row);
      } else if (row_is_there(state_, group, row)) {
        add_row_without_contact(group, row);
      }
    }
  }

  bool would_wake(const SlotGroup& group, uint32_t row) const {
    return asleep_ == Asleep::counted && takes_part(state_, group) &&
           (sleeps(state_, group, row) || wakes(state_, group, row));
  }

  void add_row(uint32_t g, uint32_t row) {
    const SlotGroup& group = state_.slot_groups[g];
    PlanHost host;
    host.facts = host_of(state_, group, row).facts;
    host.slots = plan_slots(state_, group, row);
    host.owner = consumer_of(group, kProvider);
    for (size_t m = 0; m < group.members.size(); ++m) add_member(group, m, row, host);
    host.busy = busy(group, row);
    *out_.state.slots += host.slots;
    out_.hosts.push_back(std::move(host));
    out_.rows.push_back({g, row});
  }

  void add_row_without_contact(const SlotGroup& group, uint32_t row) {
    for (size_t m = 0; m < group.members.size(); ++m) {
      const uint32_t consumer = consumer_of(group, m);
      const Holding& holding = group.at(row, m);
      const bool up = holding.up || group.quarantined;  // not known there
      if (consumer == kNoIndex || !up || holding.due == 0) continue;
      out_.without_contact.push_back({consumer, holding.due, holding.due});
      out_.state.leaves[consumer].allocated += holding.due;
      out_.state.leaves[consumer].demand += holding.due;
      *out_.state.slots += holding.due;
    }
  }

  /// Returns the work that runs beyond what is due, on slots that nobody is due yet.
  static int64_t busy(const SlotGroup& group, uint32_t row) {
    int64_t beyond = 0;
    for (size_t m = 0; m < group.members.size(); ++m) {
      if (group.members[m].plan_consumer == kNoIndex) continue;
      const Holding& holding = group.at(row, m);
      beyond += std::max(0, std::min(holding.used, holding.held) - holding.due);
      beyond -= std::max(0, holding.due - holding.held);
    }
    return std::max<int64_t>(0, beyond);
  }

  void add_member(const SlotGroup& group, size_t m, uint32_t row, PlanHost& host) {
    const uint32_t consumer = consumer_of(group, m);
    const Holding& holding = group.at(row, m);
    const bool closed =
        row_drains(state_, group, m, row) || starts_nothing_ahead(state_, group, m, row);
    const bool up = holding.up || would_wake(group, row);
    const bool usable = up && (m == kProvider || !closed);
    if (consumer == kNoIndex) return;
    if (!usable) host.barred.push_back(consumer);
    if (!up) {  // neither idle nor used: its slots stay where they are
      host.slots = std::max<int64_t>(0, host.slots - holding.due);
      return;
    }
    LeafState& leaf = out_.state.leaves[consumer];
    leaf.demand += std::min(holding.used, holding.held);
    leaf.allocated += holding.due;
    if (holding.due > 0) host.held.push_back({consumer, holding.due, holding.used});
  }

  /// All that a cluster's work wants besides: of a leaf that takes part.
  void add_pending() {
    for (uint32_t c = 0; c < out_.state.leaves.size(); ++c) {
      LeafState& leaf = out_.state.leaves[c];
      const uint32_t cluster = out_.ready->cluster[c];
      if (cluster == kNoIndex || state_.clusters[cluster].contact != Contact::ok) {
        leaf.connected = false;
      } else if (!state_.clusters[cluster].draining_imports) {
        const bool tells = leaf.connected && state_.clusters[cluster].demand.has_value();
        const CopyPtr<PlanWork>& work = ledger_.consumers[out_.ledger[c]].work;
        const demand_aware::Ledger* grants = work ? &work->grants : nullptr;
        if (tells) shaped_.push_back({c, cluster, leaf.demand, grants});
        leaf.demand += std::min(state_.clusters[cluster].pending, kMostSlots);
      }
      leaf.demand = std::min(leaf.demand, kMostSlots);
    }
  }

  /// Adds the borrowed and shared slots that a leaf is remembered to have, as far as it still has
  /// them.
  void add_loans() {
    for (uint32_t c = 0; c < out_.state.leaves.size(); ++c) {
      const PlanConsumerLedger& known = ledger_.consumers[out_.ledger[c]];
      const int64_t shared = known.numbers[static_cast<size_t>(ConsumerNumber::shared)];
      if (known.loans.empty() && shared == 0) continue;
      LeafState& leaf = out_.state.leaves[c];
      int64_t left = leaf.allocated;
      leaf.borrowed.emplace();
      for (const LentSlots& loan : known.loans) {
        const uint32_t lender = out_.ready->consumer_at[loan.lender];
        const int64_t slots = std::min(left, loan.slots);
        if (lender == kNoIndex || slots == 0) continue;
        leaf.borrowed->push_back({lender, slots});
        left -= slots;
      }
      leaf.shared = std::min(left, shared);
    }
  }

  const State& state_;
  const ResourceGroupLedger& ledger_;
  const Asleep asleep_;
  std::vector<ShapedLeaf> shaped_;
  PlanSnapshot out_;
};

}  // namespace

PlanSnapshot take_snapshot(const State& state, uint32_t resource_group, Asleep asleep) {
  return Snapshot(state, resource_group, asleep).take();
}

}  // namespace leasehold
