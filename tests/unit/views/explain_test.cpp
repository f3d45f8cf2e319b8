#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/views.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

std::string all_of(const Json& list) {
  std::string text;
  for (const Json& line : list) text += line.get<std::string>() + "\n";
  return text;
}

}  // namespace

TEST_CASE("explain names the numbers of the last evaluation") {
  const Json row = view_explain(site::state(), {0, kConsumer});
  CHECK(row["id"] == "pool:west");
  CHECK(row["reason"] == "tie");
  CHECK(row["numbers"]["provider_available"] == 3);
  CHECK(row["numbers"]["consumer_pending"] == 5);
  CHECK(row["evaluated_at"] == "2026-11-21T18:00:00.000Z");
  CHECK(row["waits_for"].is_null());
}

TEST_CASE("explain of a lease that was never evaluated has no numbers") {
  State state = site::state();
  state.slot_groups[0].reason = Reason::none;
  state.slot_groups[0].evaluated_at = {INT64_MIN};
  const Json row = view_explain(state, {0, kConsumer});
  CHECK(row["numbers"].empty());
  CHECK(row["evaluated_at"].is_null());
  CHECK(row["waits_for"] == "its first evaluation");
}

TEST_CASE("explain shows what the shadow said last beside the rule in force") {
  State state = site::state();
  CHECK(view_explain(state, {0, kConsumer})["shadow"].is_null());
  CHECK_THAT(table_of("explain", view_explain(state, {0, kConsumer}), {}),
             !Catch::Contains("beside it"));
  state.slot_groups[0].shadow.emplace(Shadow{RuleKind::idle_comparison,
                                             RuleKind::exclusive,
                                             {Reason::tie, 0, false},
                                             {Reason::exclusive_due, 3, true},
                                             {3, 1, 1, 1},
                                             4,
                                             site::kNoon});
  const Json row = view_explain(state, {0, kConsumer});
  const Json& shadow = row["shadow"];
  CHECK(shadow["rule"] == "exclusive");
  CHECK(shadow["reason"] == "exclusive-due");
  CHECK(shadow["slots"] == 3);
  CHECK(shadow["from"] == "east");
  CHECK(shadow["to"] == "west");
  CHECK(shadow["rule_reason"] == "tie");
  CHECK(shadow["same"] == false);
  CHECK(shadow["numbers"]["provider_available"] == 3);
  CHECK(shadow["numbers"]["rule_to_consumer"] == 0);
  CHECK_THAT(table_of("explain", row, {}),
             Catch::Contains("beside it, never ordered:\n  exclusive: exclusive-due: ") &&
                 Catch::Contains("it would move 3 slots east -> west, the rule in force "
                                 "otherwise; found at 2026-11-21 18:00:00Z\n"));
  state.slot_groups[0].shadow->answer = {Reason::consumer_idle, 1, false};
  state.slot_groups[0].shadow->in_force = {Reason::consumer_idle, 1, false};
  CHECK_THAT(table_of("explain", view_explain(state, {0, kConsumer}), {}),
             Catch::Contains("it would move 1 slot west -> east, as the rule in force"));
  state.slot_groups[0].shadow->answer = {Reason::complete, 0, false};
  CHECK_THAT(table_of("explain", view_explain(state, {0, kConsumer}), {}),
             Catch::Contains("it would move nothing, the rule in force otherwise"));
}

TEST_CASE("explain says which side would lose its idle slots, and what would make a tie") {
  const Json row = view_explain(site::state({1, 0, 3, 3}), {0, kConsumer});
  REQUIRE(row["would_change"].size() == 3);
  CHECK(row["would_change"][0] ==
        "east has 1 more idle slot than west: the evaluation at 2026-11-21T18:10:00.000Z moves "
        "its idle slot to west");
  CHECK(row["would_change"][1] ==
        "if east starts work on 1 of them, or west has 1 more idle slot: a tie, nothing moves");
  CHECK(row["would_change"][2] ==
        "if west has more than 1 more idle slot while the rest stays: its idle slots go to east "
        "instead");
}

