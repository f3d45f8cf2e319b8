#include "broker/core/plan/asleep.hpp"

#include <algorithm>
#include <map>

#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/queries/waking.hpp"
#include "broker/core/plan/in_hosts.hpp"
#include "broker/core/plan/take_snapshot.hpp"
#include "broker/rules/plan/evaluate.hpp"

namespace leasehold {

namespace {

bool any_sleeps(const State& state, const ResourceGroupLedger& ledger) {
  for (const uint32_t g : ledger.slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      if (sleeps(state, group, row)) return true;
    }
  }
  return false;
}

PlacedMoves moves_of(PlanSnapshot& snapshot) {
  PlanAnswer answer = evaluate_plan(*snapshot.plan, snapshot.compiled, snapshot.state);
  PlacedMoves placed =
      place_moves(*snapshot.plan, *snapshot.compiled, answer, snapshot.hosts, snapshot.select());
  count_in_slots(snapshot, answer, placed);
  return placed;
}

uint32_t provider_of(const State& state, const RowRef& at) {
  return state.slot_groups[at.group].members[kProvider].cluster;
}

/// Returns the slots of the row that nobody is due.
int64_t free_slots(const State& state, const RowRef& at) {
  const SlotGroup& group = state.slot_groups[at.group];
  int64_t slots = plan_slots(state, group, at.row);
  for (size_t m = 0; m < group.members.size(); ++m) slots -= group.at(at.row, m).due;
  return std::max<int64_t>(0, slots);
}

/// Chooses the rows of one plan.
class ToWake {
 public:
  ToWake(const State& state, PlanSnapshot& snapshot) : state_(state), snapshot_(snapshot) {}

  std::vector<RowRef> rows() {
    const std::vector<PlacedMove> moves = moves_of(snapshot_).moves;
    add_held();
    add_moves(moves);
    return std::move(rows_);
  }

 private:
  bool is_asleep(const RowRef& at) const {
    return sleeps(state_, state_.slot_groups[at.group], at.row);
  }
  bool is_waking(const RowRef& at) const {
    return wakes(state_, state_.slot_groups[at.group], at.row);
  }

  /// Returns the slots that the cluster's waiting work lacks still.
  int64_t& lacking(uint32_t cluster) {
    const auto [place, added] = lacking_.try_emplace(cluster, 0);
    if (added) {
      place->second = state_.clusters[cluster].pending - waking_slots_of(state_, cluster);
    }
    return place->second;
  }

  /// Adds rows that their holders have already, and wait for.
  void add_held() {
    for (const RowRef& at : snapshot_.rows) {
      const SlotGroup& group = state_.slot_groups[at.group];
      if (!is_asleep(at)) continue;
      bool wanted = false;
      for (size_t m = 0; m < group.members.size(); ++m) {
        const uint32_t cluster = group.members[m].cluster;
        const int32_t due = group.at(at.row, m).due;
        if (cluster == provider_of(state_, at) || due == 0 || lacking(cluster) <= 0) continue;
        wanted = true;
        lacking(cluster) -= due;
      }
      if (wanted) rows_.push_back(at);
    }
  }

  /// True if the move is to another cluster than the provider, whose work waits.
  bool is_wanted(const PlacedMove& move) {
    if (move.to == kNoIndex) return false;
    const uint32_t cluster = snapshot_.ready->cluster[move.to];
    return cluster != kNoIndex && cluster != provider_of(state_, snapshot_.rows[move.host]) &&
           lacking(cluster) > 0;
  }

  /// Adds rows of moves as far as free slots of hosts that are being switched on do not do: which
  /// of the two the moves name is of no account.
  void add_moves(const std::vector<PlacedMove>& moves) {
    int64_t wanted = 0;
    for (const PlacedMove& move : moves) {
      const RowRef& at = snapshot_.rows[move.host];
      if (is_wanted(move) && (is_asleep(at) || is_waking(at))) wanted += move.slots;
    }
    for (const RowRef& at : snapshot_.rows) {
      if (is_waking(at)) wanted -= free_slots(state_, at);
    }
    for (const PlacedMove& move : moves) {
      const RowRef& at = snapshot_.rows[move.host];
      if (wanted <= 0) return;
      if (!is_wanted(move) || !is_asleep(at)) continue;
      wanted -= move.slots;
      lacking(snapshot_.ready->cluster[move.to]) -= move.slots;
      rows_.push_back(at);
    }
  }

  const State& state_;
  PlanSnapshot& snapshot_;
  std::map<uint32_t, int64_t> lacking_;  // by cluster
  std::vector<RowRef> rows_;
};

}  // namespace

std::vector<RowRef> plan_rows_to_wake(const State& state, uint32_t resource_group) {
  const ResourceGroupLedger& ledger = state.resource_groups[resource_group];
  const bool moves = ledger.configured && state.config.mode == Mode::lease && !state.frozen;
  if (!moves || !any_sleeps(state, ledger)) return {};
  PlanSnapshot now = take_snapshot(state, resource_group);
  if (now.plan == nullptr) return {};
  for (const PlacedMove& move : moves_of(now).moves) {
    if (move.to != kNoIndex) return {};
  }
  PlanSnapshot snapshot = take_snapshot(state, resource_group, Asleep::counted);
  return ToWake(state, snapshot).rows();
}

}  // namespace leasehold
