// The contradictions that the doctor finds.
#include "broker/views/attention/doctor.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "common/version.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;
using site::live;

namespace {

Json faults_of(const State& state, const Liveness& liveness) {
  Json faults = Json::array();
  for (const Json& row : view_doctor(state, liveness)) {
    if (row["status"] != "ok") faults.push_back(row);
  }
  return faults;
}

Json only_fault(const State& state, const Liveness& liveness) {
  const Json faults = faults_of(state, liveness);
  INFO(faults.dump(2));
  REQUIRE(faults.size() == 1);
  return faults[0];
}

State of_this_release() {
  State state = site::state();
  for (Cluster& cluster : state.clusters) cluster.program_version = kVersion;
  return state;
}

}  // namespace

TEST_CASE("doctor says of each kind of check that it holds where nothing is wrong") {
  const Json found = view_doctor(of_this_release(), live());
  CHECK(found.size() == 6);
  CHECK_FALSE(finds_fault(found));
  CHECK(table_of("doctor", found, {}).find("ok     names: ") == 0);
}

TEST_CASE("doctor finds names that nobody meant, with the one that was") {
  State state = of_this_release();
  Liveness liveness = live();
  liveness.clusters["wst"].refused = RefusedMessage{Reason::unknown_cluster, "?", liveness.now};
  CHECK(only_fault(state, liveness)["mend"] ==
        "write cluster = \"west\" in the configuration of that agent, if it is meant");
  liveness = live();
  state.clusters[2].contact = Contact::lost;
  CHECK(only_fault(state, liveness)["finding"] == "no agent has ever connected for it");
  state.clusters[2].boot = 3;  // it did once: attention reports it
  CHECK(faults_of(state, liveness).empty());
  state.policies[0].config.hosts = {"big9"};
  CHECK(only_fault(state, liveness)["subject"] == "big9@east");
}

TEST_CASE("doctor finds keys, clocks, releases and fences that contradict each other") {
  State state = of_this_release();
  Liveness liveness = live();
  state.config.clusters[0].public_key = state.config.clusters[1].public_key = "k";
  CHECK(only_fault(state, liveness)["check"] == "keys");
  state.config.clusters[1].public_key.clear();
  liveness.clusters["west"].refused = RefusedMessage{Reason::wrong_key, "another", liveness.now};
  CHECK(only_fault(state, liveness)["finding"] == "another");
  liveness = live();
  liveness.clusters["west"].clock_off = {3'000, 3'100};
  CHECK(only_fault(state, liveness)["finding"] ==
        "its machine's clock is at least 3s ahead of the broker's");
  liveness.clusters["west"].clock_off = {1'999, 20'000};  // a hello that was delayed
  CHECK(faults_of(state, liveness).empty());
  liveness = live();
  state.clusters[1].program_version = "0.0.1";
  CHECK(only_fault(state, liveness)["check"] == "versions");
  state.clusters[1].hosts.clear();
  CHECK(only_fault(state, liveness)["finding"].get<std::string>().ends_with(kVersion));
  state.clusters[1].hosts.emplace_back().present = true;
  CHECK_THAT(only_fault(state, liveness)["finding"].get<std::string>(),
             Catch::EndsWith("whether its hosts may be split: they are lent by slots"));
  state.clusters[1].hosts[0].facts.division = wire::Division::divisible;
  CHECK(only_fault(state, liveness)["finding"].get<std::string>().ends_with(kVersion));
  liveness.clusters["west"].agent_version = kVersion;  // a newer one was refused just now
  CHECK(faults_of(state, liveness).empty());
  state.policies[0].config.mem_mb = 100;
  const Json fence = only_fault(state, liveness);
  CHECK(fence["subject"] == "pool");
  CHECK(table_of("doctor", Json::array({fence}), {}).find("do: take mem_mb from the policy") !=
        std::string::npos);
  state.clusters[0].fences.memory = true;
  state.config.lease_ttl_ms = 60'000;
  CHECK(only_fault(state, liveness)["subject"] == "west");
  state.clusters[1].self_expiring = true;
  CHECK(faults_of(state, liveness).empty());
}
