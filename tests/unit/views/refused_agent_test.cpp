// An agent that runs and is refused is shown with the reason, and nobody is advised to start it.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/attention/attention.hpp"
#include "broker/views/attention/doctor.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

State west_is_lost() {
  State state = site::state();
  state.clusters[1].contact = Contact::lost;
  return state;
}

/// West's agent reported orders that the database does not know, and sent nothing before.
Liveness west_is_refused() {
  Liveness liveness = site::liveness();
  liveness.clusters["west"].refused =
      RefusedMessage{Reason::database_older, "it knows of later orders", liveness.now};
  return liveness;
}

Json faults_of(const State& state, const Liveness& liveness, const char* check) {
  Json faults = Json::array();
  for (const Json& row : view_doctor(state, liveness)) {
    if (row["status"] != "ok" && row["check"] == check) faults.push_back(row);
  }
  return faults;
}

}  // namespace

TEST_CASE("an agent that runs and is refused is not told of as one that is to be started") {
  const State state = west_is_lost();
  Liveness liveness = west_is_refused();
  const Json found = view_attention(state, liveness);
  INFO(found.dump(2));
  REQUIRE(found.size() == 1);
  CHECK(found[0]["kind"] == "agent-refused");
  CHECK(found[0]["detail"] == "it knows of later orders; it has 1 slot of others");
  CHECK(found[0]["then"] == "nothing returns by itself");
  liveness.clusters["west"].last_report = liveness.now + 1;  // accepted, and lost after that
  CHECK(view_attention(state, liveness).size() == 2);
}

TEST_CASE("an agent that was stopped is told of also where another one was refused") {
  State state = west_is_lost();
  state.clusters[1].stopped = true;
  const Json found = view_attention(state, west_is_refused());
  REQUIRE(found.size() == 2);
  CHECK(found[0]["kind"] == "agent-stopped");
  CHECK(found[1]["kind"] == "agent-refused");
  CHECK(found[1]["detail"] == "it knows of later orders");
}

TEST_CASE("doctor tells why an agent is refused, not that none ever spoke for its cluster") {
  const State state = west_is_lost();
  Liveness liveness = west_is_refused();
  const Json refused = faults_of(state, liveness, "names");
  REQUIRE(refused.size() == 1);
  CHECK(refused[0]["finding"] ==
        "an agent connects for it and is refused: it knows of later orders");
  CHECK_THAT(refused[0]["mend"].get<std::string>(), Catch::Contains("newest copy of the database"));
  liveness.clusters["west"].refused->reason = Reason::wrong_key;
  CHECK(faults_of(state, liveness, "names").empty());
  CHECK(faults_of(state, liveness, "keys").size() == 1);
  liveness.clusters["west"].refused.reset();
  CHECK(faults_of(state, liveness, "names")[0]["finding"] == "no agent has ever connected for it");
}
