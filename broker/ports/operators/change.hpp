// Turns operators' requests for a change into events, and makes the sentences that answer them.
// For port.cpp only.
#pragma once

#include <optional>
#include <string>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "broker/views/json.hpp"
#include "broker/views/request/request.hpp"
#include "common/result.hpp"

namespace leasehold {

/// The operator who gives a command, and the address that it came from.
struct Giver {
  std::string name;
  std::string where;
};

/// Returns the command that a request gives to the core; check_command() has accepted it. Errors
/// about an unknown name also say the nearest known ones.
Result<OperatorCommand> operator_command(const State& state, const Request& request,
                                         const Giver& giver);
/// Words to put behind the refusal to forget a cluster that is in contact: from when on it can be
/// forgotten if it stays silent; "": this is not known.
std::string in_contact_until(const State& state, const Liveness& liveness,
                             const std::string& cluster);
/// Returns the history row for a request that was refused.
OperatorRefused refused_attempt(const Request& request, const Giver& giver, const Error& error);

/// Shows which slots the cluster would return if it were forgotten:
/// {"command","done","detail","slots":[{"host","slots","used"}],"heard_by","hears_nobody"}.
/// "used" is null if its agent has not reported to this process; "heard_by" names another broker in
/// contact.
Json forget_preview(const State& state, const Liveness& liveness, const std::string& cluster);

/// Returns the answer to a command after its commit:
/// {"command","done","detail","lease","consumer"}.
Json done_json(const State& state, const OperatorCommand& command);

}  // namespace leasehold
