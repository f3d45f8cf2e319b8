// Admission of decoded messages before step(): whether one is allowed, and what in it is new. Pure
// questions on the state; the shell acts on the answers. Only here a group, a row or a host that a
// message names twice is refused, in any order of the list and for at most n log n (repeated.hpp):
// step() takes what older databases recorded as it stands.
#pragma once

#include <optional>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"

namespace leasehold {

/// nullopt: the hello may be given to step(). Refused: unknown cluster, stale incarnation, a second
/// agent (same state id with a higher boot counter replaces, but for a copy of the state, see
/// agents/takeover.hpp; anything else waits for AgentLost), a state that cannot be.
std::optional<Refused> check_hello(const State& state, const wire::Hello& hello, Instant now);
/// Checks it at the instant of the last event.
std::optional<Refused> check_hello(const State& state, const wire::Hello& hello);

/// nullopt: nothing in the block contradicts itself or the configuration. Refused as a whole:
/// used > limit, negative numbers, an unknown group or host, a group or a host of it twice, a seq
/// never issued. Groups and rows may come in any order.
std::optional<Refused> check_state(const State& state, uint32_t cluster,
                                   const wire::StateBlock& block);

/// The same of a whole report; numbers that cannot be (bounds.hpp) and the use of one host said
/// twice are refused too.
std::optional<Refused> check_report(const State& state, uint32_t cluster,
                                    const wire::Report& report);

/// nullopt: usable. Refused: no name, a name twice, negative numbers, more slots than can be
/// summed.
std::optional<Refused> check_inventory(const std::vector<wire::HostFacts>& hosts);

/// nullopt: the command names things that exist and may be carried out now.
std::optional<Refused> check_command(const State& state, const OperatorCommand& command);

/// Drops from `event` every group that says nothing new. False: nothing is left, do not step.
bool drop_known(const State& state, StateReported& event);

}  // namespace leasehold
