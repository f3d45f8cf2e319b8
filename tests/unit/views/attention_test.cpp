// attention: what needs a person, and what does not; and the site on one screen.
#include "broker/views/attention/attention.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/attention/doctor.hpp"
#include "broker/views/catalogue.hpp"
#include "common/version.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;
using site::kHour;
using site::live;

namespace {

Json only(const State& state, const Liveness& liveness) {
  const Json found = view_attention(state, liveness);
  INFO(found.dump(2));
  REQUIRE(found.size() == 1);
  return found[0];
}

OrderInForce order(Instant since, Instant until = kNever) {
  return {"ana", "local", "new disks", since, until};
}

/// Adds a reclaim of two slots from west that began at noon.
Transfer& reclaim(State& state, Instant deadline) {
  Transfer transfer;
  transfer.id = 7;
  transfer.from = kConsumer;
  transfer.to = kProvider;
  transfer.lowering = wire::Lowering::reclaim;
  transfer.since = site::kNoon;
  transfer.deadline = deadline;
  transfer.wanted = {{0, 2}};
  return state.slot_groups[0].transfers.push_back(std::move(transfer));
}

}  // namespace

TEST_CASE("where all is well nothing needs a person") {
  CHECK(view_attention(site::state(), live()).empty());
  CHECK(table_of("attention", Json::array(), {}) == "nothing needs a person\n");
  CHECK(view_status(site::state(), live())["attention"] == 0);
}

// "nothing needs a person" was shown even where nobody would ever lead again.
TEST_CASE("while nobody leads somebody is needed, and the doctor finds it") {
  Liveness leaderless = live();
  leaderless.leader_view.nobody =
      NobodyLeads{site::kNoon, "the leader's row is lost", "a sound copy would help"};
  const Json need = only(site::state(), leaderless);
  CHECK(need["kind"] == "nobody-leads");
  CHECK(need["since"] == "2026-11-21T18:00:00.000Z");
  CHECK(need["detail"] == "nobody leads, so nothing moves: the leader's row is lost");
  CHECK(need["command"] == "a sound copy would help");
  CHECK(view_status(site::state(), leaderless)["attention"] == 1);
  CHECK(finds_fault(view_doctor(site::state(), leaderless)));
}

TEST_CASE("a configuration that cannot be read for its disk needs a person") {
  Liveness stuck = live();
  stuck.leader_view.name = "hub-1";
  stuck.leader_view.configuration_stuck = true;
  const Json need = only(site::state(), stuck);
  CHECK(need["kind"] == "configuration-not-read");
  CHECK(need["subject"] == "hub-1");
  CHECK(view_status(site::state(), stuck)["attention"] == 1);
}

