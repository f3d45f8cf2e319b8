#include "broker/ports/http/answers/openapi.hpp"

#include <nlohmann/json.hpp>

#include "broker/ports/http/request/route.hpp"
#include "common/check.hpp"
#include "common/text/json_text.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

Json ref(const std::string& schema) {
  return {{"$ref", "#/components/schemas/" + schema}};
}

/// "#/$defs/x" of a file is "#/components/schemas/NAME/$defs/x" of the whole.
void move_refs(Json& node, const std::string& name) {
  if (node.is_object()) {
    const auto own = node.find("$ref");
    if (own != node.end() && own->is_string() && own->get<std::string>().starts_with("#/")) {
      *own = "#/components/schemas/" + name + own->get<std::string>().substr(1);
    }
  }
  if (!node.is_structured()) return;
  for (auto& each : node) move_refs(each, name);
}

Json schemas() {
  Json all = Json::object();
  for (const EmbeddedSchema& each : embedded_schemas()) {
    Result<Json> schema = parse_json<Json>(each.text);
    LEASEHOLD_CHECK(schema.has_value(), "the tree's schemas are JSON");
    schema->erase("$schema");
    move_refs(*schema, std::string(each.name));
    all[std::string(each.name)] = *std::move(schema);
  }
  return all;
}

/// The schema of the type that a parameter's text is read as.
struct TypeOf {
  Json operator()(bool Request::*) const { return {{"type", "boolean"}}; }
  Json operator()(std::optional<int64_t> Request::*) const { return {{"type", "integer"}}; }
  template <class Other>
  Json operator()(Other) const {
    return {{"type", "string"}};
  }
};

Json parameter(const std::string& name, const std::string& what, Json type) {
  return {{"name", name},
          {"in", "query"},
          {"required", false},
          {"description", what},
          {"schema", std::move(type)}};
}

Json parameters_of(const RequestRow& row) {
  Json list = Json::array();
  if (row.subject) {
    const RequestFieldRow& field = request_field(*row.subject);
    list.push_back({{"name", field.key},
                    {"in", "path"},
                    {"required", true},
                    {"description", row.subject_help != nullptr ? row.subject_help : field.subject},
                    {"schema", {{"type", "string"}}}});
  }
  for (const RequestFieldRow& field : request_fields()) {
    if (!is_parameter(row, field) || field.field == RequestField::at) continue;
    list.push_back(parameter(field.key, field.what, std::visit(TypeOf{}, field.place)));
  }
  for (const HttpParameter& each : http_parameters()) {
    if (!each.of(row)) continue;
    const char* type = std::string_view(each.name) == "limit" ? "integer" : "string";
    list.push_back(parameter(each.name, each.what, {{"type", type}}));
  }
  return list;
}

Json answer(const std::string& what, const std::string& type, Json schema) {
  return {{"description", what}, {"content", {{type, {{"schema", std::move(schema)}}}}}};
}

Json with_refusals(Json good) {
  Json answers{{"200", std::move(good)}};
  const Json refused =
      answer("refused: what is wrong and what would be right", "application/json", ref("error"));
  for (const char* status : {"400", "401", "403", "404", "405", "429", "503"}) {
    answers[status] = refused;
  }
  answers["304"] = {{"description", "what If-None-Match names is still so"}};
  return answers;
}

Json wrapped(const RequestRow& row) {
  Json schema{{"type", "object"}, {"required", {"as_of", "result"}}};
  schema["properties"]["as_of"] = ref("as_of");
  schema["properties"]["nobody_leads"] = ref("nobody_leads");
  schema["properties"]["result"] = ref(row.name);
  if (is_paged(row) || row.takes_field(RequestField::after)) {
    schema["properties"]["next"] = {{"type", "string"},
                                    {"description", "there is more: ask again with it as `after`"}};
  }
  return schema;
}

Json operation(const std::string& id, const std::string& what, Json good) {
  return {{"operationId", id}, {"summary", what}, {"responses", with_refusals(std::move(good))}};
}

Json question_operation(const RequestRow& row) {
  Json get = operation(row.name, row.what,
                       answer("as `leasectl --json` prints it", "application/json", wrapped(row)));
  get["parameters"] = parameters_of(row);
  return get;
}

Json paths() {
  Json all;
  for (const RequestRow& row : questions()) {
    if (!is_served(row)) continue;
    std::string path = std::string("/api/v1/") + row.name;
    if (row.subject) path += std::string("/{") + request_field(*row.subject).key + "}";
    all[path]["get"] = question_operation(row);
  }
  all["/api/v1/about"]["get"] =
      operation("about", "the broker and who asks", answer("", "application/json", ref("about")));
  all["/api/v1/stream"]["get"] =
      operation("stream", "tells when something changed: server-sent events",
                answer("events `broker` and `state`, whose data are of the schemas stream-broker "
                       "and stream-state",
                       "text/event-stream", {{"type", "string"}}));
  all["/api/v1/openapi.json"]["get"] = operation(
      "openapi", "this description", answer("", "application/json", {{"type", "object"}}));
  all["/metrics"]["get"] = operation(
      "metrics", "numbers for Prometheus; lease-broker --describe-metrics says what each is",
      answer("", "text/plain", {{"type", "string"}}));
  constexpr std::pair<const char*, const char*> kProbes[] = {
      {"livez", "the process answers"},
      {"readyz", "it can do its work, or stands by and follows the log"},
      {"leader", "200: of the brokers of its database this one leads; 503: it stands by"}};
  for (const auto& [name, what] : kProbes) {
    Json& get = all[std::string("/") + name]["get"];
    get = operation(name, what, answer("ok", "text/plain", {{"type", "string"}}));
    get["security"] = Json::array();
  }
  return all;
}

}  // namespace

std::string openapi_text() {
  Json api;
  api["openapi"] = "3.1.0";
  api["info"] = {{"title", "Leasehold"},
                 {"version", kVersion},
                 {"description",
                  "Questions to a broker; nothing is changed by HTTP. Fields, parameters and paths "
                  "are added freely, none is taken away or changed within v1."}};
  api["security"] = Json::array({Json::object(), {{"token", Json::array()}}});
  api["paths"] = paths();
  api["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  api["components"]["schemas"] = schemas();
  return api.dump() + "\n";
}

}  // namespace leasehold