TEST_CASE("explain does not speak of idle slots that a side cannot have") {
  const Json row = view_explain(site::state({3, 0, 1, 1}), {0, kConsumer});
  REQUIRE(row["would_change"].size() == 2);
  CHECK(row["would_change"][0] ==
        "east has 3 more idle slots than west: the evaluation at 2026-11-21T18:10:00.000Z moves "
        "all 3 idle slots of east to west");
  CHECK(row["would_change"][1] == "if east starts work on 3 of them: a tie, nothing moves");
}

TEST_CASE("explain of a tie says which single slot would decide") {
  const Json row = view_explain(site::state({3, 2, 1, 0}), {0, kConsumer});
  REQUIRE(row["would_change"].size() == 2);
  CHECK_THAT(all_of(row["would_change"]),
             Catch::Contains("one more idle slot at east and the evaluation at "
                             "2026-11-21T18:10:00.000Z moves all 2 to west"));
}

TEST_CASE("explain says what of whole hosts lies beside work and counts for nobody else") {
  State state = site::state({4, 1, 0, 0});
  state.policies[0].config.unit = LeaseUnit::host;
  CHECK_THAT(
      all_of(view_explain(state, {0, kConsumer})["would_change"]),
      Catch::Contains("3 idle slots on 1 host where work runs do not count for the other side"));
  state = site::state({4, 0, 0, 0});
  state.policies[0].config.unit = LeaseUnit::host;
  CHECK_THAT(all_of(view_explain(state, {0, kConsumer})["would_change"]),
             Catch::Contains("moves all 4 idle slots of east to west") &&
                 Catch::Contains("no host has idle slots beside work"));
}

TEST_CASE("explain says what a lease waits for") {
  struct Case {
    Reason reason;
    const char* waits_for;
  };
  const Case cases[] = {
      {Reason::frozen, "an operator: leasectl thaw"},
      {Reason::cluster_draining, "an operator: leasectl resume west"},
      {Reason::not_made, "a job of west on its leased slot"},
      {Reason::report_missing, "the agent of east"},
      {Reason::quarantine, "the agent of west"},
      {Reason::breach, "west to use no more than it was given"},
      {Reason::degraded, "the workload manager of east to answer its agent"},
      {Reason::no_common_host, "a host that is up at east and at west"},
  };
  State state = site::state();
  state.clusters[0].contact = Contact::lost;
  state.clusters[0].degraded = true;
  state.clusters[1].draining_imports = true;
  state.slot_groups[0].members[kConsumer].known_since_start = false;
  state.slot_groups[0].members[kConsumer].breach = 1;
  for (const Case& c : cases) {
    state.slot_groups[0].reason = c.reason;
    state.frozen = c.reason == Reason::frozen;
    CHECK(view_explain(state, {0, kConsumer})["waits_for"] == c.waits_for);
  }
}

TEST_CASE(
    "explain says of whom nobody has heard since a warm take-over that it keeps what it holds") {
  State state = site::state();
  SlotGroup& group = state.slot_groups[0];
  group.reason = Reason::report_missing;
  for (Member& member : group.members) member.known_since_start = true;
  state.clusters[1].contact = Contact::lost;
  CHECK(view_explain(state, {0, kConsumer})["waits_for"] == "the agent of west");
  group.members[kConsumer].known_since_start = false;
  state.started = state.now;
  const std::string waits = view_explain(state, {0, kConsumer})["waits_for"];
  CHECK(waits == "the agent of west, silent since this broker took over at " +
                     format_utc(state.started) + " (a warm take-over: it keeps what it holds)");
}

TEST_CASE("explain of a quarantine whose provider was forgotten names who has not answered") {
  State state = site::state();
  SlotGroup& group = state.slot_groups[0];
  group.reason = Reason::quarantine;
  for (Member& member : group.members) member.known_since_start = member.trusted = true;
  group.members[kProvider].trusted = false;
  group.members[kProvider].doubted = true;
  group.members[kConsumer].trusted = false;
  CHECK(view_explain(state, {0, kConsumer})["waits_for"] == "the agent of west");
}

