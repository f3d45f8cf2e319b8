// Checks, after every step, the cached totals that evaluations go by
// (broker/core/model/lease_summary.hpp): all that are not stale say what their group says, so
// nothing that changed was forgotten.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "broker/core/lease/summaries.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "broker/core/model/turn/turn.hpp"
#include "broker/core/step.hpp"

namespace leasehold::test {

/// One sentence for each summary that is not stale and wrong.
inline std::vector<std::string> wrong_lines(const State& state) {
  std::vector<std::string> found;
  if (!state.stale_summaries.empty()) found.push_back("a step has ended without making its lines");
  for (uint32_t g = 0; g < state.summaries.size(); ++g) {
    if (state.summaries[g].stale || state.summaries[g] == summary_of(state, g)) continue;
    found.push_back(group_id(state, state.slot_groups[g]) +
                    ": the line kept differs from its group");
  }
  return found;
}

/// The state, and what an evaluation of all its groups did.
struct Evaluated {
  State state;
  Effects effects;
};

inline Evaluated evaluated(State state, Instant now) {
  Evaluated all{std::move(state), {}};
  for (uint32_t g = 0; g < all.state.slot_groups.size(); ++g) queue_evaluation(all.state, g);
  for (Grid& grid : all.state.grids) {
    grid.next = std::max(now, all.state.now);
    grid.cursor = 0;
  }
  step(all.state, Tick{}, std::max(now, all.state.now), all.effects);
  return all;
}

inline bool same_records(const Effects& a, const Effects& b) {
  const auto facts = [](const Record& row) {
    return std::tie(row.kind, row.reason, row.group, row.member, row.plan, row.consumer,
                    row.cluster, row.from, row.to, row.slots, row.epoch, row.numbers,
                    row.rule_reason);
  };
  return std::equal(a.records.begin(), a.records.end(), b.records.begin(), b.records.end(),
                    [&](const Record& x, const Record& y) { return facts(x) == facts(y); });
}

inline bool same_orders(const Effects& a, const Effects& b) {
  const auto same = [](const SendOrder& x, const SendOrder& y) {
    return std::tie(x.cluster, x.generation, x.seq, x.grace_ms, x.first, x.count) ==
           std::tie(y.cluster, y.generation, y.seq, y.grace_ms, y.first, y.count);
  };
  return a.ordered == b.ordered && a.configurations.size() == b.configurations.size() &&
         std::equal(a.orders.begin(), a.orders.end(), b.orders.begin(), b.orders.end(), same);
}

inline bool same_group(const SlotGroup& a, const SlotGroup& b) {
  const auto facts = [](const SlotGroup& group) {
    return std::tie(group.phase, group.reason, group.epoch, group.since, group.last_flip,
                    group.numbers, group.evaluated_at, group.flips, group.quarantined, group.breach,
                    group.dirty);
  };
  const auto same_row = [](const Holding& x, const Holding& y) {
    return std::tie(x.held, x.due, x.ordered, x.stated, x.confirmed, x.withheld) ==
           std::tie(y.held, y.due, y.ordered, y.stated, y.confirmed, y.withheld);
  };
  return facts(a) == facts(b) && a.transfers.size() == b.transfers.size() &&
         std::equal(a.holdings.begin(), a.holdings.end(), b.holdings.begin(), b.holdings.end(),
                    same_row);
}

/// Returns "" if evaluating all groups by their summaries does what evaluating by the groups does.
inline std::string summaries_decide_otherwise(const State& state, Instant now) {
  State by_groups = state;
  forget_summaries(by_groups);
  const Evaluated summaries = evaluated(state, now);
  const Evaluated groups = evaluated(std::move(by_groups), now);
  if (!same_records(summaries.effects, groups.effects)) return "other records";
  if (!same_orders(summaries.effects, groups.effects)) return "other orders";
  if (summaries.state.dirty_groups != groups.state.dirty_groups) return "other groups are written";
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    if (!same_group(summaries.state.slot_groups[g], groups.state.slot_groups[g])) {
      return "another " + group_id(state, state.slot_groups[g]);
    }
  }
  for (size_t g = 0; g < state.grids.size(); ++g) {
    const bool same = summaries.state.grids[g].changed.all() == groups.state.grids[g].changed.all();
    if (!same) return "other groups are looked at again";
  }
  return "";
}

}  // namespace leasehold::test
