#include "broker/core/model/turn/deadlines.hpp"

#include <algorithm>

namespace leasehold {

namespace {

/// Soonest on top; equal instants by group, then transfer, so that replay takes them alike.
bool later(const Deadline& a, const Deadline& b) {
  if (a.at != b.at) return a.at > b.at;
  return a.group != b.group ? a.group > b.group : a.transfer > b.transfer;
}

bool is_open(State& state, const Deadline& deadline) {
  if (deadline.transfer == kToReact) {
    const auto& demand = state.slot_groups[deadline.group].demand;
    return demand && demand->react_at == deadline.at;
  }
  const Transfer* found = state.slot_groups[deadline.group].transfers.find(deadline.transfer);
  return found != nullptr && found->deadline == deadline.at;
}

void pop(State& state) {
  std::pop_heap(state.deadlines.begin(), state.deadlines.end(), later);
  state.deadlines.pop_back();
}

}  // namespace

void set_deadline(State& state, uint32_t group, Transfer& transfer, Instant at) {
  transfer.deadline = at;
  state.deadlines.push_back({at, group, transfer.id});
  std::push_heap(state.deadlines.begin(), state.deadlines.end(), later);
}

void set_reaction(State& state, uint32_t group, Instant at) {
  state.slot_groups[group].demand->react_at = at;
  state.deadlines.push_back({at, group, kToReact});
  std::push_heap(state.deadlines.begin(), state.deadlines.end(), later);
}

std::optional<Deadline> take_deadline(State& state, Instant now) {
  while (!state.deadlines.empty() && state.deadlines.front().at <= now) {
    const Deadline deadline = state.deadlines.front();
    pop(state);
    if (is_open(state, deadline)) return deadline;
  }
  return std::nullopt;
}

void derive_deadlines(State& state) {
  state.deadlines.clear();
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    const auto& demand = state.slot_groups[g].demand;
    if (demand && demand->react_at != kNever) {
      state.deadlines.push_back({demand->react_at, g, kToReact});
    }
    for (const Transfer& transfer : state.slot_groups[g].transfers) {
      if (transfer.deadline != kNever) {
        state.deadlines.push_back({transfer.deadline, g, transfer.id});
      }
    }
  }
  std::make_heap(state.deadlines.begin(), state.deadlines.end(), later);
  state.window_next = next_window(state.windows, state.now);
  derive_expiry(state);
}

void derive_expiry(State& state) {
  state.expiry_next = kNever;
  for (const Cluster& cluster : state.clusters) {
    state.expiry_next = std::min(state.expiry_next, cluster.expires_at);
  }
}

Instant next_window(const ResolvedWindows& windows, Instant now) {
  Instant soonest = kNever;
  for (const auto& policy : windows.policies) {
    for (const Interval& interval : policy.open) {
      if (interval.from > now) soonest = std::min(soonest, interval.from);
      if (interval.to > now) soonest = std::min(soonest, interval.to);
      if (interval.from > now) break;
    }
  }
  for (const auto& plan : windows.plans) {
    for (const auto& period : plan.periods) {
      if (period.from <= now) continue;
      soonest = std::min(soonest, period.from);
      break;
    }
  }
  return soonest;
}

bool open_at(const ResolvedWindows& windows, const std::string& policy, Instant now) {
  for (const auto& entry : windows.policies) {
    if (entry.policy != policy) continue;
    return std::any_of(entry.open.begin(), entry.open.end(), [now](const Interval& interval) {
      return interval.from <= now && now < interval.to;
    });
  }
  return true;
}

Instant next_on_grid(const Grid& grid, Instant now) {
  if (now < grid.anchor) return grid.anchor;
  return grid.anchor + ((now - grid.anchor) / grid.delay_ms + 1) * grid.delay_ms;
}

Instant next_deadline(const State& state) {
  Instant soonest = std::min(
      {state.window_next, state.returning_next, state.operator_order_next, state.horizon_next});
  // In observe mode nothing moves: what is due waits for the mode to change.
  if (state.config.mode == Mode::lease) soonest = std::min(soonest, state.expiry_next);
  // An outdated entry only wakes the shell for nothing; it is dropped by that Tick.
  if (!state.deadlines.empty()) soonest = std::min(soonest, state.deadlines.front().at);
  for (const Grid& grid : state.grids) soonest = std::min(soonest, grid.next);
  for (const ResourceGroupLedger& plan : state.resource_groups) {
    soonest = std::min(soonest, plan.react_at);
  }
  return soonest;
}

uint32_t grid_of_delay(State& state, int64_t delay_ms, Instant now) {
  for (uint32_t g = 0; g < state.grids.size(); ++g) {
    if (state.grids[g].delay_ms == delay_ms) return g;
  }
  Grid grid;
  grid.delay_ms = delay_ms;
  grid.anchor = now;
  grid.next = next_on_grid(grid, now);
  state.grids.push_back(grid);
  return static_cast<uint32_t>(state.grids.size() - 1);
}

uint32_t grid_of(State& state, const std::string& provider, Instant now) {
  int64_t delay_ms = state.config.reclaim_delay_ms;
  for (const ClusterConfig& cluster : state.config.clusters) {
    if (cluster.name == provider) delay_ms = cluster.reclaim_delay_ms;
  }
  return grid_of_delay(state, delay_ms, now);
}

}  // namespace leasehold
