// The texts of answers to operators, and who asked. For the .cpp files of this folder only.
#pragma once

#include <string>

#include "broker/ports/operators/change.hpp"
#include "broker/ports/operators/lookups.hpp"
#include "broker/ports/operators/permission.hpp"

namespace leasehold {

/// Return {"ok":true,"result":…} and {"ok":false,"error":…}.
Json success(Json result);
Json failure(const Error& error);
std::string text_of(const Json& reply);
/// While nobody leads every answer says so: "nobody_leads":{"since","why","help"}.
Json with_nobody(Json reply, const LeaderView& leader_view);
/// {"ok":true,"as_of":{"event","time"},"result":…}: "as_of" names the event after which the state
/// was so. A standby adds "leader", who may know more, or that nobody leads.
std::string success_text(PresentAnswer answer, const LeaderView& leader_view);
/// Returns the text of success_text() in front of the result.
std::string success_begin(const AsOf& as_of, LeaderView leader_view);
/// Returns the address, or "local" for a peer on this machine, which has none.
std::string where_of(const std::string& address);
Giver giver_of(const Asker& asker, const std::string& address);

}  // namespace leasehold
