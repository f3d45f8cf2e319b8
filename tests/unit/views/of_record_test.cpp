// A database shows which agents were lost, stopped or degraded, but not what was never recorded.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/attention/attention.hpp"
#include "broker/views/attention/doctor.hpp"
#include "broker/views/catalogue.hpp"
#include "common/version.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

Liveness of_record() {
  Liveness liveness;
  liveness.now = site::kNoon;
  liveness.agents_known = false;
  return liveness;
}

TableStyle record_style() {
  TableStyle style;
  style.of_record = true;
  return style;
}

}  // namespace

TEST_CASE("attention of a record names stopped and lost agents, whose beginning it does not know") {
  State state = site::state();
  state.clusters[1].contact = Contact::lost;
  state.clusters[1].stopped = true;
  state.clusters[1].expires_at = site::kNoon + 60'000;
  state.clusters[0].degraded = true;
  const Json found = view_attention(state, of_record());
  INFO(found.dump(2));
  REQUIRE(found.size() == 2);
  CHECK(found[0]["kind"] == "agent-stopped");
  CHECK(found[0]["subject"] == "west");
  CHECK(found[0]["since"].is_null());
  CHECK(found[0]["at"] == "2026-11-21T18:01:00.000Z");
  CHECK(found[1]["kind"] == "degraded");
  CHECK(find_request("attention")->needs_person(found));
}

TEST_CASE("status of a record says who was stopped, and counts him among those who need a person") {
  State state = site::state();
  state.clusters[1].contact = Contact::lost;
  state.clusters[1].stopped = true;
  const Json status = view_status(state, of_record());
  CHECK(status["attention"] == 1);
  REQUIRE(status["silent"].size() == 1);
  CHECK(status["silent"][0]["agent"] == "stopped");
  CHECK(status["silent"][0]["last_heard"].is_null());
  CHECK_THAT(table_of("status", status, record_style()), Catch::Contains("west: stopped"));
}

TEST_CASE("a record without needs does not say that nothing at all needs a person") {
  CHECK(table_of("attention", Json::array(), record_style()) ==
        "nothing needs a person, as far as the record shows\n");
  CHECK_THAT(table_of("status", view_status(site::state(), of_record()), record_style()),
             Catch::Contains("nothing needs a person, as far as the record shows"));
}

TEST_CASE("doctor of a record says what is not judged there, and nothing of clocks") {
  State state = site::state();
  for (Cluster& cluster : state.clusters) cluster.program_version = kVersion;
  state.clusters[2].contact = Contact::lost;  // whether an agent was refused is not known
  const Json found = view_doctor(state, of_record());
  INFO(found.dump(2));
  CHECK_FALSE(finds_fault(found));
  const std::string text = table_of("doctor", found, {});
  CHECK_THAT(text, Catch::Contains("exist; agents are not judged"));
  CHECK_THAT(text, Catch::Contains("refused agents are not judged"));
  CHECK_THAT(text, !Catch::Contains("clocks"));
}
