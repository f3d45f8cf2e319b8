// HoldingIndex: an index over the holdings of a plan's slot group, so that a statement of one
// member costs what it names, not what the group has: which member a cluster is, sums over all
// holdings, who is due more than it holds, whose holdings changed. Derived, of a group of a plan
// only; not on disk.
//
// SlotGroup::at() tells it of each holding that may change. It is rebuilt where it cannot follow:
// after holdings were read, a start, new members or hosts. Then all members count as changed.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "broker/core/model/containers/index_set.hpp"
#include "broker/core/model/slots/holding.hpp"

namespace leasehold {

struct SlotGroup;

class HoldingIndex {
 public:
  explicit HoldingIndex(const SlotGroup& group);

  /// The holding may change from now on.
  void touch(const Holding& holding, size_t place) {
    if (holding.touched) return;
    holding.touched = true;
    touched_.push_back(static_cast<uint32_t>(place));
  }
  /// Counts the touched holdings again.
  void follow(const SlotGroup& group);
  /// True if the group has as many members and hosts.
  bool fits(const SlotGroup& group) const;

  /// Returns kNoIndex if it is no member.
  uint32_t member_of(uint32_t cluster) const;
  /// Returns the member that stands for the leaf; kNoIndex: none does.
  uint32_t member_for(uint32_t plan_consumer) const;
  void set_breach(int32_t before, int32_t now) { breach_ += now - before; }
  /// Returns the slots that members use above their limits, as they state.
  int64_t breach() const { return breach_; }
  /// Returns the slots that answered members state beyond what they hold.
  int64_t stated_above() const { return stated_above_; }
  int64_t due(uint32_t row) const { return due_[row]; }
  /// Members that are due more of the row than they hold.
  const IndexSet& missing(uint32_t row) const { return missing_[row]; }

  /// Members whose holdings changed since somebody last took them: what they are to give up has to
  /// be checked.
  const IndexSet& unchecked() const { return unchecked_; }
  std::vector<uint32_t> take_unchecked();
  /// Puts the member among the unchecked ones, though its holdings did not change.
  void mark_for_return_check(uint32_t member) { unchecked_.insert(member); }

  /// Transfers that want nothing more, but whose slots were not handed over yet.
  std::vector<uint64_t> waiting;
  bool waiting_known = false;  // false: any transfer may be one

  /// Places of holdings that changed since they were last written; `all_unwritten`: any may have.
  std::vector<uint32_t> unwritten;
  bool all_unwritten = true;

 private:
  struct Counted {
    int32_t due = 0;
    int32_t above = 0;
  };

  void count(const SlotGroup& group, uint32_t place);

  size_t members_;
  std::vector<Counted> counted_;  // as SlotGroup::holdings
  std::vector<uint32_t> touched_;
  std::vector<int64_t> due_;       // by row
  std::vector<IndexSet> missing_;  // by row
  IndexSet unchecked_;
  int64_t stated_above_ = 0;
  int64_t breach_ = 0;
  std::unordered_map<uint32_t, uint32_t> member_of_;   // by cluster
  std::unordered_map<uint32_t, uint32_t> member_for_;  // by plan_consumer
};

/// Returns the up-to-date index of a plan's group.
HoldingIndex& holding_index(const SlotGroup& group);
/// Returns the same; nullptr for a lease's group, whose few holdings are looked through.
HoldingIndex* find_holding_index(const SlotGroup& group);

}  // namespace leasehold
