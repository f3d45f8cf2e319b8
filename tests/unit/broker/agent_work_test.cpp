// Agents' statements about their work, through the port: how long one holds, which clock counts,
// how much of it is recorded.
#include "broker/ports/agents/statements/idle_elsewhere.hpp"
#include "tests/unit/broker/port_fixture.hpp"
#include "tests/unit/views/site.hpp"

namespace leasehold {

using namespace port_fixture;

TEST_CASE("what work looks like stands until the session says otherwise, in what order it may") {
  PortFixture place;
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  const auto known = [&]() -> const Cluster& {
    return place.state().clusters[find_cluster(place.state(), "east")];
  };
  // This is an older agent's report: `pending` means one bucket of single slots.
  REQUIRE(place.say("r", kEast, report(11, 1, 7)) == "taken");
  CHECK_FALSE((known().demand || known().ending));
  wire::Report said = report(11, 2, 24);
  said.full = false;
  said.demand = wire::Demand{{4, 2, wire::TimeClass::hour_1, 1'000'000'000'000, 3, 24, {}}};
  place.put("r", kEast, said);
  wire::Report more = report(11, 3, 24);  // in the same turn
  more.full = false;
  more.ending = wire::Ending{{{wire::TimeClass::day_1, 3}}, -1};
  place.put("r", kEast, more);
  const int before = place.stepped;
  place.read();
  CHECK(place.stepped == before + 1);
  CHECK(known().demand == said.demand);
  CHECK(known().ending == more.ending);
  // Repeating the full demand unchanged is no event; nor is a report without it.
  said.full = true;
  said.number = 4;
  said.ending = more.ending;
  REQUIRE(place.say("r", kEast, said) == "taken");
  REQUIRE(place.say("r", kEast, report(11, 5, 24)) == "taken");
  CHECK(place.stepped == before + 1);
  CHECK(known().demand == said.demand);
  said.number = 6;
  said.demand->assign(17, said.demand->front());
  CHECK(place.say("r", kEast, said) == "bad-report");
  CHECK(known().demand->size() == 1);
}

TEST_CASE("what is idle on a cluster's own hosts is recorded where a lease goes by demand alone") {
  State state = site::state();
  ClusterLiveness live;
  live.used_by_host["big1"] = 5;  // 2 of them on the exported slots
  CHECK_FALSE(any_by_demand(state, 0));
  state.policies[0].config.rule = RuleKind::demand_aware;
  CHECK((any_by_demand(state, 0) && any_by_demand(state, 1) && !any_by_demand(state, 2)));
  CHECK(idle_elsewhere(state, 0, live, {}) == std::vector<int32_t>{1});  // 8 - 4 exported - 3
  live.used_by_host["big1"] = 8;
  CHECK(idle_elsewhere(state, 0, live, {}) == std::vector<int32_t>{});
  CHECK(idle_elsewhere(state, 1, live, {}) == std::vector<int32_t>{});  // nothing is known of w1
  live.used_by_host["w1"] = 0;
  CHECK(idle_elsewhere(state, 1, live, {}) == std::vector<int32_t>{2});
}

TEST_CASE("a job that ends on an exported slot makes no slot idle beside it, told twice or not") {
  State state = site::state();
  ClusterLiveness live;
  live.used_by_host["big1"] = 3;  // one of the two jobs on the exported slots has ended
  wire::StateBlock said;
  said.groups.push_back({state.slot_groups[0].generation, 1, true, 0, 0, 1});
  said.hosts.push_back({0, 4, 1, true});
  CHECK(idle_elsewhere(state, 0, live, said) == std::vector<int32_t>{2});  // 8 - 4 exported - 2
  CHECK(idle_beside(state, 0, live, said) == IdleBeside{{0, 2}});
  state.slot_groups[0].at(0, kProvider).used = 1;  // it is stepped, and said again
  CHECK(idle_elsewhere(state, 0, live, said) == std::vector<int32_t>{2});
  said.groups[0].generation += 1'000'000;  // a group that is gone
  CHECK(idle_beside(state, 0, live, said) == IdleBeside{{0, 2}});
}

namespace {

wire::Heartbeat beat_with(uint64_t session, uint64_t number, std::vector<uint64_t> ended) {
  wire::Heartbeat beat;
  beat.session = session;
  beat.number = number;
  beat.ended.emplace();
  for (const uint64_t one : ended) {
    beat.ended->push_back({one, "42", wire::Fate::requeued, 0, Reason::none, 1, 5, 6, -1, ""});
  }
  return beat;
}

/// The number up to which the answer says that ended work is recorded.
uint64_t recorded(PortFixture& place, const wire::Heartbeat& beat) {
  place.put("r", kEast, beat);
  for (const auto& [to, answer] : place.read()) {
    const auto* answered = std::get_if<wire::HeartbeatAnswer>(&answer);
    if (answered != nullptr && answered->number != 0) return answered->ended.value();
  }
  FAIL("the heartbeat was not answered");
  return 0;
}

}  // namespace

TEST_CASE("work that has ended is recorded once, and told to be so when that is committed") {
  PortFixture place;
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  REQUIRE(place.say("r", kEast, report(11, 1, 0)) == "taken");
  const int before = place.stepped;
  CHECK(recorded(place, beat_with(11, 1, {})) == 0);
  CHECK(place.stepped == before);
  CHECK(recorded(place, beat_with(11, 2, {1, 2})) == 0);  // in this turn it is not committed
  CHECK(place.stepped == before + 1);
  CHECK(recorded(place, beat_with(11, 3, {1, 2, 3})) == 2);
  CHECK(place.stepped == before + 2);
  CHECK(recorded(place, beat_with(11, 4, {2, 3, 3})) == 3);
  CHECK(place.stepped == before + 2);
  // A new session of the same state goes on; after a failed commit nothing is known.
  REQUIRE(place.say("r2", kEast, hello("east", 12, 2)) == "taken");
  place.put("r2", kEast, beat_with(12, 1, {3}));
  const int after = place.stepped;
  place.read();
  CHECK(place.stepped == after);
  place.port().forget_sessions();
  wire::Hello anew = hello("east", 13, 3);
  anew.state_id = 99;
  CHECK(place.say("r3", kEast, anew) != "bad-report");
}

TEST_CASE("ages of work that waits are by the broker's clock, however wrong the agent's is") {
  PortFixture place;
  constexpr int64_t kHour = 3'600'000;
  wire::Hello greeting = hello("east", 11);
  greeting.wall_ms = place.now().ms + kHour;
  REQUIRE(place.say("r", kEast, greeting) == "taken");
  const int64_t submitted = place.now().ms / 10'000 * 10'000;
  wire::Report said = report(11, 1, 3);
  said.demand = wire::Demand{{1, 1, wire::TimeClass::hour_1, submitted + kHour, 1, 1, {}},
                             {2, 1, wire::TimeClass::hour_1, 0, 1, 2, {}},
                             {3, 1, wire::TimeClass::hour_1, 5, 1, 3, {}}};
  REQUIRE(place.say("r", kEast, said) == "taken");
  const wire::Demand& known =
      place.state().clusters[find_cluster(place.state(), "east")].demand.value();
  CHECK(known[0].oldest_ms == submitted);
  CHECK(known[1].oldest_ms == 0);  // not known
  CHECK(known[2].oldest_ms == 1);
}

TEST_CASE("an agent whose demand changes in each report adds its rate to the record") {
  PortFixture place;
  place.port().limit_record(500'000);
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  const int before = place.stepped;
  wire::Report said = report(11, 0, 7);
  said.demand = wire::Demand(16, {1, 1, wire::TimeClass::hour_1, 0, 1, 1, {}});
  for (int i = 0; i < 3'000; ++i) {
    ++said.number;
    ++said.demand->back().jobs;
    place.put("r", kEast, said);
    place.read();
  }
  CHECK(place.stepped - before < 1'500);
  CHECK(place.port().liveness().clusters["east"].late_since.has_value());
  place.pass(60'000);
  place.read();
  CHECK(place.state().clusters[find_cluster(place.state(), "east")].demand == said.demand);
}

}  // namespace leasehold
