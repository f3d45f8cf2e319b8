#include "broker/record/audit_json.hpp"

#include <nlohmann/json.hpp>

#include "common/json_text.hpp"

namespace leasehold {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
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
          text_of(json, "why")};
}

}  // namespace leasehold
