// HostSetView: a plan's read-only view for reclaims whose hosts an agent chooses: which members may
// give, which leaves gain, which rows would do as well. Only host_sets.cpp and renominate.cpp
// use it.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/queries/ready_plan.hpp"

namespace leasehold {

/// Returns the slots of a row that nobody is due.
int32_t undue(const State& state, const SlotGroup& group, uint32_t row);

/// A leaf that is to get slots where they were nominated.
struct Claimant {
  uint32_t consumer = kNoIndex;
  int32_t slots = 0;
};

/// Reads one plan for a cluster that gives slots up: a leaf of it whose agent chooses. Results on
/// rows are cached: an agent may have thousands of rows nominated, and each asks for all.
class HostSetView {
 public:
  HostSetView(const State& state, uint32_t resource_group, uint32_t cluster);

  /// Returns the cluster's position in a group whose hosts it may choose; kNoIndex: it may not.
  size_t chooser(const SlotGroup& group) const;
  bool whole_hosts() const { return whole_hosts_; }

  /// Returns claimants by priority of their leaves, for at most `slots`. Disconnected ones count:
  /// work that was ordered to end must not change because a claimant was away for a moment.
  std::vector<Claimant> claimants(const SlotGroup& group, uint32_t row, int32_t slots) const;
  bool can_use(uint32_t consumer, const SlotGroup& group, uint32_t row) const;
  /// True if that row would do as well for all of them. `asked`: from the member, of the row.
  /// `size`: slots of a whole host.
  bool would_do_for(const std::vector<Claimant>& claimants, const SlotGroup& group, size_t member,
                    uint32_t row, const AskedRow& asked, int32_t size) const;
  /// Returns all rows that would do, as the plan declares them: one list for all questions that
  /// have the same answer. Contract: the state does not change between the first question and the
  /// last.
  const std::vector<RowRef>& rows_for(const std::vector<Claimant>& claimants, int32_t size) const;

  /// Returns the member of that leaf in another group: all groups of a plan that may be chosen from
  /// have the same leaves.
  static size_t member_for(const SlotGroup& group, uint32_t consumer);

  const ResourceGroupLedger& ledger() const { return ledger_; }

 private:
  struct InOrder {
    bool operator()(const std::vector<RowRef>& a, const std::vector<RowRef>& b) const;
  };
  using Consumers = std::vector<uint32_t>;
  using BySize = std::map<int32_t, std::vector<RowRef>>;

  const Selection* requirement(uint32_t consumer) const;
  bool starts_nothing(const SlotGroup& group, size_t member, uint32_t row) const;
  bool would_do(const SlotGroup& group, size_t member, uint32_t row, const AskedRow& asked,
                int32_t size) const;
  bool may_give(const SlotGroup& group, size_t member, uint32_t row, const AskedRow& asked) const;
  const BySize& givable() const;
  std::vector<RowRef> usable_by_all(const Consumers& consumers, int32_t size) const;

  const State& state_;
  const ResourceGroupLedger& ledger_;
  const uint32_t cluster_;
  const Plan* plan_ = nullptr;
  bool whole_hosts_ = false;
  mutable std::shared_ptr<const ReadyPlan> ready_;  // once a requirement is asked for
  // Results of rows_for().
  mutable BySize
      givable_;  // rows that may be given, by slots of a whole host; 0: whatever they are
  mutable bool givable_known_ = false;
  mutable std::map<std::pair<int32_t, Consumers>, const std::vector<RowRef>*> rows_;
  mutable std::set<std::vector<RowRef>, InOrder> lists_;
};

}  // namespace leasehold
