#include "broker/record/audit_json.hpp"

#include <nlohmann/json.hpp>

#include "common/text/json_text.hpp"

namespace leasehold {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<int64_t> exit_code_of(const Json& json) {
  const auto found = json.find("exit_code");
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

}  // namespace

std::string audit_json(const Audit& audit) {
  Json json = Json::object();
  const auto add = [&json](const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  add("verb", audit.verb);
  add("object", audit.object);
  add("options", audit.options);
  add("where", audit.where);
  add("why", audit.why);
  add("job", audit.job);
  add("user", audit.user);
  add("fate", audit.fate);
  if (audit.exit_code) json["exit_code"] = *audit.exit_code;
  add("session", audit.session);
  add("account", audit.account);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Audit audit_from_json(std::string_view payload) {
  const Json json = parse_json<Json>(payload).value_or(Json());
  if (!json.is_object()) return {};
  return {"",
          text_of(json, "where"),
          text_of(json, "verb"),
          text_of(json, "object"),
          text_of(json, "options"),
          text_of(json, "why"),
          text_of(json, "job"),
          text_of(json, "user"),
          text_of(json, "fate"),
          exit_code_of(json),
          text_of(json, "session"),
          text_of(json, "account")};
}

}  // namespace leasehold