TEST_CASE("status tells how old the readable tables are, and attention that they cannot be made") {
  Liveness liveness = live();
  CHECK(view_status(site::state(), liveness)["tables"].is_null());
  TablesStatus tables{"/db.state", 60'000, std::nullopt, "", {}};
  const auto status = [&] {
    liveness.leader_view.tables = std::make_shared<const TablesStatus>(tables);
    return view_status(site::state(), liveness);
  };
  CHECK_THAT(table_of("status", status(), {}),
             Catch::Contains("tables      not made yet: /db.state\n"));
  tables.made = site::kNoon;
  CHECK(status()["tables"] == Json{{"file", "/db.state"},
                                   {"made", "2026-11-21T18:00:00.000Z"},
                                   {"every_ms", 60'000},
                                   {"failing", nullptr}});
  CHECK(view_attention(site::state(), liveness).empty());
  tables.failing = "no room";
  tables.failing_since = site::kNoon + 60'000;
  CHECK_THAT(table_of("status", status(), {}), Catch::Contains(", and not since: /db.state\n"));
  const Json need = only(site::state(), liveness);
  CHECK(need["kind"] == "tables-not-made");
  CHECK(need["subject"] == "/db.state");
  CHECK(need["since"] == "2026-11-21T18:01:00.000Z");
  CHECK_THAT(need["detail"].get<std::string>(), Catch::EndsWith("no room"));
}

TEST_CASE("a cluster that is not heard needs a person, and what it holds says how much") {
  State state = site::state();
  state.clusters[1].contact = Contact::lost;
  const Json lost = only(state, live());
  CHECK(lost["kind"] == "agent-lost");
  CHECK(lost["subject"] == "west");
  CHECK(lost["detail"] == "the agent of west is silent; it has 1 slot of others");
  CHECK(lost["then"] == "nothing returns by itself");
  CHECK(lost["command"].get<std::string>().find("leasectl forget west") != std::string::npos);
  state.clusters[1].expires_at = site::kNoon + 2 * kHour;
  CHECK(only(state, live())["at"] == "2026-11-21T20:00:00.000Z");
  state.clusters[1].stopped = true;
  CHECK(only(state, live())["kind"] == "agent-stopped");
  state.clusters[1].contact = Contact::ok;
  state.clusters[0].contact = Contact::lost;
  CHECK(only(state, live())["detail"] ==
        "the agent of east is silent; others have 1 slot of its hosts");
}

TEST_CASE("whoever is not let in needs a person, until good messages came for a while") {
  const State state = site::state();
  Liveness liveness = live();
  ClusterLiveness& west = liveness.clusters["west"];
  west.last_report = liveness.now;
  west.refused = RefusedMessage{Reason::wrong_key, "another key", liveness.now + -60'000};
  const Json refused = only(state, liveness);
  CHECK(refused["kind"] == "agent-refused");
  CHECK(refused["reason"] == "wrong-key");
  CHECK(refused["command"] ==
        "compare public_key of [[cluster]] west with the line 'Its public key' of the file that "
        "secret_key_file in [security] of its agent's configuration names");
  west.refused->reason = Reason::bad_report;
  CHECK(only(state, liveness)["command"] == "look at the log of the agent of west");
  west.refused->at = liveness.now + -kHour;
  CHECK(view_attention(state, liveness).empty());
}

TEST_CASE("a workload manager, a clock and a rate that are wrong need a person") {
  State state = site::state();
  Liveness liveness = live();
  state.clusters[0].degraded = true;
  CHECK(only(state, liveness)["kind"] == "degraded");
  state.clusters[0].degraded = false;
  liveness.clusters["west"].clock_off = {-91'500, -90'200};
  CHECK(only(state, liveness)["detail"].get<std::string>().find("at least 1m30s behind") !=
        std::string::npos);
  liveness.clusters["west"].clock_off = {59'999, 90'000};
  CHECK(view_attention(state, liveness).empty());
  liveness.clusters["west"].late_since = site::kNoon;
  CHECK(only(state, liveness)["kind"] == "over-rate");
  liveness.clusters["west"].late_since.reset();
  liveness.clusters["west"].waits_since = site::kNoon;
  liveness.clusters["west"].waiting_dropped = 3;
  CHECK(only(state, liveness)["kind"] == "over-rate");
  CHECK(only(state, liveness)["detail"].get<std::string>().find(
            "its messages are read late, and 3 messages") != std::string::npos);
}

TEST_CASE("slots that are used without having been given need a person") {
  State state = site::state();
  state.slot_groups[0].breach = true;
  state.slot_groups[0].members[kConsumer].breach = 2;
  const Json breach = only(state, live());
  CHECK(breach["subject"] == "pool:west");
  CHECK(breach["detail"].get<std::string>().find("west uses 2 slots") == 0);
  CHECK(breach["since"].is_null());
  state.slot_groups[0].reason = Reason::breach;
  state.slot_groups[0].evaluated_at = site::kNoon;
  CHECK(only(state, live())["since"] == "2026-11-21T18:00:00.000Z");
}

TEST_CASE("slots that are not back in time need a person; those that still have time do not") {
  State state = site::state();  // grace 30 s, leeway 120 s
  Liveness liveness = live();
  Transfer& transfer = reclaim(state, site::kNoon + 150'000);
  liveness.now = site::kNoon + 149'000;
  CHECK(view_attention(state, liveness).empty());
  liveness.now = site::kNoon + 200'000;
  transfer.deadline = site::kNoon + 270'000;  // asked for again
  const Json late = only(state, liveness);
  CHECK(late["kind"] == "overdue");
  CHECK(late["since"] == "2026-11-21T18:02:30.000Z");
  transfer.deadline = liveness.now + 150'000;  // thawed just now: its deadline starts again
  CHECK(view_attention(state, liveness).empty());
  transfer.deadline = site::kNoon + 270'000;
  state.frozen = true;
  state.freeze_order = order(site::kNoon, site::kNoon + kHour);
  CHECK(view_attention(state, liveness).empty());
  state.frozen = false;
  transfer.wanted.clear();
  CHECK(view_attention(state, liveness).empty());
}

TEST_CASE("a quarantine that an answer is missing to needs a person, not one that just began") {
  State state = site::state();
  state.started = site::kNoon;
  state.slot_groups[0].quarantined = true;
  state.slot_groups[0].members[kConsumer].trusted = false;
  const Json waits = only(state, live());
  CHECK(waits["kind"] == "quarantine");
  CHECK(waits["command"] == "look at the log of the agent of west");
  Liveness early = live();
  early.now = site::kNoon + 1'000;
  CHECK(view_attention(state, early).empty());
}

TEST_CASE("what a policy exports and cannot be fenced, or is not there, needs a person") {
  State state = site::state();
  state.slot_groups[0].reason = Reason::cannot_fence;
  CHECK(only(state, live())["kind"] == "cannot-fence");
  state.slot_groups[0].reason = Reason::tie;
  state.policies[0].config.hosts = {"big1", "big9"};
  CHECK(only(state, live())["subject"] == "big9@east");
  state.policies[0].config.hosts = {"big1"};
  state.policies[0].allocation = Allocation({{{0, 9}}});
  const Json small = only(state, live());
  CHECK(small["kind"] == "host-too-small");
  CHECK(small["detail"] == "policy pool exports 9 slots of it, and it has 8");
  state.policies[0].allocation = {};
  state.clusters[0].hosts[0].present = false;
  state.clusters[0].slot_groups = {0};
  const Json found = view_attention(state, live());
  REQUIRE(found.size() == 2);
  CHECK(found[1]["kind"] == "host-missing");
}

TEST_CASE(
    "of a host that may not be split every view says that a part of it is not lent, and the mend") {
  State state = site::state();
  state.policies[0].allocation = Allocation({{{0, 2}}});
  state.clusters[0].hosts[0].divisions = {{1, wire::Division::pinned_cores}};
  state.slot_groups[0].hosts[0].target = 0;
  const Json need = only(state, live());
  CHECK(need["kind"] == "host-indivisible");
  CHECK(need["subject"] == "big1@east");
  CHECK(need["reason"] == "host-indivisible");
  const std::string mend = need["command"];
  CHECK(mend.find("slots_per_host = 8") != std::string::npos);
  CHECK(mend.find("[hosts] divisible = \"yes\"") != std::string::npos);
  const Json policies = view_policies(state, false);
  CHECK(policies[0]["indivisible_hosts"][0]["host"] == "big1");
  CHECK(policies[0]["indivisible_hosts"][0]["mend"] == mend);
  const Json hosts = view_hosts(state, live(), false);
  CHECK(hosts[0]["divisible"] == false);
  CHECK(hosts[0]["division"] == Json::array({{{"cluster", "west"}, {"says", "pinned-cores"}}}));
  CHECK(table_of("hosts", hosts, {}).find("west says pinned-cores") != std::string::npos);
  CHECK(finds_fault(view_doctor(state, live())));
  // The operator's opposite statement stays visible.
  state.clusters[0].hosts[0].divisions = {{1, wire::Division::divisible_by_operator}};
  CHECK(view_attention(state, live()).empty());
  CHECK(view_hosts(state, live(), false)[0]["division"][0]["says"] == "divisible-by-operator");
}

TEST_CASE("a provider's wide work that starves is told, with the line to change") {
  State state = site::state();
  SlotGroup& lease = state.slot_groups[0];
  const int32_t size = state.clusters[0].hosts[0].facts.slots;
  for (size_t m = 0; m < 2; ++m) lease.at(0, m).up = true;
  lease.at(0, kProvider).held = lease.at(0, kProvider).used = 0;
  lease.at(0, kConsumer).held = lease.at(0, kConsumer).used = lease.hosts[0].exported;
  wire::DemandBucket bucket;
  bucket.slots_per_host = std::min(size, lease.hosts[0].exported);
  bucket.jobs = 1;
  bucket.slots = bucket.slots_per_host;
  REQUIRE(bucket.slots > 1);
  state.clusters[0].demand = wire::Demand{bucket};
  const Json need = only(state, live());
  CHECK(need["kind"] == "owner-waits");
  CHECK(need["subject"] == "east");
  CHECK(need["command"].get<std::string>().find("rule = \"demand-aware\"") != std::string::npos);
  ExportPolicy& policy = state.policies[lease.policy].config;
  policy.rule = RuleKind::demand_aware;
  CHECK(view_attention(state, live()).empty());
  policy.type = LeaseType::exclusive;
  CHECK(only(state, live())["kind"] == "owner-waits");
}

// A node that somebody drained at its borrower lay idle for weeks, and no view said so.
TEST_CASE("a host that its owner has up, and its borrower has long drained, needs a person") {
  State state = site::state();
  state.config.agent_timeout_ms = 60'000;
  const Liveness liveness = live();
  Holding& consumer = state.slot_groups[0].holdings[kConsumer];
  consumer.up = false;
  consumer.down_since = liveness.now + -59'000;
  CHECK(view_attention(state, liveness).empty());
  consumer.down_since = site::kNoon;
  const Json need = only(state, liveness);
  CHECK(need["kind"] == "host-down");
  CHECK(need["subject"] == "big1@east");
  CHECK(need["since"] == "2026-11-21T18:00:00.000Z");
  CHECK_THAT(need["detail"].get<std::string>(), Catch::StartsWith("it is up at east, and down"));
  CHECK_THAT(need["command"].get<std::string>(),
             Catch::EndsWith("leasectl close big1@east --for west"));
  state.clusters[0].hosts[0].closed_for = {"west"};
  state.clusters[0].hosts[0].closed_for_orders = {order(site::kNoon)};
  for (const Json& other : view_attention(state, liveness)) CHECK(other["kind"] != "host-down");
  state.clusters[0].hosts[0].closed_for.clear();
  state.clusters[0].hosts[0].facts.up = false;
  CHECK(view_attention(state, liveness).empty());
}

TEST_CASE("orders without an end need a person after a day; that all is frozen, at once") {
  State state = site::state();
  Liveness liveness = live();
  state.clusters[1].draining_imports = state.clusters[0].draining_exports = true;
  state.clusters[1].imports_order = order(site::kNoon);
  state.clusters[0].exports_order = order(site::kNoon, site::kNoon + 48 * kHour);
  state.clusters[0].hosts[0].closed = true;
  state.clusters[0].hosts[0].closed_order = order(site::kNoon);
  state.clusters[0].hosts[0].closed_for = {"west"};
  state.clusters[0].hosts[0].closed_for_orders = {order(site::kNoon)};
  CHECK(view_attention(state, liveness).empty());
  liveness.now = site::kNoon + 25 * kHour;
  const Json found = view_attention(state, liveness);
  REQUIRE(found.size() == 3);
  CHECK(found[0]["command"] == "leasectl open big1@east");
  CHECK(found[1]["command"] == "leasectl open big1@east --for west");
  CHECK(found[2]["command"] == "leasectl resume west");
  State frozen = site::state();
  frozen.frozen = true;
  frozen.freeze_order = order(liveness.now);
  const Json freeze = only(frozen, liveness);
  CHECK(freeze["subject"].is_null());
  CHECK(freeze["detail"] == "ana (new disks) froze the leases: nothing moves, without an end");
  CHECK(table_of("attention", view_attention(frozen, liveness), {}).find("do: leasectl thaw") !=
        std::string::npos);
  frozen.freeze_order.from = liveness.now + -kHour;
  CHECK(only(frozen, liveness)["since"] == format_utc(liveness.now + -kHour));
  frozen.frozen = false;
  frozen.freeze_ahead = frozen.freeze_order;
  CHECK(view_attention(frozen, liveness).empty());
}

TEST_CASE("attention lists the oldest first, and last what nobody knows the beginning of") {
  State state = site::state();
  Liveness liveness = live();
  state.clusters[2].degraded = true;
  liveness.clusters["west"].late_since = site::kNoon + 2'000;
  state.frozen = true;
  state.freeze_order = order(site::kNoon + 1'000);
  const Json found = view_attention(state, liveness);
  REQUIRE(found.size() == 3);
  CHECK(found[0]["kind"] == "order-forgotten");
  CHECK(found[1]["kind"] == "over-rate");
  CHECK(found[2]["kind"] == "degraded");
}

TEST_CASE("status tells the site on one screen") {
  State state = site::state();
  Liveness liveness = live();
  state.clusters[2].contact = Contact::lost;
  state.clusters[1].draining_imports = true;
  state.clusters[1].imports_order = order(site::kNoon, site::kNoon + 5 * kHour);
  state.slot_groups[0].breach = true;
  reclaim(state, kNever);
  liveness.clusters["west"].last_report = liveness.now + -45'000;
  liveness.clusters["west"].last_heartbeat.reset();
  const Json status = view_status(state, liveness);
  INFO(status.dump(2));
  CHECK(status["clusters"]["up"] == 2);
  CHECK(status["slots"]["exported"] == 4);
  CHECK(status["slots"]["consumers_used"] == 1);
  CHECK(status["transfers"]["oldest_since"] == "2026-11-21T18:00:00.000Z");
  CHECK(status["leases"]["by_phase"]["active"] == 1);
  CHECK(status["leases"]["in_breach"] == 1);
  REQUIRE(status["silent"].size() >= 2);
  CHECK(status["attention"] == view_attention(state, liveness).size());
  const std::string text = table_of("status", status, {});
  CHECK(text.find("west: silent") != std::string::npos);
  CHECK(text.find("north: lost") != std::string::npos);
  CHECK(text.find("drained     west (imports) by ana") != std::string::npos);
  CHECK(text.find("1 active, 1 in breach") == std::string::npos);
  CHECK(text.find("leasectl attention") != std::string::npos);
  CHECK(find_request("status")->needs_person(status));
  CHECK(find_request("attention")->needs_person(view_attention(state, liveness)));
}
