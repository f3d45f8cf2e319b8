// These tests show which caps may be believed, and which changes of caps open nothing.
#include "agent/core/limits/fences.hpp"

#include <catch2/catch.hpp>

#include "agent/core/lease_clock.hpp"
#include "tests/unit/agent/core/limits/made_groups.hpp"

namespace leasehold::agent {
namespace {

using Caps = std::vector<HostCap>;

HostCap own_cap(const char* host, int32_t slots) {
  return {host, false, slots, 4, 0, 0, {{9, 0, slots - 4, 4}}};
}

HostCap imported_cap(const char* host, int32_t slots) {
  return {host, true, slots, 0, 0, 0, {{8, 0, slots, 0}}};
}

TEST_CASE("a cap that was asked for binds once it has settled, each host by itself") {
  Fences fences;
  CHECK(fences.binds_at_ms("big1", 0) == INT64_MIN);
  fences.asked({own_cap("big1", 5)}, 1'000, 500);
  CHECK(fences.binds_at_ms("big1", 1'499) == 1'500);
  CHECK(fences.binds_at_ms("big1", 1'500) == INT64_MIN);
  CHECK(fences.binds_at_ms("big2", 1'200) == INT64_MIN);
  fences.asked({own_cap("big1", 4)}, 1'400, 500);  // again: from now
  CHECK(fences.binds_at_ms("big1", 1'500) == 1'900);
  fences.asked({own_cap("big2", 4)}, 2'000, 0);  // binds at once
  CHECK(fences.binds_at_ms("big2", 2'000) == INT64_MIN);
}

// Symptom: an agent spoke when its first fence bound, and stated slots that were open still.
TEST_CASE("all caps bind when the last of them does") {
  Fences fences;
  CHECK(fences.all_bind_at_ms(0) == INT64_MIN);
  fences.asked({own_cap("big2", 5)}, 1'200, 500);
  fences.asked({own_cap("big1", 5)}, 1'000, 500);
  fences.asked({own_cap("big3", 5)}, 1'100, 500);
  CHECK(fences.all_bind_at_ms(1'699) == 1'700);
  CHECK(fences.all_bind_at_ms(1'700) == INT64_MIN);
}

TEST_CASE("a host counts as closing until what was asked for, and each later step, binds") {
  using Hosts = std::set<std::string>;
  Fences fences;
  CHECK(fences.closing(0).empty());
  fences.asked({own_cap("big1", 5), own_cap("big2", 5)}, 0, 500);
  CHECK(fences.closing(499) == Hosts{"big1", "big2"});
  fences.seen({own_cap("big1", 7), own_cap("big2", 5)}, 500, 500);
  CHECK(fences.closing(500).empty());
  fences.seen({own_cap("big1", 6), own_cap("big2", 5)}, 600, 500);
  CHECK(fences.closing(1'099) == Hosts{"big1"});
  CHECK(fences.closing(1'100).empty());
}

TEST_CASE("a cap that closes slot by slot binds some time after each step, not after each look") {
  // Symptom: each look asked for the same cap again, and it never bound.
  Fences fences;
  fences.asked({own_cap("h", 0)}, 0, 500);
  fences.seen({own_cap("h", 2)}, 100, 500);
  fences.asked({own_cap("h", 0)}, 100, 500);
  CHECK(fences.binds_at_ms("h", 499) == 500);
  fences.seen({own_cap("h", 2)}, 500, 500);
  CHECK(fences.beyond("h", {own_cap("h", 0)}, {own_cap("h", 2)}, 500) == 2);
  fences.seen({own_cap("h", 1)}, 600, 500);  // work has ended, and what it had is held
  CHECK(fences.beyond("h", {own_cap("h", 0)}, {own_cap("h", 1)}, 1'099) == 2);
  CHECK(fences.beyond("h", {own_cap("h", 0)}, {own_cap("h", 1)}, 1'100) == 1);
  SECTION("another cap binds after its own time") {
    fences.asked({own_cap("h", 1)}, 1'200, 500);
    CHECK(fences.binds_at_ms("h", 1'200) == 1'700);
    fences.seen({own_cap("h", 1)}, 1'300, 500);
    CHECK(fences.binds_at_ms("h", 1'300) == 1'700);
  }
  SECTION("one that failed binds after the time of the next try") {
    fences.asked({own_cap("h", 0)}, 1'200, 500, false);
    fences.asked({own_cap("h", 0)}, 1'300, 500);
    CHECK(fences.binds_at_ms("h", 1'300) == 1'800);
  }
  SECTION("of a host that is free nothing is waited for") {
    fences.asked({{"h", false, 4, 4, 0, 0, {}}}, 1'200, 0);
    fences.seen({}, 1'300, 500);
    CHECK(fences.binds_at_ms("h", 1'300) == INT64_MIN);
  }
}

TEST_CASE("on a host where a job ended every few seconds a fence bound only when no more did") {
  // Symptom: each step began the wait of all others again, and nothing was given up.
  Fences fences;
  fences.asked({own_cap("h", 0)}, 0, 500);
  const auto beyond = [&](int32_t open, int64_t now_ms) {
    fences.seen({own_cap("h", open)}, now_ms, 500);
    return fences.beyond("h", {own_cap("h", 0)}, {own_cap("h", open)}, now_ms);
  };
  CHECK(beyond(4, 500) == 4);
  CHECK(beyond(3, 800) == 4);
  CHECK(beyond(2, 1'100) == 4);
  CHECK(beyond(1, 1'400) == 3);  // the step seen at 800 binds
  SECTION("one that is open again counts at once, and binds after its own time") {
    CHECK(beyond(3, 1'500) == 3);
    CHECK(beyond(0, 1'600) == 3);
    CHECK(beyond(0, 2'099) == 3);
    CHECK(beyond(0, 2'100) == 0);
  }
  CHECK(beyond(0, 1'700) <= 2);
}

TEST_CASE("a fence stands when it has settled and a look found it no higher than wanted") {
  struct Row {
    const char* what;
    Caps wanted;
    Caps found;
    bool stands;
  };
  const Row rows[] = {
      {"as wanted", {own_cap("h", 5)}, {own_cap("h", 5)}, true},
      {"lower", {own_cap("h", 5)}, {own_cap("h", 4)}, true},
      {"higher", {own_cap("h", 5)}, {own_cap("h", 6)}, false},
      {"an own host without one is open", {own_cap("h", 5)}, {}, false},
      {"an imported host without one is closed", {imported_cap("h", 5)}, {}, true},
      {"none wanted, none there", {}, {}, true},
      {"none wanted, one that lets nothing through", {}, {imported_cap("h", 0)}, true},
      {"none wanted, one that is open", {}, {imported_cap("h", 1)}, false},
      {"another host's", {own_cap("h", 5)}, {own_cap("other", 5)}, false},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Fences fences;
    CHECK(fences.stands("h", row.wanted, row.found, 0) == row.stands);
    fences.asked({own_cap("h", 5)}, 0, 100);
    CHECK_FALSE(fences.stands("h", row.wanted, row.found, 99));
    CHECK(fences.stands("h", row.wanted, row.found, 100) == row.stands);
  }
}

TEST_CASE("of changes only what closes something is kept, with the parts that are there") {
  const std::vector<wire::HostFacts> own{facts("big1", 8)};
  const auto slots = [&](const HostCap& change, const Caps& found) {
    const Caps kept = without_raises({change}, found, own);
    return kept.empty() ? -1 : kept[0].slots;
  };
  CHECK(slots(own_cap("big1", 5), {own_cap("big1", 7)}) == 5);   // a lowering
  CHECK(slots(own_cap("big1", 7), {own_cap("big1", 5)}) == -1);  // a raise
  CHECK(slots(own_cap("big1", 5), {own_cap("big1", 5)}) == -1);  // there already
  CHECK(slots(own_cap("big1", 5), {}) == 5);                     // open as a whole now
  CHECK(slots(own_cap("big1", 9), {}) == -1);                    // no more than that
  CHECK(slots(own_cap("gone", 5), {}) == -1);                    // not in sight
  CHECK(slots(imported_cap("far", 5), {}) == -1);                // closed now
  CHECK(slots(imported_cap("big1", 5), {}) == -1);               // another host of that name
  CHECK(slots(imported_cap("far", 5), {imported_cap("far", 3)}) == -1);
  CHECK(slots({"big1", false, 8, 8, 0, 0, {}}, {own_cap("big1", 5)}) == -1);   // lifts a fence
  CHECK(slots({"far", true, 0, 0, 0, 0, {}}, {imported_cap("far", 3)}) == 0);  // closes it
  HostCap stale = own_cap("big1", 5);
  stale.parts = {{1, 0, 5, 8}};
  HostCap there = own_cap("big1", 7);
  there.parts = {{2, 0, 7, 8}};
  CHECK(without_raises({stale}, {there}, own)[0].parts == there.parts);
}

TEST_CASE("an agent is surely heard for less than the timeout since an answered heartbeat") {
  LeaseClock clock;
  CHECK(clock.certainly_in_contact(0, 0));  // no timeout is known
  CHECK_FALSE(clock.certainly_in_contact(0, 60'000));
  clock.begin_session(1'000);
  CHECK_FALSE(clock.certainly_in_contact(1'000, 60'000));
  REQUIRE(clock.answered(0));
  CHECK(clock.certainly_in_contact(59'799, 60'000));  // 2 % for clocks of unlike speed
  CHECK_FALSE(clock.certainly_in_contact(59'800, 60'000));
}

TEST_CASE("a thousand heartbeats that nobody answered are remembered, and no more") {
  LeaseClock clock;
  for (uint64_t number = 0; number <= 1'000; ++number) clock.sent(number, 5);
  CHECK_FALSE(clock.answered(0));
  CHECK(clock.answered(1));
}

}  // namespace
}  // namespace leasehold::agent
