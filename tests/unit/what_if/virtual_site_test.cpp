#include "broker/lab/virtual_site.hpp"

#include <catch2/catch.hpp>
#include <variant>

#include "broker/config/windows.hpp"

using namespace leasehold;

namespace {

constexpr int64_t kDayMs = 86'400'000;
constexpr int64_t kAheadMs = 5'000;

/// East exports four slots to west. Both answer each order at once, with nothing used.
class TwoClusters : public VirtualSite {
 public:
  explicit TwoClusters(bool windows = false) {
    REQUIRE(open(kAheadMs));
    feed(BrokerStarted{1, false}, Instant{});
    BrokerConfig config;
    config.reclaim_delay_ms = 60'000;
    for (const char* name : {"east", "west"}) config.clusters.push_back({name, "", 60'000, {}});
    ExportPolicy policy;
    policy.name = "pool";
    policy.provider = "east";
    policy.hosts = {"big"};
    policy.slots_per_host = 4;
    policy.distribution = {{"west", 1}};
    policy.type = LeaseType::shared;
    if (windows) policy.windows.emplace_back();
    config.policies.push_back(policy);
    load({std::move(config), {}, "start"}, Instant{});
  }
  void join(const std::string& cluster) {
    AgentHello hello;
    hello.cluster = cluster;
    hello.state_id = hello.boot = hello.session = 1;
    hello.fences = {true, true, true};
    feed(hello, Instant{});
    InventoryReported inventory;
    inventory.cluster = cluster;
    inventory.session = 1;
    inventory.hosts.emplace_back();
    inventory.hosts.back().name = cluster == "east" ? "big" : "own";
    inventory.hosts.back().slots = 4;
    feed(inventory, Instant{});
  }
  void state_limit(const CoreOrder& order, Instant now) {
    StateReported report;
    report.cluster = state().clusters[order.cluster].name;
    report.session = 1;
    report.state.groups.push_back({});
    report.state.groups.back().generation = order.generation;
    report.state.groups.back().seq = order.seq;
    report.state.groups.back().count = 1;
    report.state.hosts.push_back({0, order.hosts.front().limit, 0, true});
    Event event = std::move(report);
    feed_report(event, now);
  }
  using VirtualSite::carry_out;

  std::vector<CoreOrder> taken;
  int steps = 0;
  int followed = 0;
  int to_feed = 0;  // follow() says so many times that it fed the core

 private:
  void stepped() override { ++steps; }
  bool follow(Instant) override {
    ++followed;
    return to_feed-- > 0;
  }
  bool take_order(const CoreOrder& order, Instant now) override {
    taken.push_back(order);
    state_limit(order, now);
    return order.cluster == 1;
  }
};

}  // namespace

TEST_CASE("orders are carried out one after the other, those of their answers too") {
  TwoClusters site;
  for (const char* name : {"east", "west"}) site.join(name);
  CHECK(site.carry_out(Instant{}));  // west may use its first slot
  REQUIRE(site.taken.size() >= 2);
  CHECK(site.followed == static_cast<int>(site.taken.size()) + 1);
  const SlotGroup& group = site.state().slot_groups.front();
  CHECK(group.at(0, kProvider).held == 3);
  CHECK(group.at(0, kConsumer).held == 1);
  CHECK_FALSE(site.carry_out(Instant{}));
}

TEST_CASE("where following the core fed it, it is asked for orders again") {
  TwoClusters site;
  site.to_feed = 3;
  CHECK_FALSE(site.carry_out(Instant{}));
  CHECK(site.followed == 4);
}

TEST_CASE("a report that says nothing new is not given to the core") {
  TwoClusters site;
  for (const char* name : {"east", "west"}) site.join(name);
  site.carry_out(Instant{});
  const int steps = site.steps;
  site.state_limit(site.taken.back(), Instant{});
  CHECK(site.steps == steps);
}

TEST_CASE("the core's time may be ahead, and its next deadline is told by the caller's") {
  TwoClusters site;
  CHECK(site.time(Instant{7}) == Instant{7 + kAheadMs});
  CHECK(site.state().now == Instant{kAheadMs});
  for (const char* name : {"east", "west"}) site.join(name);
  site.carry_out(Instant{});
  REQUIRE(site.next() == Instant{60'000});
  site.tick(site.next());
  CHECK(site.state().now == Instant{60'000 + kAheadMs});
  CHECK(site.next() == Instant{120'000});
}

TEST_CASE("windows are resolved again before those that the core knows end") {
  TwoClusters site(true);
  const Instant until = site.state().windows.until;
  CHECK(until == Instant{kAheadMs + kWindowHorizonMs});
  site.tick(Instant{kDayMs});
  CHECK(site.state().windows.until == until);
  site.tick(Instant{kWindowHorizonMs - 1});
  CHECK(site.state().windows.until == Instant{kAheadMs + 2 * kWindowHorizonMs - 1});
}
