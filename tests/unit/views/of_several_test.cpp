// attention where several brokers have one database: no agent is connected here, or a clock is
// wrong.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/attention/attention.hpp"
#include "broker/views/attention/doctor.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

constexpr int64_t kHourMs = 3'600'000;

Liveness quiet() {
  Liveness liveness = site::liveness();
  liveness.now = site::kNoon + kHourMs;
  for (auto& [name, cluster] : liveness.clusters) {
    cluster.refused.reset();
    cluster.late_since.reset();
    cluster.clock_off.reset();
  }
  return liveness;
}

Json only_need(const State& state, const Liveness& liveness) {
  const Json found = view_attention(state, liveness);
  INFO(found.dump(2));
  REQUIRE(found.size() == 1);
  return found[0];
}

}  // namespace

// Slots were given twice after such advice: only the broker's own network was cut, and all clusters
// ran.
TEST_CASE("to forget a cluster is not advised while nobody is heard, nor where another hears it") {
  State state = site::state();
  state.clusters[1].contact = Contact::lost;
  Liveness liveness = quiet();
  SECTION("nobody is heard") {
    for (Cluster& cluster : state.clusters) cluster.contact = Contact::lost;
    for (const Json& row : view_attention(state, liveness)) {
      INFO(row.dump());
      CHECK_THAT(row["command"].get<std::string>(),
                 !Catch::Contains("forget") && Catch::Contains("no agent at all"));
    }
  }
  SECTION("another broker hears it") {
    liveness.leader_view.others = std::make_shared<const std::vector<KnownBroker>>(
        std::vector<KnownBroker>{{"hub-b", 1, {"west"}}});
    CHECK_THAT(only_need(state, liveness)["command"].get<std::string>(),
               !Catch::Contains("forget") &&
                   Catch::Contains("the agent of west is connected to the broker 'hub-b'"));
  }
}

TEST_CASE("a broker's clock that is days ahead is named, and no agent is accused of it") {
  constexpr int64_t kDayMs = 24 * kHourMs;
  const State state = site::state();
  Liveness liveness = quiet();
  liveness.leader_view.role = BrokerRole::leader;
  liveness.leader_view.name = "hub-a";
  for (auto& [name, cluster] : liveness.clusters) {
    cluster.clock_off = {-2 * kDayMs, -2 * kDayMs + 50};
  }
  liveness.leader_view.ahead_of_server = ClockDifference{2 * kDayMs - 50, 2 * kDayMs};
  std::string said = "the clock of this broker's machine is at least";
  SECTION("its machine's") {}
  SECTION("the server's alone") {
    for (auto& [name, cluster] : liveness.clusters) cluster.clock_off = {-20, 20};
    said = "the clock of the database's server is at least";
  }
  SECTION("that of one that led before") {
    liveness.leader_view.dates_ahead_ms = 2 * kDayMs;
    liveness.leader_view.ahead_of_server = ClockDifference{-10, 10};
    said = "events are dated at least";
  }
  const Json row = only_need(state, liveness);
  CHECK(row["kind"] == "clock-differs");
  CHECK(row["subject"] == "hub-a");
  CHECK_THAT(row["detail"].get<std::string>(), Catch::StartsWith(said));
  const Json found = view_doctor(state, liveness);
  for (const Json& each : found) {
    if (each["check"] == "clocks") CHECK(each["status"] == "ok");
  }
}
