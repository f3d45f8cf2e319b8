// The answers to every question as a broker of another version may send them: each field absent, or
// of another kind. They are shown as a table, or throw only a Json::exception, which leasectl turns
// into one error (other_versions_test.cpp).
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "broker/ctl/watch/picture.hpp"
#include "broker/replay/timeline.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/lists/forms.hpp"
#include "broker/views/lists/sort.hpp"
#include "broker/views/lists/summary.hpp"

using namespace leasehold;

namespace {

using Pointer = Json::json_pointer;
using Show = std::function<void(const Json& answer)>;

Json schema_of(const std::string& question) {
  std::ifstream file(LEASEHOLD_SOURCE_DIR "/schema/json/" + question + ".schema.json");
  return Json::parse(file);
}

/// Prefers objects and lists to texts; null only where nothing else is allowed.
std::string kind_of(const Json& type) {
  if (type.is_string()) return type.get<std::string>();
  for (const char* kind : {"object", "array", "string", "integer", "number", "boolean"}) {
    if (std::find(type.begin(), type.end(), kind) != type.end()) return kind;
  }
  return "null";
}

Json plain_sample(const std::string& kind, const Json& schema) {
  const bool is_time = schema.contains("format") && schema["format"] == "date-time";
  if (kind == "string") return is_time ? "2026-11-21T17:01:00.000Z" : "text";
  if (kind == "integer") return 3;
  if (kind == "number") return 1.5;
  return kind == "boolean" ? Json(true) : Json(nullptr);
}

/// Returns a value that the schema allows, with every named field and a row in each list.
Json sample(const Json& schema) {
  for (const char* choice : {"anyOf", "oneOf"}) {
    if (schema.contains(choice)) return sample(schema[choice][0]);
  }
  if (schema.contains("const")) return schema["const"];
  if (schema.contains("enum")) return schema["enum"][0];
  const std::string kind = schema.contains("type") ? kind_of(schema["type"]) : "string";
  if (kind == "array") return Json::array({sample(schema.value("items", Json::object()))});
  if (kind != "object") return plain_sample(kind, schema);
  Json object = Json::object();
  const Json fields = schema.value("properties", Json::object());
  for (const auto& [name, field] : fields.items()) object[name] = sample(field);
  const Json others = schema.value("additionalProperties", Json());
  if (others.is_object()) object["name"] = sample(others);
  return object;
}

/// Returns a sample of each alternative of the answer.
std::vector<Json> samples_of(const std::string& question) {
  const Json schema = schema_of(question);
  if (!schema.contains("oneOf")) return {sample(schema)};
  std::vector<Json> list;
  for (const Json& each : schema["oneOf"]) list.push_back(sample(each));
  return list;
}

void add_places(const Json& value, const Pointer& at, std::vector<Pointer>& places) {
  places.push_back(at);
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) add_places(value[i], at / i, places);
  }
  if (!value.is_object()) return;
  for (const auto& [name, inner] : value.items()) add_places(inner, at / name, places);
}

/// Returns every place in the answer except its root.
std::vector<Pointer> places_in(const Json& answer) {
  std::vector<Pointer> places;
  add_places(answer, Pointer(), places);
  places.erase(places.begin());
  return places;
}

void remove_at(Json& answer, const Pointer& place) {
  Json& parent = answer[place.parent_pointer()];
  if (parent.is_array()) {
    parent.erase(std::stoul(place.back()));
  } else {
    parent.erase(place.back());
  }
}

/// Any other exception passes through, and fails the test.
bool is_shown(const Show& show, const Json& answer) {
  try {
    show(answer);
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

/// A field that is absent or null is an empty cell; one of another kind causes at worst the
/// exception that becomes an error.
void sweep(const Json& answer, const Show& show) {
  const Json others[] = {7,
                         -1.5,
                         "text",
                         true,
                         UINT64_MAX,
                         Json::array(),
                         {{"x", 1}},
                         Json::array({7}),
                         Json::object(),
                         {{{"x", Json::array()}}}};
  for (const Pointer& place : places_in(answer)) {
    INFO(place.to_string());
    Json changed = answer;
    remove_at(changed, place);
    CHECK(is_shown(show, changed));
    changed = answer;
    changed[place] = nullptr;
    const bool is_field = answer[place.parent_pointer()].is_object();
    CHECK((is_shown(show, changed) || !is_field));
    for (const Json& other : others) {
      changed[place] = other;
      is_shown(show, changed);
    }
  }
  for (const Json& other : others) is_shown(show, other);
}

void show_list_forms(const RequestRow& row, const Json& rows) {
  names_text(rows, *row.list);
  rows_csv(rows, *row.list, true);
  CHECK(fields_text(rows, row.list->id, {}).has_value() ==
        fields_text(rows, row.list->id, {.wide = true}).has_value());
  summary_text(summary_of(rows, *row.list));
  Json sorted = rows;
  if (!rows.empty()) static_cast<void>(sort_rows(sorted, row.list->id));
}

void show_all_ways(const RequestRow& row, const Json& answer) {
  table_of(row.name, answer, {});
  table_of(row.name, answer, {.colour = true, .details = true, .width = 80});
  table_of(row.name, answer, {.wide = true, .header = false, .of_record = true});
  if (row.needs_person != nullptr) row.needs_person(answer);
  if (row.list != nullptr) show_list_forms(row, require_list(answer));
}

ctl::Shown watched() {
  ctl::Shown shown;
  shown.status = sample(schema_of("status"));
  shown.leases = sample(schema_of("leases"));
  shown.decisions = sample(schema_of("history"));
  return shown;
}

void sweep_part(Json ctl::Shown::*part) {
  const ctl::Shown whole = watched();
  sweep(whole.*part, [&](const Json& changed) {
    ctl::Shown shown = whole;
    shown.*part = changed;
    ctl::picture(shown, {}, true, true);
  });
}

}  // namespace

TEST_CASE(
    "a table lacks a cell where an answer lacks a field, and dies of no other kind of value") {
  for (const RequestRow& row : questions()) {
    if (row.table == nullptr) continue;
    INFO(row.name);
    for (const Json& answer : samples_of(row.name)) {
      show_all_ways(row, answer);
      sweep(answer, [&row](const Json& changed) { show_all_ways(row, changed); });
    }
  }
}

TEST_CASE("the preview of a reload is shown whatever fields it lacks") {
  const RequestRow& row = *find_request("reload");
  sweep(sample(schema_of("reload")), [&row](const Json& changed) { show_all_ways(row, changed); });
}

TEST_CASE("history is shown whatever fields its rows lack") {
  const Json answer = sample(schema_of("history"));
  CHECK(history_csv(answer, false).find("3,2026-11-21T17:01:00.000Z,text,") == 0);
  sweep(answer, [](const Json& changed) {
    timeline(require_list(changed), true);
    history_csv(changed, true);
  });
}

TEST_CASE("watch shows whatever fields the answers lack") {
  for (Json ctl::Shown::*part :
       {&ctl::Shown::status, &ctl::Shown::leases, &ctl::Shown::decisions}) {
    sweep_part(part);
  }
}

TEST_CASE("an answer that is nothing, or no list where rows are meant, is not shown as empty") {
  for (const RequestRow& row : questions()) {
    if (row.table == nullptr) continue;
    INFO(row.name);
    CHECK_THROWS_AS(table_of(row.name, nullptr, {}), Json::exception);
    CHECK_THROWS_AS(table_of(row.name, 7, {}), Json::exception);
    CHECK_THROWS_AS(table_of(row.name, Json::array({7}), {}), Json::exception);
  }
}