TEST_CASE("explain of a quarantine advised to forget a cluster that another broker hears") {
  State state = site::state();
  SlotGroup& group = state.slot_groups[0];
  group.reason = Reason::quarantine;
  state.clusters[group.members[kConsumer].cluster].contact = Contact::lost;
  const auto advises = [&](const Liveness& liveness) {
    const std::string said = view_explain(state, {0, kConsumer}, liveness)["would_change"].dump();
    return said.find("leasectl forget") != std::string::npos;
  };
  Liveness liveness;
  CHECK(advises(liveness));
  liveness.leader_view.others = std::make_shared<const std::vector<KnownBroker>>(
      std::vector{KnownBroker{"hub2", 1, {"west"}}});
  CHECK_FALSE(advises(liveness));
  liveness.leader_view.others = nullptr;
  liveness.leader_view.nobody = NobodyLeads{Instant{1}, "the database is silent", "start it"};
  CHECK_FALSE(advises(liveness));
}

TEST_CASE("explain of a frozen lease tells what would move once it is thawed") {
  State state = site::state({3, 0, 1, 1});
  state.frozen = true;
  state.slot_groups[0].reason = Reason::frozen;
  CHECK_THAT(all_of(view_explain(state, {0, kConsumer})["would_change"]),
             Catch::StartsWith("afterwards: east has 3 more idle slots"));
}

TEST_CASE("explain of a draining lease counts the jobs that hold it up") {
  State state = site::state();
  state.slot_groups[0].phase = Phase::draining;
  state.slot_groups[0].reason = Reason::draining;
  CHECK(view_explain(state, {0, kConsumer})["would_change"][0] ==
        "each of the 1 slot that west uses goes back to east when its job ends");
}

TEST_CASE("explain names the hosts that are up for one side alone") {
  State state = site::state();
  state.slot_groups[0].reason = Reason::no_common_host;
  state.slot_groups[0].holdings[kConsumer].up = false;
  CHECK(view_explain(state, {0, kConsumer})["would_change"][0] ==
        "big1@east is not up at west: when it is, its slots count again");
  Host& host = state.clusters[0].hosts[0];
  host.facts.up = false;
  host.facts.not_up = wire::NotUp::asleep;
  CHECK(view_explain(state, {0, kConsumer})["would_change"][0] ==
        "big1@east is not up: power saving of east has switched it off; it is lent again "
        "once it is on. A job of east switches it on, an administrator there (scontrol update "
        "nodename=big1 state=power_up), or, for waiting work of another cluster, the agent of east "
        "where it may");
}

TEST_CASE("explain tells of work that waits for hosts which power saving has switched off") {
  State state = site::state();
  Host& host = state.clusters[0].hosts[0];
  const auto explained = [&state] {
    return all_of(view_explain(state, {0, kConsumer})["would_change"]);
  };
  const auto of_asleep = Catch::Contains(
      "power saving of east has switched off hosts with 3 slots that it could have");
  host.facts.not_up = wire::NotUp::asleep;
  CHECK_THAT(explained(), !of_asleep);  // it is up
  host.facts.up = false;
  CHECK_THAT(explained(), of_asleep);
  state.clusters[1].pending = 0;
  CHECK_THAT(explained(), !of_asleep);
  state.clusters[1].pending = 5;
  host.facts.not_up = wire::NotUp::waking;
  CHECK_THAT(explained(), !of_asleep);
}

TEST_CASE("explain names the hosts that a reservation keeps, whatever else the lease has") {
  State state = site::state();
  const auto explained = [&state] {
    return all_of(view_explain(state, {0, kConsumer})["would_change"]);
  };
  const auto of_reserved = Catch::Contains("big1@east is reserved");
  Host& host = state.clusters[0].hosts[0];
  host.facts.horizon = wire::Horizon{"maint", state.now.ms + 60'000, state.now.ms + 120'000};
  CHECK_THAT(explained(), !of_reserved);  // west's work ends before
  host.barred = {1};
  CHECK_THAT(explained(), of_reserved);
}

TEST_CASE("explain named an order that was over until the next evaluation: now it names that one") {
  State state = site::state({3, 0, 1, 1});
  SlotGroup& group = state.slot_groups[0];
  for (const Reason reason : {Reason::frozen, Reason::cluster_draining}) {
    group.reason = reason;
    const Json row = view_explain(state, {0, kConsumer});
    CHECK(row["waits_for"] == "the evaluation at 2026-11-21T18:10:00.000Z");
    CHECK_THAT(all_of(row["would_change"]), Catch::StartsWith("east has 3 more idle slots"));
  }
}

