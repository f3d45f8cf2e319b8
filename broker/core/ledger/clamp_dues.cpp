#include "broker/core/ledger/clamp_dues.hpp"

#include <algorithm>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"

namespace leasehold {

namespace {

class DuesClamp {
 public:
  DuesClamp(Turn& turn, uint32_t index) : turn_(turn), index_(index) {
    const SlotGroup& group = turn.group(index);
    for (size_t m = 0; m < group.members.size(); ++m) order_.push_back(m);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](size_t a, size_t b) { return priority(a) > priority(b); });
  }

  void row(uint32_t row) {
    take_what_is_fixed(row);
    // Claims are given up before slots that are held, and the lowest priority gives up first.
    int32_t excess = sum(row) - plan_slots(turn_.state, group(), row);
    for (const bool claims_only : {true, false}) {
      for (size_t i = 0; i < order_.size() && excess > 0; ++i) {
        excess -= cut(row, order_[i], excess, claims_only);
      }
    }
    if (indivisible(turn_.state, group(), row)) leave_to_one(row);
  }

  /// The provider's leaf is due the slots in use that nobody has asked back yet.
  void take_home_use(uint32_t row) {
    const Holding& home = at(row, kProvider);
    const int32_t asked = wanted_from(group(), kProvider, row);
    const int32_t fresh = std::min(group().hosts[row].just_exported, home.held - home.due - asked);
    turn_.group(index_).hosts[row].just_exported = 0;
    if (group().members[kProvider].plan_consumer == kNoIndex) return;
    const int32_t runs = std::min(fresh, home.used - home.due - asked);
    set(row, kProvider, home.due + std::max(0, runs));
  }

  bool changed() const { return changed_; }

 private:
  const SlotGroup& group() const { return turn_.group(index_); }
  uint32_t priority(size_t m) const {
    const uint32_t consumer = group().members[m].plan_consumer;
    return consumer == kNoIndex
               ? kNoIndex
               : turn_.state.resource_groups[group().resource_group].consumers[consumer].priority;
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

  /// A disconnected member keeps what it holds, except what was asked from it before a warm
  /// take-over that it has not greeted since. A member that may not use the row is due nothing.
  /// While the broker only observes, nobody keeps the provider from using what it likes.
  void take_what_is_fixed(uint32_t row) {
    if (turn_.state.config.mode == Mode::observe) {
      const bool leaf = group().members[kProvider].plan_consumer != kNoIndex;
      const Holding& home = at(row, kProvider);
      set(row, kProvider, leaf ? std::min(home.used, home.held) : 0);
    }
    for (size_t m = kProvider + 1; m < group().members.size(); ++m) {
      if (closed_to(turn_.state, group(), m, row) || group().members[m].plan_consumer == kNoIndex) {
        set(row, m, 0);
      } else if (!member_takes_part(turn_.state, group(), m)) {
        const Holding& holding = at(row, m);
        const bool greeted = group().members[m].known_since_start;
        set(row, m, greeted ? holding.held : std::min(holding.due, holding.held));
      }
    }
  }

  /// Leaves a host that may not be split to the member that is due most of it, the first by
  /// priority if several are. A disconnected member comes before all, because nothing can be asked
  /// from it. The others give theirs up as their work ends: their dues fall without a reclaim.
  void leave_to_one(uint32_t row) {
    size_t keeper = kNoMember;
    for (const size_t m : order_) {
      if (at(row, m).due == 0) continue;
      if (keeper == kNoMember || !goes_before(row, keeper, m)) keeper = m;
    }
    for (const size_t m : order_) {
      if (m != keeper && at(row, m).due > 0) set(row, m, 0);
    }
  }

  /// True if `a` would keep the host, not `b`, which is of a higher priority.
  bool goes_before(uint32_t row, size_t a, size_t b) const {
    const bool a_takes_part = member_takes_part(turn_.state, group(), a);
    const bool b_takes_part = member_takes_part(turn_.state, group(), b);
    if (a_takes_part != b_takes_part) return !a_takes_part;
    return at(row, a).due > at(row, b).due;
  }

  /// Returns by how much it was cut.
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

void raise_provider_due_to_use(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  const bool bound = turn.state.config.mode == Mode::lease && group.phase != Phase::draining;
  if (!bound || !current(turn.state, group, kProvider)) return;
  std::vector<uint32_t> fresh;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (group.hosts[row].just_exported != 0 && group.at(row, kProvider).up) fresh.push_back(row);
  }
  if (fresh.empty()) return;
  DuesClamp clamp(turn, index);
  for (const uint32_t row : fresh) {
    clamp.take_home_use(row);
    clamp.row(row);
  }
  group_changed(turn, index);
}

void clamp_dues(Turn& turn, uint32_t resource_group) {
  const std::vector<uint32_t> groups = turn.state.resource_groups[resource_group].slot_groups;
  for (const uint32_t g : groups) {
    if (turn.group(g).quarantined || turn.group(g).phase == Phase::draining) continue;
    DuesClamp clamp(turn, g);
    for (uint32_t row = 0; row < turn.group(g).hosts.size(); ++row) clamp.row(row);
    if (clamp.changed()) group_changed(turn, g);
  }
}

}  // namespace leasehold
