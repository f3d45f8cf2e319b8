#include "broker/views/answer.hpp"

#include <nlohmann/json.hpp>

namespace leasehold {

namespace {

Json integer_or_null(int value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

}  // namespace

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
