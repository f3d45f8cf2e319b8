// What a broker answers, as whoever asked reads it: its errors, and texts, flags and numbers of its
// JSON. A broker of another version may leave a field out, which is an empty value here, or send
// another kind of value. The readers that say "throws" then throw Json::type_error, which leasectl
// turns into one error for all of its commands (broker/ctl/commands.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold {

/// The value under `key`; null where it is absent or `json` is null. Throws where `json` is neither
/// null nor an object.
const Json& part_at(const Json& json, const char* key);
/// The same of a list, and of an object. Throws where the value is of another kind.
const Json& list_at(const Json& json, const char* key);
const Json& object_at(const Json& json, const char* key);
/// The whole number under `key`, at most INT64_MAX; 0 where it is absent or null. Throws where the
/// value is of another kind.
int64_t number_at(const Json& json, const char* key);
/// True if a text stands under `key`, false where nothing does. Throws where the value is of
/// another kind.
bool has_text(const Json& json, const char* key);
/// Returns `value`. Throws where it is no list, or no object; null is neither.
const Json& require_list(const Json& value);
const Json& require_object(const Json& value);
/// Returns `value`. Throws where it is no list of objects.
const Json& require_rows(const Json& value);

/// What stands under `key`; "" (false, nullopt) where it is absent or something else. Never throws.
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
