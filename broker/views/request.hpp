// Requests: what an operator's request says, and how an error stands in an answer. A request is an
// object, {"command": "lease", "lease": "pool:west"} (schema/json/README.md); which there are:
// catalogue.hpp.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold {

/// What a request says under `key`; "" where it is absent or not a text.
std::string request_text(const Json& request, const std::string& key);
bool request_flag(const Json& request, const std::string& key);

/// {"code","message","file","line","column"}, unknown parts null.
Json error_json(const Error& error);
/// The reverse; what cannot be read becomes a `refused` that says so.
Error error_from_json(const Json& json);

}  // namespace leasehold
