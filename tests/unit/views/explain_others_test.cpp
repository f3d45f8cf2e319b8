// explain of anything but a lease: clusters with the work that waits there, hosts, consumers of a
// plan.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/explain/others.hpp"
#include "tests/unit/core/plan/site.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

Json explained(const State& state, const std::string& id) {
  const auto answer = view_explain_any(state, id, site::liveness());
  INFO((answer ? "" : describe(answer.error())));
  REQUIRE(answer.has_value());
  return *answer;
}

bool any_line(const Json& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(), [&](const Json& line) {
    return line.get<std::string>().find(part) != std::string::npos;
  });
}

wire::DemandBucket bucket(int32_t slots, int32_t jobs) {
  wire::DemandBucket made;
  made.slots_per_host = slots;
  made.hosts = 1;
  made.jobs = jobs;
  made.slots = slots * jobs;
  return made;
}

}  // namespace

TEST_CASE("explain of a cluster says what it has, why, and what its waiting work waits for") {
  State state = site::state();
  Json west = explained(state, "west");
  CHECK(west["kind"] == "cluster");
  CHECK(west["numbers"]["pending"] == 5);
  CHECK(west["numbers"]["imported"] == 1);
  CHECK(west["leases"][0]["id"] == "pool:west");
  CHECK(west["leases"][0]["reason"] == "tie");
  CHECK(any_line(west["work"], "does not say of what shape"));
  CHECK(any_line(west["would_change"], "pool:west: "));
  state.clusters[1].demand = wire::Demand{bucket(1, 2), bucket(4, 1)};
  west = explained(state, "west");
  REQUIRE(west["work"].size() == 2);
  CHECK(any_line(west["work"], "2 jobs wait for 1 slot on one host: no leased slot is idle"));
  state.slot_groups[0].at(0, kConsumer).used = 0;
  west = explained(state, "west");
  CHECK(any_line(west["work"], "for 1 slot on one host: a leased host has 1 idle slot"));
  CHECK(any_line(west["work"], "for 4 slots on one host: the most on one leased host is 1"));
  CHECK(explained(state, "east")["leases"][0]["role"] == "provider");
  const std::string text = table_of("explain", west, {});
  CHECK(text.find("work that waits:\n  - 2 jobs wait") != std::string::npos);
  CHECK(any_line(explained(state, "north")["would_change"], "an export policy"));
}

TEST_CASE("explain of a host says who has its slots and how more would be exported") {
  State state = site::state();
  Json host = explained(state, "big1@east");
  CHECK(host["kind"] == "host");
  CHECK(host["numbers"]["exported"] == 4);
  CHECK(host["numbers"]["lent"] == 1);
  CHECK(host["leases"][0]["slots"] == 1);
  CHECK(any_line(explained(state, "w1@west")["would_change"], "an export policy of west"));
  Host& big = state.clusters[0].hosts[0];
  big.facts.up = false;
  big.facts.not_up = wire::NotUp::waking;
  CHECK(explained(state, "big1@east")["sentence"].get<std::string>().find(
            "east is switching it on") != std::string::npos);
  CHECK(any_line(explained(state, "big1@east")["would_change"], "when east calls it up again"));
  big.facts.not_up = wire::NotUp::asleep;
  CHECK(any_line(explained(state, "big1@east")["would_change"],
                 "A job of east switches it on, an administrator there (scontrol update"));
  big.facts.not_up = wire::NotUp::unsaid;
  big.closed = true;
  big.facts.up = false;
  big.closed_for = {"west"};
  big.closed_for_orders.resize(1);
  state.slot_groups[0].hosts[0].target = 6;
  host = explained(state, "big1@east");
  CHECK(any_line(host["would_change"], "leasectl open big1@east lets"));
  CHECK(any_line(host["would_change"], "leasectl open big1@east --for west"));
  CHECK(any_line(host["would_change"], "calls it up again"));
  CHECK(any_line(host["would_change"], "2 slots more are to be exported"));
  CHECK(host["sentence"].get<std::string>().find("an operator closed it") != std::string::npos);
}

TEST_CASE("explain of a consumer sets its quota against what it has; of a parent its leaves'") {
  using namespace leasehold::test;
  Site site(plan_config(plan_of({{"/A/x", "west", 2, 0}, {"/A/y", "north", 2, 0}}), 1, 4));
  site.add_hosts("east", 1, 4);
  site.start();
  for (const char* cluster : {"east", "west", "north"}) site.hello(cluster);
  site.run_until_idle();
  site.pass(60'000);
  const Json leaf = explained(site.state, "/A/x");
  CHECK(leaf["kind"] == "consumer");
  REQUIRE(leaf["leases"].size() == 1);
  CHECK(leaf["numbers"].contains("quota"));
  CHECK(leaf["waits_for"] == leaf["leases"][0]["waits_for"]);
  CHECK(explained(site.state, "/A")["leases"].size() == 2);
  CHECK(table_of("explain", leaf, {}).find("/A/x  consumer\n") == 0);
}

TEST_CASE("explain of a name that nobody knows names the nearest of all that could be meant") {
  const State state = site::state();
  const auto message = [&](const std::string& id) {
    const auto answer = view_explain_any(state, id, {});
    REQUIRE_FALSE(answer.has_value());
    CHECK(answer.error().code == ErrorCode::unknown);
    return answer.error().message;
  };
  CHECK(message("wst").find("did you mean 'west'?") != std::string::npos);
  CHECK(message("big2@east").find("did you mean 'big1@east'?") != std::string::npos);
  CHECK(message("pool:wst").find("did you mean 'pool:west'?") != std::string::npos);
  CHECK(message("@").find("did you mean") == std::string::npos);
  CHECK(view_explain_any(state, "pool:west", {})->at("kind") == "lease");
}

TEST_CASE("explain of a cluster with very many leases tells the first and counts the rest") {
  State state = site::state();
  for (int i = 0; i < 60; ++i) {
    SlotGroup more = site::group({});
    more.generation = static_cast<uint64_t>(i + 1);
    add_group(state, std::move(more));
  }
  const Json west = explained(state, "west");
  CHECK(west["leases"].size() == explanation::kLeasesMost);
  CHECK(west["leases_left"] == 11);
  CHECK(table_of("explain", west, {}).find("  and 11 more\n") != std::string::npos);
}
