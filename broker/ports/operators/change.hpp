// What operators may change: requests as events, and the sentences that answer them.
// For port.cpp only.
#pragma once

#include <optional>
#include <string>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"
#include "broker/views/liveness.hpp"
#include "broker/views/request.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Who gives a command, whence.
struct Giver {
  std::string name;
  std::string where;
};

/// Of a request for an order to the core. Names are completed with the nearest known ones in
/// errors; check_command() has been asked.
Result<OperatorCommand> operator_command(const State& state, const Request& request,
                                         const Giver& giver);
/// Of a cluster that cannot be forgotten because it is heard: until when it counts as that, as
/// words behind the refusal; "": nobody knows.
std::string heard_until(const State& state, const Liveness& liveness, const std::string& cluster);
/// What was asked for and refused, for the history.
OperatorRefused refused_attempt(const Request& request, const Giver& giver, const Error& error);

/// What forgetting the cluster would return: {"command","done","detail","slots":[{"host","slots",
/// "used"}],"heard_by","hears_nobody"}; used null: this process has not heard it; heard_by: another
/// broker that does.
Json forget_preview(const State& state, const Liveness& liveness, const std::string& cluster);

/// What was done, after its commit: {"command","done","detail","lease"}.
Json done_json(const State& state, const OperatorCommand& command);

}  // namespace leasehold
