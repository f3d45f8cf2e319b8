// The end of a policy's window ahead: a host goes home before it, no sooner than the work of a
// borrower with limits needs. What still runs goes on.
#include <catch2/catch.hpp>

#include "broker/core/model/turn/deadlines.hpp"
#include "tests/unit/core/lease/horizon_fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

Instant at(const char* text) {
  return *parse_time(text, Instant{0});
}

ResolvedWindows open_from(Instant from, Instant to) {
  ResolvedWindows windows;
  windows.until = to + 7 * 24 * kHourMs;
  windows.policies = {{"pool", {{from, to}}}};
  return windows;
}

/// Two hosts of 4, all of both lent from the window's begin on; two slots are in use, by work of at
/// most four hours.
Site lent_in_window(Instant from, Instant to, int64_t longest_ms = 4 * kHourMs) {
  Site site(one_pool(2, 4, LeaseType::exclusive));
  const BrokerConfig config = site.state.config;
  site.add_hosts("east", 2, 4);
  site.now = from;
  site.step(BrokerStarted{1, false});
  site.load(config, open_from(from, to));
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  limited(site, "west", longest_ms);
  site.pass(kDelayMs);
  REQUIRE(lent(site) == Slots{4, 4});
  site.use("west", kPool, 0, 2);
  site.run_until_idle();
  return site;
}

Site lent_for_a_day(int64_t longest_ms = 4 * kHourMs) {
  const Instant from = at("2026-11-21T00:00:00Z");
  return lent_in_window(from, from + 24 * kHourMs, longest_ms);
}

}  // namespace

TEST_CASE("before a window's end hosts go home as early as the longest limit, over clock changes") {
  // Berlin, from Saturday 20:00 to Sunday 06:00, as windows_test.cpp resolves it: 9 hours in
  // spring, 11 in autumn.
  const std::pair<const char*, const char*> nights[] = {
      {"2027-03-27T19:00:00Z", "2027-03-28T04:00:00Z"},
      {"2026-10-24T18:00:00Z", "2026-10-25T05:00:00Z"}};
  for (const auto& [from, to] : nights) {
    INFO(from);
    Site site = lent_in_window(at(from), at(to));
    const Instant closes = at(to) + -4 * kHourMs;
    CHECK(site.state.horizon_next == closes);
    site.pass(closes - site.now - 1);
    CHECK(lent(site) == Slots{4, 4});
    site.pass(1);
    CHECK(lent(site) == Slots{2, 0});
    REQUIRE(site.group(kPool).transfers.size() == 1);
    CHECK(site.group(kPool).transfers.front().lowering == wire::Lowering::shrink);
    CHECK(token(site.group(kPool).transfers.front().reason) == token(Reason::draining));
    site.use("west", kPool, 0, 1);
    site.run_until_idle();
    site.pass(kDelayMs);
    CHECK(lent(site) == Slots{1, 0});  // nothing new starts in its place
    CHECK(token(site.group(kPool).reason) == token(Reason::draining));
    site.pass(at(to) - site.now);
    CHECK(site.phase(kPool) == "draining");
    CHECK(lent(site) == Slots{1, 0});  // what still runs goes on
  }
}

TEST_CASE("work that is bound by no limit shorter than the window has its hosts to the end of it") {
  enum class Stated : uint8_t { nothing, no_limit, as_long_as_the_window };
  for (const Stated stated : {Stated::nothing, Stated::no_limit, Stated::as_long_as_the_window}) {
    Site site = lent_for_a_day();
    if (stated == Stated::no_limit) limited(site, "west", wire::kNoTimeLimit);
    if (stated == Stated::as_long_as_the_window) limited(site, "west", 24 * kHourMs);
    if (stated == Stated::nothing) {  // its new session tells nothing
      site.state.clusters[find_cluster(site.state, "west")].ending.reset();
      site.load(site.state.config, site.state.windows);
    }
    const Instant end = at("2026-11-22T00:00:00Z");
    site.pass(end - site.now - 1);
    CHECK(lent(site) == Slots{4, 4});
    site.pass(1);
    CHECK(lent(site) == Slots{2, 0});
  }
}

TEST_CASE(
    "a host that its window's end closed opens when the work that might outlast it has gone") {
  Site site = lent_for_a_day();
  site.pass(20 * kHourMs);
  REQUIRE(lent(site) == Slots{2, 0});
  SECTION("shorter limits") {
    limited(site, "west", kHourMs / 2);
  }
  SECTION("no limit any more: it drains at the end, as ever") {
    limited(site, "west", wire::kNoTimeLimit);
  }
  SECTION("a later end") {
    const Instant from = at("2026-11-21T00:00:00Z");
    site.load(site.state.config, open_from(from, from + 48 * kHourMs));
  }
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{4, 4});
}

TEST_CASE("a restart does not open again what a window's end has closed") {
  Site site = lent_for_a_day();
  site.pass(20 * kHourMs);
  REQUIRE(lent(site) == Slots{2, 0});
  site.restart_broker();
  site.hello("west");
  site.hello("east");
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{2, 0});
  limited(site, "west", kHourMs / 2);
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{4, 4});
}

TEST_CASE("plan: before a policy's window ends nobody but its owner is due anything of its hosts") {
  PlanSite site(plan_of({{"/a", "west", 8, 0}}), 2, 8);
  site.want("west", 16);
  for (int i = 0; i < 3; ++i) site.cycle();
  site.want("west", 16);
  REQUIRE(site.held("west") == 16);
  limited(site, "west", kHourMs);
  site.load(site.state.config, open_from(site.now, site.now + (kHourMs + 60'000)));
  site.run_until_idle();
  site.pass(59'999);
  CHECK(site.due("west") == 16);
  site.pass(1);
  site.cycle();
  CHECK(site.due("west") == 0);
  CHECK(site.held("west") == 16);  // all of it is in use
  REQUIRE_FALSE(site.pool().transfers.empty());
  for (const Transfer& open : site.pool().transfers) {
    CHECK(open.lowering == wire::Lowering::shrink);
    CHECK(token(open.reason) == token(Reason::draining));
  }
}
