// demand-aware: what is about to end counts where it serves sooner than a move would, and short
// work on slots that are gathered for the other side.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/rules/demand_aware/own_ends.hpp"
#include "tests/unit/rules/demand_aware/view.hpp"

using namespace leasehold;
using namespace leasehold::demand_aware;
using namespace leasehold::demand_aware::test;

namespace {

constexpr int64_t kMinute = 60'000;

/// Slots of it within a minute, and within the five after that.
std::vector<Ending> within(int64_t minute, int64_t five = 0) {
  return {{0, kMinute, minute}, {kMinute, 5 * kMinute, five}};
}

/// Moves took so long.
Ledger paced(int64_t move_ms) {
  Ledger ledger;
  ledger.pace.move_ms = move_ms;
  return ledger;
}

/// 8 idle slots of the provider on each of two hosts; the consumer's own work ends so.
View ending_view(std::vector<Waiting> consumer, std::vector<Ending> ending, int64_t hosts = 1) {
  View made = view({{8, 0}, {8, 0}}, {}, std::move(consumer));
  made.sides[kConsumer].ending = std::move(ending);
  made.sides[kConsumer].hosts = hosts;
  return made;
}

Waiting of_one_type(Waiting waiting) {
  waiting.rows = {1};
  return waiting;
}

}  // namespace

