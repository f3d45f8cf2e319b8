#include "broker/views/answer.hpp"

#include <nlohmann/json.hpp>

namespace leasehold {

namespace {

Json integer_or_null(int value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

int integer_at(const Json& json, const char* key) {
  auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<int>() : 0;
}

}  // namespace

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

Error error_from_json(const Json& json) {
  Error error{from_token<ErrorCode>(text_at(json, "code")).value_or(ErrorCode::refused),
              text_at(json, "message"), text_at(json, "file"), integer_at(json, "line"),
              integer_at(json, "column")};
  if (error.message.empty()) error.message = "the answer does not say what is wrong";
  return error;
}

}  // namespace leasehold
