// Views of resource plans: a row for each member, with the numbers of evaluate_plan on the present
// state.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/request/request_json.hpp"
#include "broker/views/views.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

const std::vector<LeafSpec> kThree{
    {"/A", "west", 10}, {"/B", "north", 10, 30'000}, {"/C", "east", 10}};

Json with(const Json& rows, const char* key, const std::string& value) {
  for (const Json& row : rows) {
    if (row[key] == value) return row;
  }
  FAIL("no row with " << key << " " << value);
  return nullptr;
}

/// north runs 25 slots, 15 of them borrowed; east, which exports all 30, is a leaf with 3.
PlanSite borrowing() {
  PlanSite site(plan_of(kThree), 3, 10);
  site.want("north", 25);
  site.want("east", 3);
  site.cycle();
  site.want("north", 25);
  site.want("east", 3);
  return site;
}

Plan lending() {
  Plan plan = plan_of({{"/L", "west", 20}, {"/B", "north", 10}}, PlanPolicy::ownership);
  plan.consumers[0].lend_limit = 15;
  plan.consumers[1].borrow_from = ConsumerList{false, {0}, {}};
  return plan;
}

}  // namespace

TEST_CASE("leases of a plan: a row for each member that is a leaf, the provider's too") {
  PlanSite site = borrowing();
  const Json rows = view_leases(site.state);
  REQUIRE(rows.size() == 3);
  const Json west = with(rows, "id", "compute:/A");
  CHECK(west["consumer"] == "west");
  CHECK(west["policy"] == "pool");
  CHECK(west["group"] == "compute");
  CHECK(west["provider"] == "east");
  CHECK(west["type"] == "plan");
  CHECK(west["rule"] == "hybrid");
  CHECK(west["phase"] == "active");
  CHECK(west["slots"] == 30);
  CHECK(west["consumer_slots"]["available"] == 0);
  CHECK(west["next_evaluation"].is_string());
  const Json north = with(rows, "id", "compute:/B");
  CHECK(north["consumer_slots"] == Json({{"available", 25}, {"used", 25}, {"idle", 0}}));
  CHECK(north["provider_slots"]["available"] == 3);
  CHECK(north["reason"] == "at-quota");  // the evaluation before gave it what it lacked
  CHECK(north["last_flip"].is_string());
  const Json east = with(rows, "id", "compute:/C");
  CHECK(east["consumer"] == "east");
  CHECK(east["consumer_slots"]["available"] == 3);
  CHECK(table_of("leases", rows, {}).find("compute:/B") != std::string::npos);
}

TEST_CASE("leases of a plan: what moves to a member is counted with it") {
  PlanSite site = borrowing();
  site.want("west", 10);
  site.pass(10'000);
  const Json north = view_lease(site.state, find_lease_member(site.state, "compute:/B"), {});
  REQUIRE(north["transfers"].size() == 1);
  CHECK(north["transfers"][0]["lowering"] == "reclaim");
  CHECK(north["transfers"][0]["to"] == "west");
  const Json west = view_lease(site.state, find_lease_member(site.state, "compute:/A"), {});
  CHECK(west["transfers"] == north["transfers"]);
  const Json east = view_lease(site.state, find_lease_member(site.state, "compute:/C"), {});
  CHECK(east["transfers"].empty());
  CHECK(west["hosts"].size() == 3);
  CHECK_FALSE(north["transfers"][0]["agent_chooses"].get<bool>());
}

TEST_CASE("a reclaim whose hosts the agent chooses is told as one, in leases and explain") {
  PlanSite site = borrowing();
  site.agents["north"].chooses = true;
  site.hello("north");
  site.run_until_idle();
  site.want("west", 10);
  site.pass(10'000);
  const Json north = view_lease(site.state, find_lease_member(site.state, "compute:/B"), {});
  REQUIRE(north["transfers"].size() == 1);
  CHECK(north["transfers"][0]["agent_chooses"].get<bool>());
}

TEST_CASE("hosts and clusters tell each member of a plan what it holds") {
  PlanSite site = borrowing();
  const Json hosts = view_hosts(site.state, {}, true);
  int64_t leased = 0;
  for (const Json& host : hosts) {
    for (const Json& part : host["leased_to"]) {
      CHECK(part["cluster"] == "north");
      leased += part["slots"].get<int64_t>();
    }
  }
  CHECK(leased == 25);
  const Json clusters = view_clusters(site.state, {});
  int64_t exported = 0;
  int64_t imported = 0;
  for (const Json& row : clusters) {
    if (row["flow"] == "export") exported += row["slots"]["exported"].get<int64_t>();
    if (row["flow"] == "import") imported += row["slots"]["imported"].get<int64_t>();
  }
  CHECK(exported == 25);
  CHECK(imported == 25);
}

TEST_CASE("policies of a resource group name it, its rule and its leases") {
  PlanSite site = borrowing();
  const Json policy = view_policies(site.state, false).at(0);
  CHECK(policy["type"] == "plan");
  CHECK(policy["rule"] == "hybrid");
  CHECK(policy["resource_group"] == "compute");
  CHECK(policy["leases"] == 3);
}

TEST_CASE("consumers: what waits and would not start is wanted, and no demand") {
  PlanSite site(plan_of({{"/A", "west", 5}, {"/B", "north", 5}}), 1, 10);
  site.agent("north").demand = wire::Demand{{12, 1, wire::TimeClass::unknown, 0, 1, 12, {}}};
  site.agent("north").pending = 12;
  site.report("north");
  const Json north = with(view_consumers(site.state, false), "path", "/B");
  CHECK(north["demand"] == 0);
  CHECK(north["wants"] == 12);
}

TEST_CASE("consumers: the numbers of plan, and what is held before its moves") {
  PlanSite site = borrowing();
  const Json rows = view_consumers(site.state, false);
  REQUIRE(rows.size() == 3);
  const Json north = with(rows, "path", "/B");
  CHECK(north["demand"] == 25);
  CHECK(north["wants"] == 25);
  CHECK(north["allocated"] == 25);
  CHECK(north["quota"] == 25);
  CHECK(north["owned"] == 10);
  CHECK(north["owned_in_use"] == 10);
  CHECK(north["borrowed"] == 15);
  CHECK(north["change"] == 0);
  CHECK(north["cluster"] == "north");
  CHECK(north["resource_group"] == "compute");
  CHECK(with(rows, "path", "/A")["lent"] == 10);
  CHECK(with(rows, "path", "/C")["lent"] == 5);
  CHECK(with(rows, "path", "/C")["allocated"] == 3);
  // Now west wants its own slots: the next evaluation's changes are shown, but not yet held.
  site.want("west", 10);
  const Json then = view_consumers(site.state, false);
  CHECK(with(then, "path", "/B")["borrowed"] == 15);
  CHECK(with(then, "path", "/B")["change"] == -8);
  CHECK(with(then, "path", "/A")["change"] == 10);
}

TEST_CASE("consumers: under ownership it is known who borrowed from whom") {
  PlanSite site(lending(), 3, 10);
  site.want("north", 25);
  site.cycle();
  const Json rows = view_consumers(site.state, false);
  const Json borrower = with(rows, "path", "/B");
  CHECK(borrower["allocated"] == 25);
  CHECK(borrower["borrowed"] == 15);
  CHECK(borrower["borrowed_from"] == Json({{"/L", 15}}));
  CHECK(borrower["lent_to"] == Json::object());
  const Json lender = with(rows, "path", "/L");
  CHECK(lender["lent"] == 15);
  CHECK(lender["lent_to"] == Json({{"/B", 15}}));
  CHECK(borrower["reason"] == "at-quota");
  const std::string text = table_of("consumers", rows, {});
  CHECK_THAT(text, Catch::Contains("from /L 15"));
  CHECK_THAT(text, Catch::Contains("to /B 15"));
}

TEST_CASE(
    "consumers: a tree is shown by whole paths, parents first with the sums of their leaves") {
  Plan plan = plan_of({{"/R", ""}, {"/R/A", "west", 10}, {"/R/B", "north", 20}});
  plan.consumers[1].parent = plan.consumers[2].parent = 0;
  plan.consumers[0].owned.reset();
  PlanSite site(plan, 3, 10);
  site.want("west", 5);
  site.want("north", 6);
  site.cycle();
  const Json rows = view_consumers(site.state, false);
  CHECK(rows[0]["path"] == "/R");
  CHECK(rows[0]["cluster"].is_null());
  CHECK(rows[0]["allocated"] == 11);
  CHECK(rows[0]["owned_in_use"] == 11);
  CHECK(rows[0]["owned"] == 30);
  const std::string text = table_of("consumers", rows, {});
  CHECK_THAT(text, Catch::StartsWith("compute\n"));
  CHECK_THAT(text, Catch::Contains("\n/R "));
  CHECK_THAT(text, Catch::Contains("\n/R/A "));
}

TEST_CASE("consumers -l: every effective setting, and where it comes from if somebody knows") {
  Plan plan = lending();
  plan.default_rank = 3;
  plan.consumers[1].reclaim_grace_ms = 30'000;
  PlanSite site(plan, 3, 10);
  const auto value = [](const Json& row, const char* key) {
    return with(row["values"], "key", key);
  };
  const Json rows = view_consumers(site.state, true);
  const Json borrower = with(rows, "path", "/B");
  CHECK(value(borrower, "borrow_from")["value"] == Json::array({"/L"}));
  CHECK(value(borrower, "borrow_from")["from"].is_null());
  CHECK(value(borrower, "borrow_limit")["value"].is_null());
  CHECK(value(borrower, "borrow_limit")["from"] == "default");
  CHECK(value(borrower, "rank")["value"] == 3);
  CHECK(value(borrower, "reclaim_grace_ms")["value"] == 30'000);
  CHECK(value(with(rows, "path", "/L"), "lend_to")["value"] == Json::array({"*"}));
  CHECK(value(with(rows, "path", "/L"), "borrow_limit")["value"] == 0);

  const PlanSource source = [](const std::string& group, const std::string& path,
                               std::string_view key) -> std::optional<std::string> {
    if (group == "compute" && path == "/B" && key == "reclaim_grace") return "broker.toml:7";
    if (path.empty() && key == "default_rank") return "broker.toml:2";
    return std::nullopt;
  };
  const Json consumers = view_consumers(site.state, true, source);
  CHECK(value(with(consumers, "path", "/B"), "reclaim_grace_ms")["from"] == "broker.toml:7");
  CHECK(value(with(consumers, "path", "/B"), "rank")["from"] == "broker.toml:2");
  CHECK(value(with(consumers, "path", "/B"), "borrow_from")["from"] == "default");
  CHECK_THAT(table_of("consumers", consumers, {.details = true}),
             Catch::Contains("/B") && Catch::Contains("broker.toml:7"));
}

TEST_CASE("consumers -l says how a leaf's cluster chooses the work that ends, as its agent does") {
  PlanSite site(plan_of(kThree), 3, 10);
  Json rows = view_consumers(site.state, true);
  CHECK(std::all_of(rows.begin(), rows.end(),
                    [](const Json& row) { return row["scheduling"].is_null(); }));
  const std::string cluster = rows[0]["cluster"].get<std::string>();
  Cluster& known = site.state.clusters[find_cluster(site.state, cluster)];
  known.scheduling = {"priority", "most-recent-task", "lower", "application", true};
  known.chooses = true;
  rows = view_consumers(site.state, true);
  CHECK(rows[0]["scheduling"] == Json{{"policy", "priority"},
                                      {"criteria", "most-recent-task"},
                                      {"selective_reclaim", true},
                                      {"chooses_hosts", true},
                                      {"preemption_scope", "lower"},
                                      {"reclaim_optimization", "application"}});
  CHECK_THAT(table_of("consumers", rows, {.details = true}),
             Catch::Contains("selective_reclaim") && Catch::Contains("its agent"));
  CHECK_FALSE(view_consumers(site.state, false)[0].contains("scheduling"));
}

TEST_CASE("groups: size, policies, cycle, placement and switches of each resource group") {
  Plan plan = plan_of(kThree);
  plan.slots = 40;
  plan.evenly_distribute = true;
  PlanSite site(plan, 3, 10);
  const Json rows = view_groups(site.state, true);
  REQUIRE(rows.size() == 1);
  const Json& group = rows[0];
  CHECK(group["resource_group"] == "compute");
  CHECK(group["policy"] == "hybrid");
  CHECK(group["slots"] == 30);
  CHECK(group["configured_slots"] == 40);
  CHECK(group["policies"] == Json::array({"pool"}));
  CHECK(group["leaves"] == 3);
  CHECK(group["cycle_ms"] == 10'000);
  CHECK(group["react_ms"] == 1'000);
  CHECK(group["unallocated"] == 30);
  CHECK(group["variant"] == 0);
  CHECK(group["variants"] == 1);
  CHECK(group["changes_at"].is_null());
  CHECK(group["switches"]["evenly_distribute"] == true);
  CHECK(group["switches"]["reclaim_shared"] == true);
  CHECK_FALSE(group["switches"].contains("placement"));
  CHECK(with(group["values"], "key", "evenly_distribute")["from"].is_null());
  CHECK(with(group["values"], "key", "siblings_only")["from"] == "default");
  CHECK_THAT(table_of("groups", rows, {}), Catch::Contains("evenly_distribute"));
}

TEST_CASE("explain of a plan's lease: its consumer's numbers, what it waits for, what changes it") {
  PlanSite site = borrowing();
  Json row = view_explain(site.state, find_lease_member(site.state, "compute:/B"));
  CHECK(row["id"] == "compute:/B");
  CHECK(row["reason"] == "at-quota");
  CHECK(row["numbers"]["quota"] == 25);
  CHECK(row["numbers"]["borrowed"] == 15);
  CHECK(row["now"]["consumer_slots"]["used"] == 25);
  CHECK(row["waits_for"].is_null());
  const std::string all = row["would_change"].dump();
  CHECK_THAT(all, Catch::Contains("if its work wants 26 slots instead of 25: its quota is 26"));
  CHECK_THAT(all, Catch::Contains("if all the others want what they own: its quota is 10"));

  site.want("west", 10);
  row = view_explain(site.state, find_lease_member(site.state, "compute:/A"));
  CHECK_THAT(row["would_change"].dump(), Catch::Contains("moves 8 slots from /B to /A"));
  site.pass(10'000);
  row = view_explain(site.state, find_lease_member(site.state, "compute:/A"));
  CHECK_THAT(row["waits_for"].dump(), Catch::Contains("north to release 8 slots"));
  CHECK_THAT(row["waits_for"].dump(), Catch::Contains("ended and requeued at"));
  CHECK_THAT(table_of("explain", row, {}), Catch::Contains("waits for: transfer"));
}

TEST_CASE("explain of a plan's lease names whoever is not heard") {
  PlanSite site = borrowing();
  site.lose("north");
  Json row = view_explain(site.state, find_lease_member(site.state, "compute:/B"));
  CHECK(row["waits_for"] == "the agent of north");
  row = view_explain(site.state, find_lease_member(site.state, "compute:/A"));
  CHECK(row["waits_for"].is_null());
  site.lose("east");
  row = view_explain(site.state, find_lease_member(site.state, "compute:/A"));
  CHECK(row["waits_for"] == "the agent of east");
}

TEST_CASE("a lease id of a plan that nobody knows is answered with the nearest") {
  PlanSite site(plan_of(kThree), 3, 10);
  Request of_d = request_for("lease");
  of_d.lease = "compute:/D";
  const auto answer = answer_query(site.state, {}, {}, of_d);
  REQUIRE_FALSE(answer);
  CHECK_THAT(answer.error().message, Catch::Contains("did you mean 'compute:/"));
  CHECK(answer_query(site.state, {}, {}, request_for("consumers"))->size() == 3);
  CHECK(answer_query(site.state, {}, {}, request_for("groups"))->size() == 1);
}
