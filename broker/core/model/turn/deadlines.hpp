// Deadlines: the instants at which the core must be called although nothing happened. Transfers
// time out, evaluations come on their grids or soon after a report, windows open or close, and
// leases end by themselves.
#pragma once

#include <optional>

#include "broker/core/model/state.hpp"

namespace leasehold {

void set_deadline(State& state, uint32_t group, Transfer& transfer, Instant at);
/// Schedules an evaluation beside the grid. Contract: the group is a lease under demand-aware, and
/// its ledger exists.
void set_reaction(State& state, uint32_t group, Instant at);
/// Takes one deadline that has come; entries of closed transfers are skipped.
std::optional<Deadline> take_deadline(State& state, Instant now);
/// Rebuilds the heap and the next window boundary from the state.
void derive_deadlines(State& state);

/// Sets State::expiry_next: the soonest instant at which the leases of a lost cluster end.
void derive_expiry(State& state);

/// Returns the soonest instant after `now` at which some policy opens or closes.
Instant next_window(const ResolvedWindows& windows, Instant now);
bool open_at(const ResolvedWindows& windows, const std::string& policy, Instant now);

/// Returns the first grid instant after `now`: anchor + k * delay.
Instant next_on_grid(const Grid& grid, Instant now);

/// Returns the soonest instant at which a Tick can change anything; kNever if none.
Instant next_deadline(const State& state);

/// Returns the grid of that delay; made with its anchor at `now` if it is new.
uint32_t grid_of_delay(State& state, int64_t delay_ms, Instant now);

/// Returns the evaluation grid of a provider's policies; made with its anchor at `now` if it is
/// new.
uint32_t grid_of(State& state, const std::string& provider, Instant now);

}  // namespace leasehold
