// What operators may change: requests as events, and the sentences that answer them.
// For operator_port.cpp only.
#pragma once

#include <optional>
#include <string>

#include "broker/core/event.hpp"
#include "broker/core/state.hpp"
#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold {

/// nullopt: not a command that changes anything (reload is not among them).
std::optional<Command> command_from(const std::string& text);

/// Names are completed with the nearest known ones in errors; check_command() has been asked.
Result<OperatorCommand> operator_command(const State& state, Command command, const Json& request,
                                         const std::string& by);

/// What was done, after its commit: {"command","done","detail","lease"}.
Json done_json(const State& state, const OperatorCommand& command);

}  // namespace leasehold
