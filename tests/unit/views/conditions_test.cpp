// Present conditions of a lease, which do not depend on the last evaluation.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/views.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

Json conditions(const State& state, const Liveness& liveness = {}) {
  return view_explain(state, {0, kConsumer}, liveness)["conditions"];
}

/// Returns the only condition.
Json only(const State& state, const Liveness& liveness = {}) {
  const Json found = conditions(state, liveness);
  INFO(found.dump(2));
  REQUIRE(found.size() == 1);
  return found[0];
}

}  // namespace

TEST_CASE("explain has no conditions where nothing keeps a lease from being as its rule says") {
  CHECK(conditions(site::state(), site::liveness()).empty());
  State state = site::state();
  state.frozen = true;
  state.slot_groups[0].phase = Phase::closed;
  CHECK(conditions(state).empty());
}

TEST_CASE("explain says that leases are frozen and that the broker observes, before the decision") {
  State state = site::state();
  state.frozen = true;
  state.config.mode = Mode::observe;
  const Json found = conditions(state);
  REQUIRE(found.size() == 2);
  CHECK(found[0]["condition"] == "observe");
  CHECK(found[1]["condition"] == "frozen");
  CHECK(found[1]["command"] == "leasectl thaw");
  const std::string text = table_of("explain", view_explain(state, {0, kConsumer}), {});
  CHECK(text.find("frozen: an operator") < text.find("the last evaluation:"));
  CHECK(text.find("the last evaluation:") < text.find("tie: both sides"));
}

TEST_CASE("explain says that a cluster is drained and a host closed, with the way back") {
  State state = site::state();
  state.clusters[1].draining_imports = true;
  state.clusters[0].hosts[0].closed_for = {"west"};
  state.clusters[0].hosts[0].closed_for_orders.resize(1);
  Json found = conditions(state);
  REQUIRE(found.size() == 2);
  CHECK(found[0]["subject"] == "west");
  CHECK(found[0]["command"] == "leasectl resume west");
  CHECK(found[1]["subject"] == "big1@east");
  CHECK(found[1]["command"] == "leasectl open big1@east --for west");
  state.clusters[1].draining_imports = false;
  state.clusters[0].hosts[0].closed_for.clear();
  state.clusters[0].hosts[0].closed = true;
  CHECK(only(state)["command"] == "leasectl open big1@east");
}