TEST_CASE("explain names the clusters that an operator drains now, whatever was drained before") {
  State state = site::state({3, 0, 1, 1});
  state.slot_groups[0].reason = Reason::cluster_draining;
  const auto waits_for = [&] { return view_explain(state, {0, kConsumer})["waits_for"]; };
  state.clusters[0].draining_exports = true;
  CHECK(waits_for() == "an operator: leasectl resume east");
  state.clusters[1].draining_imports = true;
  CHECK(waits_for() == "an operator: leasectl resume east and leasectl resume west");
  state.clusters[0].draining_exports = false;
  CHECK(waits_for() == "an operator: leasectl resume west");
  state.frozen = true;
  CHECK(waits_for() == "an operator: leasectl thaw");
}

TEST_CASE("explain names an order that was given since the last evaluation") {
  State state = site::state({3, 0, 1, 1});
  state.frozen = true;
  const Json row = view_explain(state, {0, kConsumer});
  CHECK(row["reason"] == "tie");
  CHECK(row["waits_for"] == "an operator: leasectl thaw");
  CHECK_THAT(all_of(row["would_change"]), Catch::StartsWith("afterwards: east has 3 more idle"));
}

TEST_CASE("explain of an offered lease promises what its rule does, not always a comparison") {
  struct Case {
    RuleKind rule;
    const char* then;
  };
  const Case cases[] = {
      {RuleKind::idle_comparison,
       "from then on the evaluation at 2026-11-21T18:10:00.000Z compares idle slots"},
      {RuleKind::demand_aware,
       "from then on idle slots go to whoever has work waiting that they make start, at the "
       "evaluation at 2026-11-21T18:10:00.000Z or when a report shows it"},
      {RuleKind::exclusive,
       "it is exclusive: west keeps its slots, used or not, and no evaluation takes them back"},
  };
  for (const Case& c : cases) {
    State state = site::state({0, 0, 4, 0});
    state.slot_groups[0].phase = Phase::offered;
    state.slot_groups[0].reason = Reason::not_made;
    ExportPolicy& policy = state.policies[0].config;
    policy.rule = c.rule;
    policy.type = c.rule == RuleKind::exclusive ? LeaseType::exclusive : LeaseType::shared;
    CHECK(all_of(view_explain(state, {0, kConsumer})["would_change"]) ==
          std::string("the first job of west on its leased slot makes the lease; ") + c.then +
              "\n");
  }
}

TEST_CASE("explain of a lease by demand speaks of work that waits, not of a comparison") {
  State state = site::state({4, 1, 0, 0});
  ExportPolicy& policy = state.policies[0].config;
  policy.rule = RuleKind::demand_aware;
  CHECK(all_of(view_explain(state, {0, kConsumer})["would_change"]) ==
        "if work waits at west that could start on the 3 idle slots of east, as many as it lacks "
        "move "
        "there: at the evaluation at 2026-11-21T18:10:00.000Z, or when a report shows it\n"
        "no slot of west is idle: none moves to east until one is\n");
  policy.provider_first = true;
  CHECK_THAT(all_of(view_explain(state, {0, kConsumer})["would_change"]),
             Catch::Contains("slots in use are reclaimed for it at the evaluation"));
}

TEST_CASE(
    "explain says of a rule that nobody wrote what it does for nobody, and the line to write") {
  State state = site::state();
  const auto last = [&]() -> std::string {
    const Json sentences = view_explain(state, {0, kConsumer})["would_change"];
    return sentences.empty() ? "" : sentences.back().get<std::string>();
  };
  const std::string words =
      "policy pool has no rule, so idle slots change sides although nobody waits: rule = "
      "\"demand-aware\" in policy pool (broker.toml:12), then leasectl reload: slots move for "
      "waiting work alone; or rule = \"idle-comparison\", if it is meant so";
  CHECK(last() != words);
  state.policies[0].config.rule_by_default = true;
  CHECK(last() == words);
  state.slot_groups[0].phase = Phase::offered;
  CHECK(last() == words);
  state.slot_groups[0].phase = Phase::draining;
  CHECK(last() != words);
}
