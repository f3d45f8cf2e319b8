// The settings in which two configurations differ.
#include "broker/views/settings/config_changes.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "tests/unit/core/plan/site.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// Returns one line for each change: "export_policy pool slots_per_host 4 -> 3".
std::string changed_lines(const BrokerConfig& before, const BrokerConfig& after) {
  std::string text;
  for (const Json& row : setting_changes(settings_of(before), settings_of(after))) {
    const auto word = [&row](const char* key) {
      return row[key].is_null() ? std::string("-") : row[key].get<std::string>();
    };
    text += word("change") + " " + word("section") + " " + word("name") + " " + word("key");
    if (row["change"] == "changed") {
      text += " " + row["before"].dump() + " -> " + row["after"].dump();
    }
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a reload that only moves lines changes no setting") {
  const BrokerConfig before = site::state().config;
  BrokerConfig after = before;
  after.policies[0].source.line += 7;
  after.clusters[0].source.line += 7;
  CHECK(changed_lines(before, after).empty());
}

TEST_CASE("a reload that moves no slot still tells which settings it changes") {
  const BrokerConfig before = site::state().config;
  BrokerConfig after = before;
  after.reclaim_delay_ms = 1;
  after.policies[0].slots_per_host = 3;
  after.clusters[1].public_key = "k";
  CHECK(changed_lines(before, after) ==
        "changed broker - reclaim_delay_ms 600000 -> 1\n"
        "changed cluster west public_key \"\" -> \"k\"\n"
        "changed export_policy pool slots_per_host 4 -> 3\n");
}

TEST_CASE("to write the rule that is in force anyway is a change, which a reload carries out") {
  BrokerConfig before = site::state().config;
  const BrokerConfig after = before;
  before.policies[0].rule_by_default = true;
  CHECK(changed_lines(before, after) ==
        "changed export_policy pool rule is written false -> true\n");
}

TEST_CASE("sections that come and go are one change each, and so is another order") {
  const BrokerConfig before = site::state().config;
  BrokerConfig after = before;
  after.policies.clear();
  after.resources.push_back({"simlic", "east", 10, {{"west", 1}}, {}});
  CHECK(changed_lines(before, after) ==
        "removed export_policy pool -\nadded shared_resource simlic@east -\n");
  after = before;
  std::swap(after.clusters[0], after.clusters[1]);
  CHECK_THAT(changed_lines(before, after), Catch::Contains("order of clusters"));
}

TEST_CASE("a plan's numbers are settings, those of its windows too") {
  const BrokerConfig before =
      plan_config(plan_of({{"/A", "west", 20}, {"/B", "north", 10}}), 3, 10);
  BrokerConfig after = before;
  after.resource_groups[0].variants[0].consumers[0].owned = 15;
  after.resource_groups[0].variants.push_back(before.resource_groups[0].variants[0]);
  after.resource_groups[0].week = {{60, 1}};
  const std::string found = changed_lines(before, after);
  CHECK_THAT(found, Catch::Contains("changed consumer compute:/A owned 20 -> 15\n"));
  CHECK_THAT(found, Catch::Contains("consumer compute:/A owned (windows 1) null -> 20\n"));
  CHECK_THAT(found,
             Catch::Contains("resource_group compute windows [] -> [{\"minute_of_week\":60"));
}

TEST_CASE("people are shown each setting with what it is now and then") {
  const BrokerConfig before = site::state().config;
  BrokerConfig after = before;
  after.reclaim_delay_ms = 1;
  after.policies.clear();
  const Json preview{{"changes", Json::array()},
                     {"settings", setting_changes(settings_of(before), settings_of(after))},
                     {"warnings", Json::array({"b.toml:3: odd"})}};
  const std::string text = table_of("reload", preview, {});
  CHECK_THAT(text, Catch::Contains("[broker]  reclaim_delay_ms  600000     1\n"));
  CHECK_THAT(text, Catch::Contains("[export_policy] pool        (present)  (absent)\n"));
  CHECK_THAT(text, Catch::EndsWith("b.toml:3: odd (warning)\n"));
}

TEST_CASE("a shadow that comes or goes is a changed setting") {
  const BrokerConfig before = site::state().config;
  BrokerConfig after = before;
  after.policies[0].shadow = RuleKind::exclusive;
  CHECK(changed_lines(before, after) ==
        "changed export_policy pool shadow null -> \"exclusive\"\n");
  CHECK(changed_lines(after, before) ==
        "changed export_policy pool shadow \"exclusive\" -> null\n");
}
