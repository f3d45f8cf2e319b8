#include "broker/views/views.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/request/request_json.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

Json flow_row(const Json& rows, const std::string& cluster, const char* flow) {
  for (const Json& row : rows) {
    if (row["cluster"] == cluster &&
        row["flow"] == (flow == nullptr ? Json(nullptr) : Json(flow))) {
      return row;
    }
  }
  return nullptr;
}

std::vector<std::string> keys_of(const Json& row) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : row.items()) keys.push_back(key);
  return keys;
}

}  // namespace

TEST_CASE("clusters shows each lease from both sides, and a cluster without one once") {
  const Json rows = view_clusters(site::state(), site::liveness());
  REQUIRE(rows.size() == 3);
  const Json east = flow_row(rows, "east", "export");
  CHECK(east["remote"] == "west");
  CHECK(east["status"] == "ok");
  CHECK(east["reason"].is_null());
  CHECK(east["slots"] == Json({{"own", 4}, {"exported", 4}, {"imported", 0}}));
  CHECK(east["last_report"] == "2026-11-21T18:00:00.000Z");
  const Json west = flow_row(rows, "west", "import");
  CHECK(west["slots"] == Json({{"own", 2}, {"exported", 0}, {"imported", 1}}));
  CHECK(west["last_report"].is_null());
  const Json north = flow_row(rows, "north", nullptr);
  CHECK(north["remote"].is_null());
  CHECK(north["leases"] == 0);
}

TEST_CASE("clusters says whose agent has not answered its last order yet") {
  State state = site::state();
  CHECK(flow_row(view_clusters(state, site::liveness()), "east", "export")["unanswered"] == 0);
  state.slot_groups[0].members[kProvider].seq = 2;
  const Json rows = view_clusters(state, site::liveness());
  CHECK(flow_row(rows, "east", "export")["unanswered"] == 1);
  CHECK(flow_row(rows, "west", "import")["unanswered"] == 0);
}

TEST_CASE("clusters in detail says what the work of each looks like, as far as its agent tells") {
  State state = site::state();
  Cluster& west = state.clusters[1];
  west.demand =
      wire::Demand{{4, 2, wire::TimeClass::hour_1, site::kNoon.ms, 3, 24, {"LINUX64"}, true},
                   {1, 1, wire::TimeClass::unknown, 0, 2, 2, {}}};
  west.ending = wire::Ending{{{wire::TimeClass::minute_1, 3}, {wire::TimeClass::longer, 1}}, 125};
  CHECK_FALSE(view_clusters(state, site::liveness())[0].contains("work"));
  const auto work = [&](const char* cluster, const char* flow) {
    return flow_row(view_clusters(state, site::liveness(), {}, true), cluster, flow)["work"];
  };
  CHECK(work("west", "import") == Json::parse(R"({"pending": 5,
          "demand": [{"slots_per_host": 4, "hosts": 2, "limit": "1h",
                      "oldest": "2026-11-21T18:00:00.000Z", "jobs": 3, "slots": 24,
                      "host_types": ["LINUX64"], "whole": true},
                     {"slots_per_host": 1, "hosts": 1, "limit": "unknown", "oldest": null,
                      "jobs": 2, "slots": 2, "host_types": [], "whole": false}],
          "ending": {"slots": [{"left": "1m", "slots": 3}, {"left": "longer", "slots": 1}],
                     "error_milli": 125}})"));
  CHECK(work("north", nullptr) == Json::parse(R"({"pending": 0, "demand": null, "ending": null})"));
  west.ending->error_milli = -1;
  CHECK(work("west", "import")["ending"]["error_milli"].is_null());
  west.contact = Contact::lost;
  CHECK(work("west", "import") ==
        Json::parse(R"({"pending": null, "demand": null, "ending": null})"));
}

TEST_CASE(
    "clusters says conn with the reason until the lease is made, disc when a side is silent") {
  State state = site::state();
  state.slot_groups[0].phase = Phase::offered;
  state.slot_groups[0].reason = Reason::not_made;
  state.slot_groups[0].members[kConsumer].ever_used = false;
  Json east = flow_row(view_clusters(state, site::liveness()), "east", "export");
  CHECK(east["status"] == "conn");
  CHECK(east["reason"] == "not-made");
  state.clusters[1].contact = Contact::lost;
  const Json rows = view_clusters(state, site::liveness());
  east = flow_row(rows, "east", "export");
  CHECK(east["status"] == "disc");
  CHECK(east["agent"] == "up");
  CHECK(flow_row(rows, "west", "import")["agent"] == "lost");
}

