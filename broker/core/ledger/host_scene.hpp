// Host scene: one plan as it looks for reclaims whose hosts an agent chooses: who may give, who is
// to get, what would do as well. Reads only. Inside host_sets.cpp and nominate_anew.cpp.
#pragma once

#include <algorithm>

#include "broker/core/model/hosts.hpp"
#include "broker/core/model/plans.hpp"
#include "broker/rules/select/select.hpp"
#include "common/check.hpp"

namespace leasehold {

/// Slots of a row that nobody is due.
inline int32_t undue(const State& state, const SlotGroup& group, uint32_t row) {
  int32_t free = plan_slots(state, group, row);
  for (size_t m = 0; m < group.members.size(); ++m) free -= group.at(row, m).due;
  return std::max(0, free);
}

/// A leaf that is to get slots where they were nominated.
struct Claimant {
  uint32_t consumer = kNoIndex;
  int32_t slots = 0;
};

/// Looks at one plan and the cluster that gives slots up.
class HostScene {
 public:
  HostScene(const State& state, uint32_t plan)
      : state_(state), ledger_(state.resource_groups[plan]) {
    const Plan* in_force = plan_in_force(state, ledger_);
    if (in_force == nullptr) return;
    plan_ = in_force;
    requirements_.resize(ledger_.consumers.size());
    const std::vector<uint32_t> positions = ledger_positions(ledger_, *plan_);
    for (size_t c = 0; c < positions.size(); ++c) {
      const std::string& select = plan_->consumers[c].select;
      if (select.empty() || positions[c] == kNoIndex) continue;
      auto parsed = Selection::parse(select);
      LEASEHOLD_CHECK(parsed.has_value(),
                      "a requirement that cannot be read is refused with its file");
      requirements_[positions[c]] = {true, *std::move(parsed)};
    }
  }

  bool chooses(const SlotGroup& group, size_t member) const {
    const Cluster& cluster = state_.clusters[group.members[member].cluster];
    const bool leaf = group.members[member].plan_consumer != kNoIndex;
    return plan_ != nullptr && leaf && cluster.chooses && !group.quarantined &&
           group.phase == Phase::active;
  }

  bool whole_hosts() const { return plan_->placement == Placement::exclusive; }

  /// As many slots as are asked for can be had there, and as they are to be had.
  bool would_do(const SlotGroup& group, size_t member, uint32_t row, int32_t size) const {
    const Host& host = host_of(state_, group, row);
    const bool there = group.at(row, kProvider).up && host.present && host.facts.up;
    if (!there || !may_give(group, member, row)) return false;
    return !whole_hosts() || is_whole(group, member, row, size);
  }

  /// Its own alone, and either all of it is asked for or none.
  static bool is_whole(const SlotGroup& group, size_t member, uint32_t row, int32_t size) {
    const Holding& holding = group.at(row, member);
    if (holding.held != size) return false;
    if (nominated_from(group, member, row) == size) return holding.due == 0;
    int32_t others = 0;
    for (size_t m = 0; m < group.members.size(); ++m) {
      others += m == member ? 0 : group.at(row, m).due;
    }
    return holding.due == size && others == 0;
  }

  /// All that is asked of the row there is due to others or to nobody; it may stay where it is.
  bool may_give(const SlotGroup& group, size_t member, uint32_t row) const {
    const Holding& holding = group.at(row, member);
    const bool all_known = holding.due + wanted_from(group, member, row) >= holding.held;
    return holding.up && all_known && !row_drains(state_, group, member, row);
  }

  bool can_use(uint32_t consumer, const SlotGroup& group, uint32_t row) const {
    const size_t member = member_for(group, consumer);
    if (member == kNoIndex) return false;
    const auto& [narrow, select] = requirements_[consumer];
    if (narrow && !select.matches(host_of(state_, group, row).facts)) return false;
    return group.at(row, member).up && !row_drains(state_, group, member, row);
  }

  static size_t member_for(const SlotGroup& group, uint32_t consumer) {
    for (size_t m = 0; m < group.members.size(); ++m) {
      if (group.members[m].plan_consumer == consumer) return m;
    }
    return kNoIndex;
  }

  /// By priority of their leaves, at most `slots`. Whether their agents are heard does not matter:
  /// work that was told to end must not change because a claimant was away for a moment.
  std::vector<Claimant> claimants(const SlotGroup& group, uint32_t row, int32_t slots) const {
    std::vector<Claimant> found;
    for (size_t m = kProvider; m < group.members.size(); ++m) {
      if (row_drains(state_, group, m, row)) continue;
      const int32_t missing = member_cap(state_, group, m, row) - group.at(row, m).held;
      if (missing > 0 && group.members[m].plan_consumer != kNoIndex)
        found.push_back({group.members[m].plan_consumer, missing});
    }
    std::stable_sort(found.begin(), found.end(), [&](const Claimant& a, const Claimant& b) {
      return ledger_.consumers[a.consumer].priority < ledger_.consumers[b.consumer].priority;
    });
    for (Claimant& claimant : found) {
      claimant.slots = std::min(claimant.slots, slots);
      slots -= claimant.slots;
    }
    std::erase_if(found, [](const Claimant& claimant) { return claimant.slots == 0; });
    return found;
  }

  /// The rows that would do as well for all of them. `size`: slots of a whole host.
  std::vector<RowRef> rows_for(const std::vector<Claimant>& claimants, uint32_t cluster,
                               int32_t size) const {
    std::vector<RowRef> rows;
    for (const uint32_t g : ledger_.slot_groups) {
      const SlotGroup& group = state_.slot_groups[g];
      const size_t member = member_of(group, cluster);
      if (member == kNoIndex || !chooses(group, member)) continue;
      for (uint32_t row = 0; row < group.hosts.size(); ++row) {
        if (!would_do(group, member, row, size)) continue;
        const bool all = std::all_of(
            claimants.begin(), claimants.end(),
            [&](const Claimant& claimant) { return can_use(claimant.consumer, group, row); });
        if (all) rows.push_back({g, row});
      }
    }
    return rows;
  }

  const ResourceGroupLedger& ledger() const { return ledger_; }

 private:
  struct Requirement {
    bool narrow = false;
    Selection select;
  };

  const State& state_;
  const ResourceGroupLedger& ledger_;
  const Plan* plan_ = nullptr;
  std::vector<Requirement> requirements_;  // by position in the ledger
};

}  // namespace leasehold
