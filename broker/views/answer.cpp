#include "broker/views/answer.hpp"

#include <nlohmann/json.hpp>

namespace leasehold {

namespace {

Json integer_or_null(int value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

}  // namespace

const Json& require_list(const Json& value) {
  static_cast<void>(value.get_ref<const Json::array_t&>());
  return value;
}

const Json& require_object(const Json& value) {
  static_cast<void>(value.get_ref<const Json::object_t&>());
  return value;
}

const Json& require_rows(const Json& value) {
  for (const Json& row : require_list(value)) require_object(row);
  return value;
}

/// operator[] is not used: its behaviour is undefined for a key that is absent.
const Json& part_at(const Json& json, const char* key) {
  static const Json kNone;
  if (json.is_null()) return kNone;
  const auto found = require_object(json).find(key);
  return found == json.end() ? kNone : *found;
}

const Json& list_at(const Json& json, const char* key) {
  const Json& value = part_at(json, key);
  return value.is_null() ? value : require_list(value);
}

const Json& object_at(const Json& json, const char* key) {
  const Json& value = part_at(json, key);
  return value.is_null() ? value : require_object(value);
}

bool has_text(const Json& json, const char* key) {
  const Json& value = part_at(json, key);
  if (value.is_null()) return false;
  static_cast<void>(value.get_ref<const Json::string_t&>());
  return true;
}

int64_t number_at(const Json& json, const char* key) {
  const Json& value = part_at(json, key);
  if (value.is_null()) return 0;
  if (value.is_number_integer()) return integer_of(value).value_or(INT64_MAX);
  return value.get_ref<const Json::number_integer_t&>();  // throws
}

std::optional<int64_t> integer_of(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) return std::nullopt;
  return value.get<int64_t>();
}

std::optional<int64_t> integer_at(const Json& json, const std::string& key) {
  auto found = json.find(key);
  return found == json.end() ? std::nullopt : integer_of(*found);
}

std::string text_at(const Json& json, const std::string& key) {
  auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

bool flag_at(const Json& json, const std::string& key) {
  auto found = json.find(key);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

Json error_json(const Error& error) {
  return {{"code", token(error.code)},
          {"message", error.message},
          {"file", error.file.empty() ? Json(nullptr) : Json(error.file)},
          {"line", integer_or_null(error.line)},
          {"column", integer_or_null(error.column)}};
}

namespace {

int line_at(const Json& json, const char* key) {
  const int64_t line = integer_at(json, key).value_or(0);
  return line > 0 && line <= INT32_MAX ? static_cast<int>(line) : 0;
}

}  // namespace

Error error_from_json(const Json& json) {
  Error error{from_token<ErrorCode>(text_at(json, "code")).value_or(ErrorCode::refused),
              text_at(json, "message"), text_at(json, "file"), line_at(json, "line"),
              line_at(json, "column")};
  if (error.message.empty()) error.message = "the answer does not say what is wrong";
  return error;
}

}  // namespace leasehold
