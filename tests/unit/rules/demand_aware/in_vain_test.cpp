// demand-aware: a consumer that leaves unused what it is given for one shape after another, and
// moves that bring nothing.
#include <array>
#include <catch2/catch.hpp>

#include "broker/rules/demand_aware/back_off.hpp"
#include "broker/rules/demand_aware/grants.hpp"
#include "tests/unit/rules/demand_aware/view.hpp"

using namespace leasehold;
using namespace leasehold::demand_aware;
using namespace leasehold::demand_aware::test;

namespace {

/// Slots that nobody else wants are given for work of so many slots, and left unused. Returns how
/// long it waited for them.
int64_t left_unused(View& some, Ledger& ledger, int64_t slots) {
  some.sides[kConsumer].waiting = {loose(slots)};
  const Instant since = some.now;
  Answer answer = decide(some, ledger);
  while (answer.to != kConsumer) {
    REQUIRE(answer.reason == Reason::unused_before);
    some.now = some.now + some.settings.delay_ms;
    answer = decide(some, answer.ledger);
  }
  const int64_t waited_ms = some.now - since;
  const auto given = static_cast<int32_t>(slots);
  some.rows[0].idle = {16 - given, given};
  some.now = some.now + some.settings.use_by_ms;
  answer = decide(some, answer.ledger);
  REQUIRE(answer.reason == Reason::grant_unused);
  some.rows[0].idle = {16, 0};
  ledger = answer.ledger;
  return waited_ms;
}

}  // namespace

TEST_CASE("a consumer that told another shape each time never waited for what it left unused") {
  View some = view({{16, 0}}, {}, {});
  some.settings.min_hold_ms = 0;
  Ledger ledger;
  for (int32_t shape = 1; shape <= kNewShapesMost; ++shape) {
    CHECK(left_unused(some, ledger, shape) == 0);
  }
  std::vector<int64_t> waited_delays;
  for (int32_t shape = kNewShapesMost + 1; shape <= 14; ++shape) {
    waited_delays.push_back(left_unused(some, ledger, shape) / some.settings.delay_ms);
  }
  CHECK(waited_delays == std::vector<int64_t>{1, 2, 4, 8, 16, 16});
  some.sides[kConsumer].waiting = {loose(16)};
  CHECK(decide(some, ledger).reason == Reason::unused_before);
  SECTION("until it uses something that it was given") {
    some.now = ledger.in_vain.until;
    Answer answer = decide(some, ledger);
    REQUIRE(answer.to == kConsumer);
    noted_use(answer.ledger, kConsumer, 0);
    some.rows[0].idle = {0, 0};
    some.sides[kConsumer].waiting = {loose(15)};
    answer = decide(some, answer.ledger);
    CHECK(answer.ledger.in_vain.empty());
    some.rows[0].idle = {15, 0};
    CHECK(decide(some, answer.ledger).to == kConsumer);
  }
}

TEST_CASE("one shape that is left unused time and again is no reason for others to wait") {
  View some = view({{16, 0}}, {}, {});
  some.settings.min_hold_ms = 0;
  Ledger ledger;
  for (int round = 0; round < 10; ++round) left_unused(some, ledger, 3);
  CHECK(ledger.in_vain.shapes == 1);
  some.sides[kConsumer].waiting = {loose(4)};
  CHECK(decide(some, ledger).to == kConsumer);
}

TEST_CASE("the owner's work does not wait for shapes of it that were left unused") {
  InVain in_vain;
  in_vain.until = kNoon + 1;
  Ledger ledger;
  ledger.in_vain = in_vain;
  CHECK(waits_off(ledger, kConsumer, Shape{}, kNoon));
  CHECK_FALSE(waits_off(ledger, kConsumer, Shape{}, kNoon + 1));
  CHECK_FALSE(waits_off(ledger, kProvider, Shape{}, kNoon));
}

TEST_CASE("a move that brought nothing is remembered until something that was given is used") {
  Ledger ledger;
  ledger.grant = {kProvider, 3, 3, kNoon, {Shape{}}};
  noted_failure(ledger, kProvider);
  CHECK(ledger.in_vain.failed == std::array{true, false});
  ledger.grant = {kProvider, 3, 3, kNoon, {Shape{}}};
  noted_use(ledger, kProvider, 3);
  View some = view({{3, 0}}, {}, {});
  CHECK(decide(some, ledger).ledger.in_vain.failed == std::array{true, false});
  noted_use(ledger, kProvider, 0);
  CHECK(decide(some, ledger).ledger.in_vain.empty());
}
