// Readers for a broker's answer: its errors, and the texts, flags and numbers of its JSON. A broker
// of another version may leave a field out, which is read as an empty value, or send another kind
// of value. The readers that say "throws" then throw Json::type_error, which leasectl turns into
// one error for all of its commands (broker/ctl/invocation.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Returns the value under `key`; null where it is absent or `json` is null. Throws where `json` is
/// neither null nor an object.
const Json& part_at(const Json& json, const char* key);
/// Return the list or the object under `key`. They throw where the value is of another kind.
const Json& list_at(const Json& json, const char* key);
const Json& object_at(const Json& json, const char* key);
/// Returns the whole number under `key`, at most INT64_MAX; 0 where it is absent or null. Throws
/// where the value is of another kind.
int64_t number_at(const Json& json, const char* key);
/// True if there is a text under `key`, false if there is nothing. Throws where the value is of
/// another kind.
bool has_text(const Json& json, const char* key);
/// Return `value`. They throw where it is not a list, or not an object; null is neither.
const Json& require_list(const Json& value);
const Json& require_object(const Json& value);
/// Returns `value`. Throws where it is not a list of objects.
const Json& require_rows(const Json& value);

/// Return the value under `key`; "" or false where it is absent or of another kind. They never
/// throw.
std::string text_at(const Json& json, const std::string& key);
bool flag_at(const Json& json, const std::string& key);
/// Return nullopt where the value is not a whole number, or does not fit into a signed 64-bit one.
std::optional<int64_t> integer_of(const Json& value);
std::optional<int64_t> integer_at(const Json& json, const std::string& key);

/// Returns {"code","message","file","line","column"}; unknown parts are null.
Json error_json(const Error& error);
/// Reads what error_json() writes. JSON that cannot be read becomes a `refused` error that says so.
Error error_from_json(const Json& json);

}  // namespace leasehold
