// LeafPut: one leaf's waiting work, put on the slots of a table as far as its quota or its limits
// go. Pure. Not which leaf comes first, nor what its quota is: leaf_demand.cpp does that.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "broker/rules/plan/compiled.hpp"
#include "broker/rules/plan/demand/leaf_work.hpp"
#include "broker/rules/plan/demand/slot_table.hpp"

namespace leasehold {

/// Bounds of all that a leaf may have, what it holds included.
struct Most {
  int64_t demand = kUnlimited;  // in what the plan counts
  int64_t slots = kUnlimited;
};

class LeafPut {
 public:
  /// The slots that a leaf holds, in what the plan counts and in slots.
  struct Allocated {
    int64_t all = 0;
    int64_t slots = 0;
  };
  /// `work` outlives this object.
  LeafPut(const LeafWork& work, const Allocated& allocated, bool whole_hosts);

  /// Puts as many jobs as `most` allows, one bucket after another, each within the first of
  /// `reaches` that will do.
  void put(SlotTable& table, const TableLeaf& leaf, std::span<const Reach> reaches,
           const Most& most);

  bool any_placed() const { return slots_ > 0; }
  bool any_coming() const { return coming_ > 0; }
  /// Slots that are to come and start work at once, and the shapes of that.
  int64_t granted() const { return granted_; }
  /// Slots, idle or to come, that start work once they were exchanged for others.
  int64_t exchanged() const { return exchanged_; }
  const std::vector<demand_aware::Shape>& shapes() const { return shapes_; }
  bool any_left() const {
    return std::any_of(left_.begin(), left_.end(),
                       [](const demand_aware::Waiting& one) { return one.jobs > 0; });
  }
  /// While slots are to come, those that it holds and that start nothing count, too: they would
  /// take the place of the ones that do.
  int64_t demand() const;
  int64_t slots() const { return work_.slots_in_use + slots_; }
  const std::vector<WantedSlots>& wanted() const { return wanted_; }
  void forget_wanted() { wanted_.clear(); }
  /// Slots that the leaf has idle and that its work starts on, by host; hosts may repeat.
  const std::vector<demand_aware::RowSlots>& own() const { return own_; }

 private:
  /// The slots of some jobs: those that the leaf has idle and those that are to come, in what the
  /// plan counts, both in slots, and what is to come in slots.
  struct Cost {
    int64_t own = 0;
    int64_t coming = 0;
    int64_t slots = 0;
    int64_t slots_coming = 0;
  };

  Cost cost_of(const SlotTable& table, const PutJobs& put) const;
  bool within(const Cost& cost, const Most& most) const;
  bool fits(const SlotTable& table, const PutJobs& put, const Most& most) const;
  int64_t jobs_to_try(const demand_aware::Waiting& waiting, const Most& most) const;
  bool put_jobs(SlotTable& table, const SlotTable::Rows& rows, demand_aware::Waiting& waiting,
                const Most& most);
  bool may_wait_for_returned(const demand_aware::Waiting& waiting) const;
  void put_one_on_returned(SlotTable& table, const TableLeaf& leaf, const SlotTable::Rows& rows,
                           demand_aware::Waiting& waiting, const Most& most);
  bool on_its_own(const SlotTable& table, const PutJobs& put) const;
  bool take_anywhere(SlotTable& table, const TableLeaf& leaf, int64_t slots);
  void add(const Cost& cost);
  void grant(const demand_aware::Shape& shape, const PutJobs& put);
  void want(const std::vector<WantedSlots>& coming);

  const LeafWork& work_;
  const Allocated allocated_;
  const bool whole_hosts_;
  std::vector<demand_aware::Waiting> left_;  // the oldest first
  // Sums of what was put, as in Cost: of both kinds, and of what is to come; both in slots.
  int64_t placed_ = 0;
  int64_t coming_ = 0;
  int64_t slots_ = 0;
  int64_t slots_coming_ = 0;
  int64_t granted_ = 0;
  int64_t exchanged_ = 0;
  std::vector<demand_aware::Shape> shapes_;
  bool waits_for_returned_ = false;
  std::vector<WantedSlots> wanted_;
  std::vector<demand_aware::RowSlots> own_;
};

}  // namespace leasehold
