// leasectl shows who ordered what, and who reports a host down, in JSON and below the tables.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/attention/attention.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/views.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

const OrderInForce kOrder{"ana", "10.0.0.7", "new disks", site::kNoon, site::kNoon + 3'600'000};
const OrderInForce kLater{"ana",       "10.0.0.7",   "new disks",
                          site::kNoon, kOrder.until, site::kNoon + 1'800'000};

Json host_row(const State& state) {
  return view_hosts(state, site::liveness(), true).front();
}

std::string shown(const std::string& command, const Json& rows) {
  return table_of(command, rows, {});
}

}  // namespace

TEST_CASE("clusters shows what is drained, by whom, why, until when and what is left") {
  State state = site::state();
  Cluster& east = state.clusters[state.slot_groups[0].members[kProvider].cluster];
  east.draining_exports = true;
  east.exports_order = kOrder;
  const Json rows = view_clusters(state, site::liveness(), east.name);
  const Json& row = rows.front();
  CHECK(row["draining"] == true);
  CHECK(row["drain"]["half"] == "provider");
  CHECK(row["drain"]["by"] == "ana");
  CHECK(row["drain"]["until"] == format_utc(kOrder.until));
  CHECK(row["left"].is_number_integer());
  CHECK_THAT(shown("clusters", rows), Catch::Contains("exports drained by ana since ") &&
                                          Catch::Contains(": new disks; left: "));
}

TEST_CASE("hosts shows who closed a host, for whom and why") {
  State state = site::state();
  Cluster& east = state.clusters[state.slot_groups[0].members[kProvider].cluster];
  Host& host = east.hosts[state.slot_groups[0].hosts[0].host];
  host.closed = true;
  host.closed_order = kOrder;
  host.closed_for = {"west"};
  host.closed_for_orders = {kOrder};
  const Json row = host_row(state);
  CHECK(row["closed"]["why"] == "new disks");
  CHECK(row["closed_for_orders"][0]["cluster"] == "west");
  const std::string text = shown("hosts", Json::array({row}));
  CHECK_THAT(text, Catch::Contains(": closed by ana since "));
  CHECK_THAT(text, Catch::Contains(": closed for west by ana since "));
}

TEST_CASE("hosts shows who calls a host down since when, and what is kept for whom") {
  State state = site::state();
  SlotGroup& group = state.slot_groups[0];
  Host& host = state.clusters[group.members[kProvider].cluster].hosts[group.hosts[0].host];
  CHECK(host_row(state)["down"].empty());
  host.facts.up = false;
  host.down_since = site::kNoon;
  Holding& held = group.at(0, kConsumer);
  held.held = 3;
  held.stated = 1;
  held.withheld = true;
  held.down_since = site::kNoon + 1000;
  const Json row = host_row(state);
  REQUIRE(row["down"].size() == 2);
  CHECK(row["down"][0]["cluster"] == "east");
  CHECK(row["down"][0]["since"] == format_utc(site::kNoon));
  CHECK(row["down"][1]["cluster"] == "west");
  CHECK(row["leased_to"][0]["slots"] == 3);
  CHECK(row["leased_to"][0]["withheld"] == 2);
  CHECK_THAT(shown("hosts", Json::array({row})), Catch::Contains("nobody else starts work there"));
}

TEST_CASE("hosts shows which hosts of their owner are asleep, waking, or not to be used just now") {
  State state = site::state();
  SlotGroup& group = state.slot_groups[0];
  Host& host = state.clusters[group.members[kProvider].cluster].hosts[group.hosts[0].host];
  const struct {
    wire::NotUp said;
    const char* state;
    const char* why;
  } rows[] = {{wire::NotUp::unsaid, "down", "its owner calls it down or drains it"},
              {wire::NotUp::asleep, "asleep", "power saving of its owner has switched it off"},
              {wire::NotUp::waking, "waking", "its owner is switching it on"},
              {wire::NotUp::not_now, "not-now", "it restarts, powers down or is blocked"}};
  for (const auto& row : rows) {
    INFO(row.state);
    host.facts.not_up = row.said;
    host.facts.up = true;
    CHECK(host_row(state)["state"] == "ok");
    host.facts.up = false;
    const Json seen = host_row(state);
    CHECK(seen["state"] == row.state);
    CHECK_THAT(shown("hosts", Json::array({seen})), Catch::Contains(row.why));
  }
}

TEST_CASE("a freeze ahead is told with its begin and end, and says not yet that all is frozen") {
  State state = site::state();
  state.freeze_ahead = kLater;
  const Json status = view_status(state, site::live());
  CHECK(status["frozen"].is_null());
  CHECK(status["freeze_ahead"]["since"] == "2026-11-21T18:00:00.000Z");
  CHECK(status["freeze_ahead"]["from"] == "2026-11-21T18:30:00.000Z");
  CHECK(status["attention"] == 0);
  CHECK_THAT(shown("status", status),
             Catch::Contains("freeze      by ana from 2026-11-21 18:30:00Z, until 2026-11-21 "
                             "19:00:00Z: new disks; leasectl thaw\n"));
  const Json row = view_explain(state, LeaseRef{0, kConsumer});
  REQUIRE(row["conditions"].size() == 1);
  CHECK(row["conditions"][0]["condition"] == "freeze-ahead");
  CHECK(row["conditions"][0]["at"] == status["freeze_ahead"]["from"]);
  CHECK_THAT(shown("explain", row),
             Catch::Contains("an operator freezes the leases from 2026-11-21T18:30:00.000Z until "
                             "2026-11-21T19:00:00.000Z") &&
                 Catch::Contains("ordered: freeze by ana from 2026-11-21 18:30:00Z, until "));
  state.frozen = true;
  state.freeze_order = kOrder;
  CHECK(view_status(state, site::live())["frozen"]["from"].is_null());
}

TEST_CASE("the answer to a freeze says when it begins, and which other one stands") {
  State state = site::state();
  OperatorCommand command;
  const auto said = [&] { return change_of(Command::freeze).confirmation(state, command); };
  command.from = kLater.from;
  command.until = kLater.until;
  state.freeze_ahead = kLater;
  const std::string later =
      "the leases will be frozen from 2026-11-21T18:30:00.000Z until 2026-11-21T19:00:00.000Z; "
      "leasectl thaw takes it back";
  CHECK(said() == later);
  state.frozen = true;
  state.freeze_order.until = *kLater.from + -1;
  CHECK(said() == later + "; until then the freeze in force stays");
  state.freeze_order.until = kNever;  // it is not ended sooner
  CHECK_THAT(said(), Catch::StartsWith("the leases will be frozen from 2026-11-21T18:30:00.000Z "
                                       "until leasectl thaw;"));
  command = {};
  CHECK(said() ==
        "the leases are frozen: nothing moves until leasectl thaw; another freeze begins at "
        "2026-11-21T18:30:00.000Z");
  state.freeze_ahead.reset();
  command.from = site::kNoon;
  CHECK(said() ==
        "the leases are frozen at once, because 2026-11-21T18:00:00.000Z is past: nothing moves "
        "until leasectl thaw");
}

TEST_CASE("explain names the orders that bear on a lease") {
  State state = site::state();
  state.frozen = true;
  state.freeze_order = kOrder;
  const Json row = view_explain(state, LeaseRef{0, kConsumer}, site::liveness());
  REQUIRE(row["orders"].size() == 1);
  CHECK(row["orders"][0]["verb"] == "freeze");
  CHECK_THAT(shown("explain", row),
             Catch::Contains("ordered: freeze by ana since ") && Catch::Contains(": new disks"));
}
