// What a broker answers, as whoever asked reads it: its errors, and texts, flags and numbers of its
// JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold {

/// What stands under `key`; "" (false, nullopt) where it is absent or something else.
std::string text_at(const Json& json, const std::string& key);
bool flag_at(const Json& json, const std::string& key);
/// nullopt: no whole number, or one beyond 64 bits with a sign.
std::optional<int64_t> integer_of(const Json& value);
std::optional<int64_t> integer_at(const Json& json, const std::string& key);

/// {"code","message","file","line","column"}, unknown parts null.
Json error_json(const Error& error);
/// The reverse; what cannot be read becomes a `refused` that says so.
Error error_from_json(const Json& json);

}  // namespace leasehold