TEST_CASE("nothing is moved for work that own work makes room for sooner") {
  struct Case {
    const char* what;
    std::vector<Waiting> waiting;
    std::vector<Ending> ending;
    int64_t hosts;
    int64_t move_ms;
    int64_t moved;
  };
  const std::vector<Case> cases{
      {"no move was timed yet", {loose(1)}, within(8), 1, 0, 1},
      {"a move takes as long as all of it", {loose(1)}, within(1), 1, kMinute, 0},
      {"half of them end before a move comes", {loose(1, 8)}, within(8), 1, kMinute / 2, 4},
      {"a move is there before most of it ends", {loose(1)}, within(8), 1, 7'000, 1},
      {"of a later class what is over by then", {loose(1, 8)}, within(2, 4), 1, 3 * kMinute, 4},
      {"what ends later is not looked at", {loose(1)}, within(0, 100), 1, kMinute, 1},
      {"slots of any host will do for a loose job", {loose(4)}, within(4), 9, kMinute, 0},
      {"all of the job, or it is no help", {loose(4)}, within(3), 1, kMinute, 4},
      {"on one host: they are all there", {jobs(4, 1, 4)}, within(4), 1, kMinute, 0},
      {"they may lie on two", {jobs(4, 1, 4)}, within(4), 2, kMinute, 4},
      {"so many that one of two hosts has four", {jobs(4, 1, 4)}, within(7), 2, kMinute, 0},
      {"how many hosts there are is not known", {jobs(4, 1, 4)}, within(99), 0, kMinute, 4},
      {"over hosts: nobody knows", {jobs(2, 2, 4)}, within(99), 2, kMinute, 4},
      {"on hosts of one kind: nobody knows", {of_one_type(loose(2))}, within(9), 1, kMinute, 2},
      {"the oldest has them", {loose(2), loose(3)}, within(2), 1, kMinute, 3},
      {"and is waited for by those behind", {loose(6), loose(1)}, within(3), 1, kMinute, 7},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    const View some = ending_view(one.waiting, one.ending, one.hosts);
    const Answer answer = decide(some, paced(one.move_ms));
    CHECK(answer.slots() == one.moved);
    CHECK((answer.reason == Reason::ends_soon) == (one.moved == 0));
    CHECK((answer.reason == Reason::consumer_waits) == (one.moved > 0));
  }
}

TEST_CASE("the provider's work waits for its own ends, too, and not for the consumer's") {
  View some = view({{0, 8}}, {loose(2)}, {});
  some.sides[kProvider].ending = within(2);
  CHECK(decide(some, paced(kMinute)).reason == Reason::ends_soon);
  std::swap(some.sides[kProvider].ending, some.sides[kConsumer].ending);
  some.sides[kConsumer].ending = within(1'000'000);  // whatever a holder says
  CHECK(decide(some, paced(kMinute)).slots() == 2);
}

TEST_CASE("an end that does not come is waited for as long as a move takes, and then no more") {
  View some = ending_view({loose(2)}, within(2));
  Answer answer = decide(some, paced(kMinute));
  REQUIRE(answer.reason == Reason::ends_soon);
  some.now = some.now + (kMinute - 1);
  answer = decide(some, answer.ledger);
  CHECK(answer.reason == Reason::ends_soon);
  some.now = some.now + 1;
  answer = decide(some, answer.ledger);
  CHECK(answer.slots() == 2);
  // Nor is it believed for other work, for a delay.
  noted_use(answer.ledger, kConsumer, 0);
  some.rows[0].idle = {6, 0};
  some.now = some.now + (some.settings.delay_ms - 1);
  answer = decide(some, answer.ledger);
  CHECK(answer.slots() == 2);
  noted_use(answer.ledger, kConsumer, 0);
  some.rows[0].idle = {4, 0};
  some.now = some.now + some.settings.min_hold_ms;
  CHECK(decide(some, answer.ledger).reason == Reason::ends_soon);
}

TEST_CASE("whoever says all the time that work of its own ends soon waits, and others do not") {
  View some = view({{2, 2}}, {loose(2, 1'000)}, {loose(2, 1'000)});
  some.sides[kConsumer].ending = within(1'000'000);
  Ledger ledger = paced(kMinute);
  int64_t longest_ms = 0;
  std::array<Instant, 2> served{some.now, some.now};
  std::array<int64_t, 2> slots{};
  for (int minute = 0; minute < 240; ++minute) {
    const Answer answer = decide(some, ledger);  // what moves is used, and soon idle again
    ledger = answer.ledger;
    if (answer.slots() > 0) {
      noted_use(ledger, answer.to, 0);
      slots[answer.to] += answer.slots();
      served[answer.to] = some.now;
    }
    longest_ms = std::max(longest_ms, some.now - served[kConsumer]);
    some.now = some.now + kMinute;
  }
  CHECK(slots[kProvider] > slots[kConsumer]);
  CHECK(slots[kConsumer] > 0);
  CHECK(longest_ms <= kMinute + 16 * kMinute);  // the wait, and its turn after the other one's
}

TEST_CASE("ends that came in time are believed again at once") {
  View some = ending_view({loose(2)}, within(2));
  Answer answer = decide(some, paced(kMinute));
  REQUIRE(answer.reason == Reason::ends_soon);
  some.sides[kConsumer].waiting.clear();  // it started
  some.now = some.now + 20'000;
  answer = decide(some, answer.ledger);
  some.sides[kConsumer].waiting = {loose(1)};
  some.now = some.now + 50'000;
  CHECK(decide(some, answer.ledger).reason == Reason::ends_soon);
}

TEST_CASE("a move is timed until its slots are there") {
  const View some = view({{8, 0}}, {}, {loose(4)});
  Ledger ledger = decide(some, {}).ledger;
  CHECK(ledger.pace.move_ms == 0);
  noted_arrival(ledger, some.now + 40'000);
  CHECK(ledger.pace.move_ms == 40'000);
  noted_arrival(ledger, some.now + 90'000);  // later statements say nothing new
  CHECK(ledger.pace.move_ms == 40'000);
  ledger.pace.moving = some.now;
  noted_arrival(ledger, some.now + 20'000);
  CHECK(ledger.pace.move_ms == 30'000);
  ledger.pace.moving = some.now;
  noted_arrival(ledger, some.now + -5);  // a clock that was set back
  CHECK(ledger.pace.move_ms == 15'000);
}

TEST_CASE("it is waited no longer than a delay, however long moves took") {
  View some = ending_view({loose(2)}, {{0, 86'400'000, 1'000}});
  const Answer answer = decide(some, paced(86'400'000));
  REQUIRE(answer.reason == Reason::ends_soon);
  CHECK(answer.ledger.pace.until[kConsumer] == some.now + some.settings.delay_ms);
}

namespace {

Waiting brief(Waiting waiting, int64_t limit_ms) {
  waiting.limit_ms = limit_ms;
  return waiting;
}

/// Three idle slots are gathered for a wide job of that side.
View gathered_view(uint8_t member, Ledger& ledger) {
  View some = view({member == kProvider ? std::pair(3, 0) : std::pair(0, 3)}, {}, {});
  some.sides[member].waiting = {loose(10)};
  ledger.gathering = {member, some.sides[member].waiting[0].shape, some.now + 10 * kMinute};
  return some;
}

}  // namespace

TEST_CASE("the provider's short work runs on slots that are gathered for the consumer meanwhile") {
  Ledger ledger = paced(kMinute / 2);
  View some = gathered_view(kConsumer, ledger);
  struct Case {
    const char* what;
    int64_t limit_ms;
    int64_t left_ms;
    int64_t moved;
  };
  for (const Case& one : std::vector<Case>{
           {"it ends in time", 5 * kMinute, 10 * kMinute, 2},
           {"just so, with a move there and one back", 5 * kMinute, 6 * kMinute, 2},
           {"the move back would be too late", 5 * kMinute, 6 * kMinute - 1, 0},
           {"it has no limit", 0, 10 * kMinute, 0},
           {"it runs for longer", 15 * kMinute, 10 * kMinute, 0},
       }) {
    CAPTURE(one.what);
    some.sides[kProvider].waiting = {brief(loose(2), one.limit_ms)};
    ledger.gathering.until = some.now + one.left_ms;
    const Answer answer = decide(some, ledger);
    CHECK(answer.slots() == one.moved);
    CHECK(answer.reason == (one.moved > 0 ? Reason::provider_waits : Reason::gathering));
    CHECK(answer.ledger.gathering == ledger.gathering);  // it goes on
  }
}

TEST_CASE("a consumer's word of short work takes nothing that is gathered for the provider") {
  Ledger ledger = paced(kMinute / 2);
  View some = gathered_view(kProvider, ledger);
  some.sides[kConsumer].waiting = {brief(loose(2), kMinute)};
  const Answer answer = decide(some, ledger);
  CHECK(answer.reason == Reason::gathering);
  CHECK(answer.slots() == 0);
}

TEST_CASE("the wide job is before short work once what was gathered is enough") {
  Ledger ledger = paced(kMinute / 2);
  View some = gathered_view(kConsumer, ledger);
  some.rows[0].idle = {2, 8};
  some.sides[kProvider].waiting = {brief(loose(4), kMinute)};
  const Answer answer = decide(some, ledger);
  CHECK(answer.to == kConsumer);
  CHECK(answer.slots() == 2);
  CHECK(answer.ledger.gathering.member == kNobody);
}