TEST_CASE("clusters shows how far an agent's clock is off, and how well that is known") {
  Liveness liveness = site::liveness();
  liveness.clusters["east"].clock_off.reset();
  Json east = flow_row(view_clusters(site::state(), liveness), "east", "export");
  CHECK((east["clock_off_ms"].is_null() && east["clock_off_error_ms"].is_null()));
  liveness.clusters["east"].clock_off = {-4'000, 50};
  east = flow_row(view_clusters(site::state(), liveness), "east", "export");
  CHECK(east["clock_off_ms"] == -1'975);
  CHECK(east["clock_off_error_ms"] == 2'025);
}

TEST_CASE(
    "clusters shows a refused message with its reason, and who was never accepted as refused") {
  State state = site::state();
  Liveness liveness = site::liveness();
  liveness.clusters["east"].refused =
      RefusedMessage{Reason::bad_report, "used 9 of limit 3 on big1", site::kNoon + 1'000};
  Json east = flow_row(view_clusters(state, liveness), "east", "export");
  CHECK(east["reason"] == "bad-report");
  CHECK(east["detail"] == "used 9 of limit 3 on big1");
  CHECK(east["agent"] == "up");
  state.clusters[0].contact = Contact::lost;
  CHECK(flow_row(view_clusters(state, liveness), "east", "export")["agent"] == "refused");

  liveness.now = site::kNoon + 3'600'000;
  liveness.clusters["east"].last_report = liveness.now;
  east = flow_row(view_clusters(site::state(), liveness), "east", "export");
  CHECK(east["reason"].is_null());  // it is old, and good reports came since
}

TEST_CASE("leases has the fields that scripts rely on") {
  const Json rows = view_leases(site::state());
  REQUIRE(rows.size() == 1);
  const Json& row = rows[0];
  for (const char* key : {"id", "policy", "group", "provider", "consumer", "type", "rule", "phase",
                          "epoch", "slots", "in_transfer", "provider_slots", "consumer_slots",
                          "pending", "last_flip", "next_evaluation", "reason"}) {
    INFO(key);
    CHECK(row.contains(key));
  }
  CHECK(keys_of(row)[0] == "id");
  CHECK(row["id"] == "pool:west");
  CHECK(row["group"] == "pool:west.0");
  CHECK(row["provider_slots"] == Json({{"available", 3}, {"used", 2}, {"idle", 1}}));
  CHECK(row["consumer_slots"] == Json({{"available", 1}, {"used", 1}, {"idle", 0}}));
  CHECK(row["pending"] == Json({{"provider", 0}, {"consumer", 5}}));
  CHECK(row["last_flip"].is_null());
  CHECK(row["next_evaluation"] == "2026-11-21T18:10:00.000Z");
  CHECK(row["reason"] == "tie");
}

TEST_CASE("leases leaves closed ones out, and a draining one is not evaluated any more") {
  State state = site::state();
  state.slot_groups[0].phase = Phase::draining;
  derive(state);
  CHECK(view_leases(state)[0]["next_evaluation"].is_null());
  CHECK(view_leases(state)[0]["consumer_slots"]["used"] == 1);  // what still runs is shown
  state.slot_groups[0].phase = Phase::closed;
  CHECK(view_leases(state).empty());
}

TEST_CASE("lease shows hosts, slots on their way and decisions") {
  State state = site::state({.provider_held = 1, .provider_used = 1});
  Transfer transfer;
  transfer.id = 7;
  transfer.from = kProvider;
  transfer.to = kConsumer;
  transfer.step = TransferStep::granting;
  transfer.slots_wanted = 3;
  transfer.slots_released = 2;
  transfer.since = site::kNoon;
  state.slot_groups[0].transfers.push_back(transfer);
  const Json lease = view_lease(state, {0, kConsumer}, Json::array({{{"id", 1}}}));
  REQUIRE(lease["hosts"].size() == 1);
  CHECK(lease["hosts"][0]["host"] == "big1");
  CHECK(lease["hosts"][0]["provider_slots"] == 1);
  CHECK(lease["hosts"][0]["consumer_slots"] == 1);
  CHECK(lease["hosts"][0]["in_transfer"] == 2);
  CHECK(lease["hosts"][0]["state"] == "ok");
  CHECK(lease["transfers"][0]["slots"] == 2);
  CHECK(lease["transfers"][0]["from"] == "east");
  CHECK(lease["transfers"][0]["deadline"].is_null());
  CHECK(lease["decisions"].size() == 1);
  state.slot_groups[0].holdings[kConsumer].up = false;
  CHECK(view_lease(state, {0, kConsumer}, {})["hosts"][0]["state"] == "consumer-down");
}

TEST_CASE("hosts shows whom a host is leased to; -e only exported ones") {
  const State state = site::state();
  const Json rows = view_hosts(state, site::liveness(), false);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["host"] == "big1");
  CHECK(rows[0]["slots"] == 8);
  CHECK(rows[0]["exported"] == 4);
  CHECK(rows[0]["leased_to"] ==
        Json::array({{{"cluster", "west"}, {"slots", 1}, {"used", 1}, {"withheld", 0}}}));
  CHECK(view_hosts(state, site::liveness(), true).size() == 1);
}

TEST_CASE("the used slots of a host were only its owner's own jobs, not those of who leases them") {
  State state = site::state();
  const Json rows = view_hosts(state, site::liveness(), false);
  CHECK(rows[0]["used"] == 7);
  CHECK(rows[0]["used_by_owner"] == 6);
  CHECK(rows[0]["leased_to"][0]["used"] == 1);
  CHECK(rows[1]["used"].is_null());
  CHECK(rows[1]["used_by_owner"].is_null());
  CHECK_FALSE(rows[0]["in_quarantine"].get<bool>());
  state.slot_groups[0].quarantined = true;
  CHECK(view_hosts(state, site::liveness(), false)[0]["in_quarantine"].get<bool>());
}

TEST_CASE("when an agent was last heard was when it last reported a change") {
  Liveness liveness = site::liveness();
  liveness.clusters["east"].last_heartbeat = site::kNoon + 3'000;
  const Json east = flow_row(view_clusters(site::state(), liveness), "east", "export");
  CHECK(east["last_heard"] == "2026-11-21T18:00:03.000Z");
  CHECK(east["last_report"] == "2026-11-21T18:00:00.000Z");
  const Json west = flow_row(view_clusters(site::state(), liveness), "west", "import");
  CHECK(west["last_heard"].is_null());
  const std::string table = table_of("clusters", Json::array({east}), {.wide = true});
  CHECK_THAT(table, Catch::Contains("LAST HEARD") && Catch::Contains("18:00:03"));
}

TEST_CASE(
    "clusters counts the leases that are in quarantine, of which a drain knows no slots yet") {
  State state = site::state();
  CHECK(flow_row(view_clusters(state, site::liveness()), "east", "export")["in_quarantine"] == 0);
  state.slot_groups[0].quarantined = true;
  CHECK(flow_row(view_clusters(state, site::liveness()), "east", "export")["in_quarantine"] == 1);
  CHECK(flow_row(view_clusters(state, site::liveness()), "north", nullptr)["in_quarantine"] == 0);
}

TEST_CASE("policies says where every value comes from") {
  const Json rows = view_policies(site::state(), true);
  REQUIRE(rows.size() == 1);
  std::map<std::string, std::string> from;
  for (const Json& value : rows[0]["values"]) from[value["key"]] = value["from"];
  CHECK(from["reclaim_grace_ms"] == "broker.toml:12");
  CHECK(from["initial_slots"] == "default");
  CHECK(from["shadow"] == "default");
  CHECK_FALSE(from.contains("select"));
  CHECK(from["reclaim_delay_ms"] == "broker");
  CHECK_FALSE(view_policies(site::state(), false)[0].contains("values"));
  const ValueSource source = [](const ExportPolicy&, std::string_view key) {
    return key == "reclaim_grace" ? std::optional(Source{"lsb.resources", 4}) : std::nullopt;
  };
  const Json sourced = view_policies(site::state(), true, source);
  for (const Json& value : sourced[0]["values"]) {
    if (value["key"] == "reclaim_grace_ms") CHECK(value["from"] == "lsb.resources:4");
  }
}

TEST_CASE("queries refuse what nobody knows, naming the nearest") {
  const State state = site::state();
  const auto ask = [&](const Json& request) {
    return answer_query(state, site::liveness(), {}, read_request(request, site::kNoon).request);
  };
  const auto lease = ask({{"command", "lease"}, {"lease", "pool:wst"}});
  REQUIRE_FALSE(lease);
  CHECK(lease.error().code == ErrorCode::unknown);
  CHECK(lease.error().message == "there is no lease 'pool:wst'; did you mean 'pool:west'?");
  const auto cluster = ask({{"command", "clusters"}, {"cluster", "est"}});
  REQUIRE_FALSE(cluster);
  CHECK_THAT(cluster.error().message, Catch::Contains("'east'") || Catch::Contains("'west'"));
  CHECK(ask({{"command", "clusters"}, {"cluster", "west"}})->size() == 1);
  CHECK_FALSE(ask({{"command", "lease"}, {"lease", 7}}));
}

TEST_CASE("an error survives the way through JSON") {
  const Error error{ErrorCode::usage, "no such key", "broker.toml", 3, 7};
  const Error back = error_from_json(error_json(error));
  CHECK(describe(back) == describe(error));
  CHECK(back.code == error.code);
  CHECK(error_json({ErrorCode::io, "x", "", 0, 0})["line"].is_null());
}
