// Queries: the requests that the State alone can answer, by name. One function for the control
// endpoint, for a database file and for the page: the same question gets the same answer anywhere.
// Requests are objects: {"command": "lease", "lease": "pool:west"}; schema/json/README.md.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "broker/views/views.hpp"
#include "common/result.hpp"

namespace leasehold {

/// What a request says under `key`; "" where it is absent or not a text.
std::string request_text(const Json& request, const std::string& key);
bool request_flag(const Json& request, const std::string& key);

/// True: answer_query knows the command (clusters leases lease hosts policies groups consumers
/// explain).
bool is_query(const std::string& command);

/// Errors: `unknown` for an id that nobody knows (naming the nearest), `usage` for a request that
/// lacks it. The decisions of `lease` are left empty: they are history.
Result<Json> answer_query(const State& state, const Liveness& liveness, const ValueSources& sources,
                          const Json& request);

/// The lease `id`, or an Error that names the nearest id.
Result<LeaseRef> require_lease(const State& state, const std::string& id);

/// {"code","message","file","line","column"}, unknown parts null.
Json error_json(const Error& error);
/// The reverse; what cannot be read becomes a `refused` that says so.
Error error_from_json(const Json& json);

}  // namespace leasehold