TEST_CASE("explain says when an order ends by itself, and who gave it, before the decision") {
  State state = site::state();
  state.frozen = true;
  state.freeze_order = {"ana", "local", "disk swap", site::kNoon, site::kNoon + 60'000};
  const Json frozen = only(state);
  CHECK(frozen["then"] == "the broker takes the order back");
  CHECK(frozen["at"] == "2026-11-21T18:01:00.000Z");
  const std::string text = table_of("explain", view_explain(state, {0, kConsumer}), {});
  CHECK(text.find("ordered: freeze by ana") < text.find("the last evaluation:"));
  CHECK_THAT(text, Catch::Contains("takes the order back at 2026-11-21 18:01:00Z"));
}

TEST_CASE("explain of a lost consumer says when its slots return, or that they do not") {
  State state = site::state();
  Cluster& west = state.clusters[1];
  west.contact = Contact::lost;
  Json lost = only(state);
  CHECK(lost["condition"] == "lost");
  CHECK_THAT(lost["then"].get<std::string>(), Catch::Contains("lease_ttl is not set"));
  CHECK_THAT(lost["command"].get<std::string>(), Catch::Contains("leasectl forget west"));
  CHECK(lost["at"].is_null());
  state.config.lease_ttl_ms = 600'000;
  const auto then = [&state] { return only(state)["then"].get<std::string>(); };
  CHECK_THAT(then(), Catch::Contains("did not state that its workload manager closes slots"));
  west.self_expiring = true;  // Symptom: it was said of an agent that had stated it.
  CHECK_THAT(then(), Catch::Contains("did not state that its workload manager goes by it"));
  state.config.mode = Mode::observe;
  CHECK_THAT(conditions(state, {}).back()["then"].get<std::string>(),
             Catch::Contains("because the mode is observe"));
  state.config.mode = Mode::lease;
  west.expires_at = site::kNoon + 60'000;
  CHECK(only(state)["at"] == "2026-11-21T18:01:00.000Z");
  CHECK_THAT(table_of("explain", view_explain(state, {0, kConsumer}), {}),
             Catch::Contains("returns to its providers at 2026-11-21 18:01:00Z"));
}

TEST_CASE(
    "explain of a provider that was stopped says so, and that nothing moves before it is heard") {
  State state = site::state();
  state.clusters[0].contact = Contact::lost;
  state.clusters[0].stopped = true;
  const Json stopped = only(state);
  CHECK(stopped["condition"] == "stopped");
  CHECK(stopped["subject"] == "east");
  CHECK(stopped["command"] == "start the agent of east");
}

TEST_CASE("explain from a database says who was stopped or lost: the record has it") {
  State state = site::state();
  state.clusters[0].contact = state.clusters[1].contact = Contact::lost;
  state.clusters[0].stopped = true;
  Liveness liveness;
  liveness.now = site::kNoon;
  liveness.agents_known = false;
  const Json found = conditions(state, liveness);
  REQUIRE(found.size() == 2);
  CHECK(found[0]["condition"] == "stopped");
  CHECK(found[0]["subject"] == "east");
  CHECK(found[1]["condition"] == "lost");
  CHECK(found[1]["subject"] == "west");
}

TEST_CASE("clusters names the side that was stopped, in the rows of both") {
  State state = site::state();
  state.clusters[1].contact = Contact::lost;
  state.clusters[1].stopped = true;
  const Json rows = view_clusters(state, site::liveness());
  const std::string text = table_of("clusters", rows, {});
  CHECK_THAT(text, Catch::Contains("west: the agent of west was stopped") &&
                       Catch::Contains("east: the agent of west was stopped"));
  CHECK_THAT(text, Catch::Contains("  stopped "));
  CHECK(rows[0]["reason"] == "agent-stopped");
  CHECK(rows[1]["agent"] == "lost");
  CHECK(rows[1]["stopped"] == true);
}

TEST_CASE("explain of a silent side says when it will count as lost, and what follows") {
  State state = site::state();
  state.clusters[1].lease_bound_ms = 600'000;
  Liveness liveness = site::liveness();
  liveness.clusters["west"].last_heartbeat = site::kNoon;
  liveness.now = site::kNoon + 29'999;  // agent_timeout is a minute
  CHECK(conditions(state, liveness).empty());
  liveness.clusters["east"].last_report = site::kNoon + 30'000;
  liveness.now = site::kNoon + 30'000;
  const Json silent = only(state, liveness);
  CHECK(silent["condition"] == "silent");
  CHECK(silent["subject"] == "west");
  CHECK(silent["at"] == "2026-11-21T18:01:00.000Z");
  CHECK_THAT(
      silent["then"].get<std::string>(),
      Catch::Contains("agent_timeout") && Catch::Contains("what it leases returns 12m7s200ms"));
}

TEST_CASE("explain names hosts that are down, gone or known to nobody") {
  State state = site::state();
  state.slot_groups[0].holdings[kConsumer].up = false;
  CHECK_THAT(only(state)["sentence"].get<std::string>(),
             Catch::StartsWith("big1@east is down, drained or unknown at west"));
  state.slot_groups[0].holdings[kConsumer].up = true;
  state.slot_groups[0].holdings[kProvider].up = false;
  CHECK_THAT(only(state)["sentence"].get<std::string>(),
             Catch::StartsWith("big1@east is down or drained at east"));
  state.clusters[0].degraded = true;
  CHECK(conditions(state)[0]["condition"] == "degraded");
  state = site::state();
  state.clusters[0].hosts[0].present = false;
  const Json found = conditions(state);
  REQUIRE(found.size() == 2);  // the policy names it, and its slots are exported
  CHECK(found[0]["condition"] == "host-unknown");
  CHECK(found[1]["condition"] == "host-absent");
}

TEST_CASE("explain names twenty hosts and counts the others") {
  State state = site::state();
  state.policies[0].config.hosts.clear();
  for (int i = 0; i < 23; ++i) state.policies[0].config.hosts.push_back("x" + std::to_string(i));
  const Json found = conditions(state);
  REQUIRE(found.size() == 21);
  CHECK(found[20]["sentence"] == "and 3 more hosts");
}

TEST_CASE(
    "leases count the slots that lie on hosts that are down, and what its holder is asked for") {
  State state = site::state({.provider_held = 3, .provider_used = 2, .consumer_held = 1});
  CHECK(view_leases(state)[0]["slots_down"] == Json({{"provider", 0}, {"consumer", 0}}));
  Transfer transfer;
  transfer.slots_wanted = 2;
  transfer.from = kProvider;
  transfer.to = kConsumer;
  state.slot_groups[0].transfers.push_back(transfer);
  Json row = view_leases(state)[0];
  CHECK(row["in_transfer"] == 0);
  CHECK(row["moving"] == 2);
  CHECK_THAT(table_of("leases", Json::array({row}), {}), Catch::Contains("      2  active"));
  state.slot_groups[0].transfers[0].inactive = false;  // as jobs end: nothing is on its way yet
  state.slot_groups[0].transfers[0].lowering = wire::Lowering::shrink;
  CHECK(view_leases(state)[0]["moving"] == 0);
  state.slot_groups[0].holdings[kConsumer].up = false;
  row = view_leases(state)[0];
  CHECK(row["slots_down"] == Json({{"provider", 3}, {"consumer", 1}}));
  CHECK(row["provider_slots"]["available"] == 0);
  CHECK_THAT(table_of("leases", Json::array({row}), {}),
             Catch::Contains("east has 3 more slots and west 1"));
}
