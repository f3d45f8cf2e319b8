#include "broker/core/plan_refit.hpp"

#include <algorithm>

#include "broker/core/hosts.hpp"
#include "broker/core/plan_groups.hpp"
#include "broker/core/plan_snapshot.hpp"

namespace leasehold {

namespace {

class Refit {
 public:
  Refit(Turn& turn, uint32_t index) : turn_(turn), index_(index) {
    const Group& group = turn.group(index);
    for (size_t m = 0; m < group.members.size(); ++m) order_.push_back(m);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](size_t a, size_t b) { return priority(a) > priority(b); });
  }

  void row(uint32_t row) {
    take_what_is_fixed(row);
    take_home_use(row);
    // What is only claimed is given up before what is held; the lowest priority first.
    int32_t excess = sum(row) - plan_slots(group(), row);
    for (const bool claims_only : {true, false}) {
      for (size_t i = 0; i < order_.size() && excess > 0; ++i) {
        excess -= cut(row, order_[i], excess, claims_only);
      }
    }
  }

  bool changed() const { return changed_; }

 private:
  const Group& group() const { return turn_.group(index_); }
  uint32_t priority(size_t m) const {
    const uint32_t consumer = group().members[m].consumer;
    return consumer == kNoIndex ? kNoIndex
                                : turn_.state.plans[group().plan].consumers[consumer].priority;
  }
  const Holding& at(uint32_t row, size_t m) const { return group().at(row, m); }

  void set(uint32_t row, size_t m, int32_t due) {
    if (at(row, m).due == due) return;
    turn_.group(index_).at(row, m).due = due;
    changed_ = true;
  }

  int32_t sum(uint32_t row) const {
    int32_t due = 0;
    for (size_t m = 0; m < group().members.size(); ++m) due += at(row, m).due;
    return due;
  }

  /// A member that is not heard keeps what it holds; one that may not use the row is due nothing.
  void take_what_is_fixed(uint32_t row) {
    for (size_t m = kProvider + 1; m < group().members.size(); ++m) {
      if (row_drains(turn_.state, group(), m, row) || group().members[m].consumer == kNoIndex) {
        set(row, m, 0);
      } else if (!member_takes_part(turn_.state, group(), m)) {
        set(row, m, at(row, m).held);
      }
    }
  }

  /// Idle slots lie with the provider, which may use them: then its leaf has them, also where
  /// others have a claim to them by now; the plan may reclaim them. Not what is reclaimed already.
  void take_home_use(uint32_t row) {
    const Holding& home = at(row, kProvider);
    if (group().members[kProvider].consumer == kNoIndex) return set(row, kProvider, 0);
    if (home.used <= home.due) return;
    const int32_t reclaimed = reclaimed_at_home(row);
    int32_t free = plan_slots(group(), row) - reclaimed;
    for (size_t m = kProvider + 1; m < group().members.size(); ++m) {
      free -= std::min(at(row, m).held, at(row, m).due);
    }
    const int32_t used = std::min({home.used, home.held - reclaimed, free});
    set(row, kProvider, std::max(home.due, used));
  }

  int32_t reclaimed_at_home(uint32_t row) const {
    int32_t slots = 0;
    for (const Transfer& open : group().transfers) {
      if (open.from != kProvider || open.lowering != wire::Lowering::reclaim) continue;
      for (const auto& [host, wanted] : open.wanted) slots += host == row ? wanted : 0;
    }
    return slots;
  }

  /// Returns by how much.
  int32_t cut(uint32_t row, size_t m, int32_t excess, bool claims_only) {
    if (m != kProvider && !member_takes_part(turn_.state, group(), m)) return 0;
    const int32_t due = at(row, m).due;
    const int32_t floor = claims_only ? std::min(at(row, m).held, due) : 0;
    set(row, m, std::max(floor, due - excess));
    return due - at(row, m).due;
  }

  Turn& turn_;
  const uint32_t index_;
  std::vector<size_t> order_;  // members, the lowest priority first
  bool changed_ = false;
};

}  // namespace

void refit_dues(Turn& turn, uint32_t plan) {
  const std::vector<uint32_t> groups = turn.state.plans[plan].groups;
  for (const uint32_t g : groups) {
    if (turn.group(g).quarantined || turn.group(g).phase == Phase::draining) continue;
    Refit refit(turn, g);
    for (uint32_t row = 0; row < turn.group(g).hosts.size(); ++row) refit.row(row);
    if (refit.changed()) rows_changed(turn, g);
  }
}

}  // namespace leasehold
