// The list of fields of each table, against its schema and the order of its columns.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "broker/views/catalogue.hpp"

using namespace leasehold;

namespace {

using Names = std::set<std::string>;

Json schema_of_rows(const std::string& question) {
  std::ifstream file(LEASEHOLD_SOURCE_DIR "/schema/json/" + question + ".schema.json");
  return Json::parse(file)["items"];
}

/// Returns the names in the schema that every row has, as a list of fields writes them.
Names required_by(const Json& schema, const Listing& list) {
  Names names;
  for (const Json& each : schema["required"]) {
    const auto name = each.get<std::string>();
    if (!is_spread(list, name)) {
      names.insert(name);
      continue;
    }
    for (const auto& [inner, unused] : schema["properties"][name]["properties"].items()) {
      names.insert(name + "." + inner);
    }
  }
  return names;
}

Names names_of(std::span<const columns::Column> fields, bool shown) {
  Names names;
  for (const columns::Column& each : fields) {
    if (!shown || each.title != nullptr) names.insert(each.name);
  }
  return names;
}

}  // namespace

TEST_CASE("a table's list of fields is what its schema says that every row has") {
  int tables = 0;
  for (const RequestRow& question : questions()) {
    if (question.list == nullptr || question.list->shown == nullptr) continue;
    INFO(question.name);
    ++tables;
    const Json schema = schema_of_rows(question.name);
    const Names fields = names_of(question.list->shown(), false);
    CHECK(fields.size() == question.list->shown().size());
    for (const std::string& name : required_by(schema, *question.list)) {
      INFO(name);
      CHECK(fields.contains(name));
    }
    for (const std::string& name : fields) {
      INFO(name);
      CHECK(schema["properties"].contains(name.substr(0, name.find('.'))));
    }
  }
  CHECK(tables == 10);
}

TEST_CASE("the rows of usage by whose work it was are what their schema says") {
  Request request;
  request.command = "usage";
  request.whose = "user";
  const Listing& list = *row_for(request)->list;
  CHECK(names_of(list.shown(), false) == required_by(schema_of_rows("usage-by"), list));
  CHECK(names_of(columns_of(list), true) == names_of(list.shown(), true));
}

TEST_CASE("each field with a title has its place among the columns") {
  for (const RequestRow& question : questions()) {
    if (question.list == nullptr || question.list->shown == nullptr) continue;
    INFO(question.name);
    CHECK(names_of(columns_of(*question.list), true) == names_of(question.list->shown(), true));
  }
}
