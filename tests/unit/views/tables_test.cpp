
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/views.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

TEST_CASE("tables align their columns and end without blanks") {
  const std::string text = table_of("leases", view_leases(site::state()), {});
  CHECK(text ==
        "LEASE      PROVIDER  USED/AVAIL  CONSUMER  USED/AVAIL  MOVING  PHASE   FLIPS  "
        "NEXT EVALUATION       REASON\n"
        "pool:west  east             2/3  west             1/1       0  active      0  "
        "2026-11-21 18:10:00Z  tie\n");
}

TEST_CASE("tables use colour only where they are told to") {
  const Json rows = view_leases(site::state());
  CHECK(table_of("leases", rows, {}).find('\033') == std::string::npos);
  CHECK_THAT(table_of("leases", rows, {.colour = true}), Catch::Contains("\033[32mactive\033[0m"));
}

TEST_CASE("an empty answer is one friendly line") {
  CHECK(table_of("leases", Json::array(), {}) == "there are no leases\n");
  CHECK(table_of("clusters", Json::array(), {}) == "no cluster is configured\n");
  CHECK(table_of("hosts", Json::array(), {.exported_only = true}) == "no host is exported\n");
  const Json nothing{
      {"changes", Json::array()}, {"settings", Json::array()}, {"warnings", Json::array()}};
  CHECK(table_of("reload", nothing, {}) == "no lease gains or loses slots\n");
}

TEST_CASE("names from outside cannot steer a terminal") {
  State state = site::state();
  state.clusters[0].hosts[0].facts.name = "big1\033[2J";
  const std::string text = table_of("hosts", view_hosts(state, site::liveness(), false), {});
  CHECK(text.find('\033') == std::string::npos);
  CHECK_THAT(text, Catch::Contains("big1\\u001b[2J"));
}

TEST_CASE("a refusal's words stand below the table of clusters, once each") {
  Liveness liveness = site::liveness();
  liveness.clusters["east"].refused =
      RefusedMessage{Reason::second_agent, "another agent speaks for east", site::kNoon};
  const std::string text = table_of("clusters", view_clusters(site::state(), liveness), {});
  const size_t first = text.find("east: another agent speaks for east\n");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("east: another agent speaks for east\n", first + 1) == std::string::npos);
}

TEST_CASE("clusters -l shows in which shapes work waits and when what runs is expected to end") {
  State state = site::state();
  state.clusters[1].demand = wire::Demand{
      {4, 2, wire::TimeClass::hour_1, site::kNoon.ms, 3, 24, {"LINUX64", "a\033rm"}, true},
      {1, 1, wire::TimeClass::unknown, 0, 2, 2, {}}};
  state.clusters[1].ending =
      wire::Ending{{{wire::TimeClass::minute_1, 3}, {wire::TimeClass::longer, 1}}, 125};
  const auto shown = [&] {
    return table_of("clusters", view_clusters(state, site::liveness(), {}, true), {});
  };
  CHECK_THAT(shown(),
             Catch::EndsWith("\n"
                             "CLUSTER  JOBS WAIT  SLOTS  ON A HOST  HOSTS  LIMIT    OLDEST"
                             "                HOST TYPES\n"
                             "west             3     24   4, whole      2  1h       "
                             "2026-11-21 18:00:00Z  LINUX64 a\\u001brm\n"
                             "west             2      2          1      1  unknown  -"
                             "                     any\n"
                             "\n"
                             "CLUSTER  ENDS WITHIN  SLOTS\n"
                             "west     1m               3\n"
                             "west     longer           1\n"
                             "\n"
                             "east: 0 slots wanted; its agent does not say in which shapes\n"
                             "west: expected ends were wrong by 12.5 % of the length in the mean\n"
                             "north: 0 slots wanted; its agent does not say in which shapes\n"));
  state.clusters[1].ending->error_milli = -1;
  CHECK(shown().find("wrong by") == std::string::npos);
  const std::string plain = table_of("clusters", view_clusters(state, site::liveness()), {});
  CHECK(plain.find("JOBS WAIT") == std::string::npos);
}

TEST_CASE("every view can be read by people") {
  const State state = site::state();
  CHECK_THAT(table_of("lease", view_lease(state, {0, kConsumer}, Json::array()), {}),
             Catch::Contains("big1"));
  CHECK_THAT(table_of("policies", view_policies(state, true), {.details = true}),
             Catch::Contains("reclaim_grace_ms") && Catch::Contains("broker.toml:12"));
  CHECK_THAT(table_of("policies", view_policies(state, false), {}),
             Catch::Contains("big1 x 4") && Catch::Contains("west=1"));
  CHECK_THAT(table_of("explain", view_explain(state, {0, kConsumer}), {}),
             Catch::Contains("tie: both sides") && Catch::Contains("what would change it:"));
}

TEST_CASE("consumers shows whole paths, as every command takes them") {
  Json row{{"resource_group", "compute"}, {"path", "/research/genomics"}};
  for (const char* key : {"cluster", "demand", "quota", "allocated", "owned", "owned_in_use",
                          "borrowed", "lent", "shared", "free", "reason"}) {
    row[key] = nullptr;
  }
  row["borrowed_from"] = row["lent_to"] = Json::object();
  CHECK_THAT(table_of("consumers", Json::array({row}), {}),
             Catch::Contains("\n/research/genomics "));
}

TEST_CASE("groups without windows show none, not 0 of 1") {
  Json row{{"resource_group", "compute"}, {"variant", 0}, {"variants", 1}, {"cycle_ms", 10'000}};
  row["policies"] = Json::array();
  row["switches"] = Json::object();
  const auto shown = [&row] { return table_of("groups", Json::array({row}), {}); };
  CHECK(shown().find(" of ") == std::string::npos);
  row["variants"] = 3;
  CHECK_THAT(shown(), Catch::Contains("none of 2"));
  row["variant"] = 2;
  CHECK_THAT(shown(), Catch::Contains("2 of 2"));
}
