// demand-aware: what it remembers from evaluation to evaluation, and what comes of it.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/rules/demand_aware/grants.hpp"
#include "tests/unit/rules/demand_aware/view.hpp"

using namespace leasehold;
using namespace leasehold::demand_aware;
using namespace leasehold::demand_aware::test;

TEST_CASE("a grant that is not used goes back, and the shape waits twice as long each time") {
  View some = view({{8, 0}}, {}, {loose(4)});
  Ledger ledger;
  std::vector<int64_t> waited_ms;
  Instant back = some.now;
  for (int round = 0; round < 4; ++round) {
    Answer answer = decide(some, ledger);
    while (answer.slots() == 0) {
      CHECK(answer.reason == Reason::unused_before);
      some.now = some.now + 60'000;
      answer = decide(some, answer.ledger);
    }
    REQUIRE(answer.to == kConsumer);
    if (round > 0) waited_ms.push_back(some.now - back);
    some.rows[0].idle = {4, 4};
    noted_use(answer.ledger, kConsumer, 4);
    some.now = some.now + some.settings.use_by_ms;
    answer = decide(some, answer.ledger);
    REQUIRE(answer.reason == Reason::grant_unused);
    REQUIRE(answer.to == kProvider);
    REQUIRE(answer.slots() == 4);
    some.rows[0].idle = {8, 0};
    back = some.now;
    ledger = answer.ledger;
  }
  CHECK(waited_ms == std::vector<int64_t>{600'000, 1'200'000, 2'400'000});
  SECTION("another shape need not wait") {
    some.sides[kConsumer].waiting = {loose(3)};
    some.now = some.now + some.settings.min_hold_ms;
    CHECK(decide(some, ledger).to == kConsumer);
  }
}

TEST_CASE("a grant that was used in between is used, whatever is idle when its time is over") {
  View some = view({{8, 0}}, {}, {loose(4)});
  Answer answer = decide(some, {});
  some.rows[0].idle = {4, 4};
  noted_use(answer.ledger, kConsumer, 4);
  noted_use(answer.ledger, kConsumer, 0);
  noted_use(answer.ledger, kConsumer, 4);
  some.now = some.now + some.settings.use_by_ms;
  some.sides[kConsumer].waiting.clear();
  answer = decide(some, answer.ledger);
  CHECK(answer.reason == Reason::no_taker);
  CHECK(answer.ledger.back_offs.empty());
  CHECK(answer.ledger.grant.to == kNobody);
}

TEST_CASE("the consumer's next move waits for min_hold, the provider's does not") {
  View some = view({{8, 0}}, {}, {loose(4)});
  const Answer first = decide(some, {});
  some.rows[0].idle = {4, 0};
  some.now = some.now + 10'000;
  Ledger used = first.ledger;
  noted_use(used, kConsumer, 0);
  CHECK(decide(some, used).reason == Reason::min_hold);
  some.rows[0].idle = {0, 4};
  some.sides[kProvider].waiting = {loose(2)};
  some.sides[kConsumer].waiting.clear();
  CHECK(decide(some, used).to == kProvider);
}

TEST_CASE("slots that were granted and are not used yet are not taken back before their time") {
  View some = view({{8, 0}}, {}, {loose(4)});
  const Answer first = decide(some, {});
  some.rows[0].idle = {0, 4};
  some.sides[kProvider].waiting = {loose(2)};
  some.now = some.now + 10'000;
  CHECK(decide(some, first.ledger).slots() == 0);
  some.settings.provider_first = true;
  CHECK(decide(some, first.ledger).to == kProvider);
}

TEST_CASE("where both want the same slots, each has its turn, however much the other claims") {
  View some = view({{2, 2}}, {loose(3)}, {loose(3, 1'000'000)});
  Ledger ledger;
  int rounds_east_waited = 0;
  int longest = 0;
  for (int round = 0; round < 200; ++round) {
    const Answer answer = decide(some, ledger);  // whatever moves is used, and soon idle again
    if (answer.slots() > 0) {
      rounds_east_waited = answer.to == kProvider ? 0 : rounds_east_waited + 1;
      longest = std::max(longest, rounds_east_waited);
    }
    ledger = answer.ledger;
    noted_use(ledger, answer.to, 0);
    some.now = some.now + some.settings.delay_ms;
  }
  CHECK(longest >= 1);
  CHECK(longest <= 16);  // the group's slots: nobody counts more demand than those
}

TEST_CASE("slots are gathered for so long, then others may have them, and the shape rests") {
  Waiting wide = loose(10);
  wide.age_ms = 400'000;
  View some = view({{3, 2}}, {}, {wide});
  Answer answer = decide(some, {});
  REQUIRE(answer.reason == Reason::gathering);
  CHECK(answer.moves == std::vector<RowSlots>{{0, 3}});
  some.rows[0].idle = {0, 5};
  some.sides[kProvider].waiting = {loose(1)};
  some.now = some.now + 300'000;
  answer = decide(some, answer.ledger);
  CHECK(answer.reason == Reason::gathering);
  CHECK(answer.slots() == 0);
  some.now = some.now + 300'000;
  answer = decide(some, answer.ledger);
  CHECK(answer.reason == Reason::provider_waits);
  some.rows[0].idle = {3, 2};
  some.sides[kProvider].waiting.clear();
  some.now = some.now + 300'000;
  CHECK(decide(some, answer.ledger).slots() == 0);
  some.now = some.now + 300'000;
  CHECK(decide(some, answer.ledger).reason == Reason::gathering);
}

TEST_CASE("a consumer that claims another wide shape each time had the provider wait for ever") {
  View some = view({{3, 0}}, {loose(2, 1'000)}, {});
  Ledger ledger;
  int64_t provider_kept_ms = 0;
  int64_t longest_ms = 0;
  int64_t kept_ms = 0;
  for (int minute = 0; minute < 240; ++minute) {
    Waiting wide = loose(6 + minute % 9);
    wide.age_ms = 3'600'000;
    some.sides[kConsumer].waiting = {wide};
    some.sides[kProvider].waiting = {loose(2, 1'000)};
    some.rows[0].idle = {0, 3};  // with the consumer, idle
    const Answer answer = decide(some, ledger);
    const bool kept = answer.to != kProvider;
    kept_ms = kept ? kept_ms + 60'000 : 0;
    provider_kept_ms += kept ? 60'000 : 0;
    longest_ms = std::max(longest_ms, kept_ms);
    ledger = answer.ledger;
    noted_use(ledger, answer.to, 0);
    some.now = some.now + 60'000;
  }
  CHECK(longest_ms <= 600'000);
  CHECK(provider_kept_ms <= 240 * 60'000 / 2);
}

TEST_CASE(
    "slots that min_hold keeps from a job for a moment were gathered for another for minutes") {
  View some = view({{0, 0}}, {}, {});
  Ledger ledger;
  ledger.moved_at = some.now;
  some.rows[0].idle = {4, 2};
  some.sides[kConsumer].waiting = {loose(6)};
  some.sides[kProvider].waiting = {loose(9)};
  some.now = some.now + 10'000;
  const Answer answer = decide(some, ledger);
  CHECK(answer.reason == Reason::min_hold);
  CHECK(answer.ledger.gathering.member == kNobody);
}

TEST_CASE("slots that never came were taken for used, and the shape had nothing to wait for") {
  Ledger ledger;
  ledger.grant = {kConsumer, 3, 3, Instant{0}, {Shape{}}};
  ledger.back_offs = {{kConsumer, Shape{}, Instant{5}, 2}};
  noted_failure(ledger, kProvider);
  CHECK(ledger.grant.to == kConsumer);
  noted_failure(ledger, kConsumer);
  CHECK(ledger.grant.to == kNobody);
  const Answer answer = decide(view({{3, 0}}, {}, {}), ledger);
  CHECK(answer.ledger.back_offs.size() == 1);
}

TEST_CASE(
    "what was left unused and did not come back is asked for again, and nothing else changes") {
  View some = view({{0, 3}, {0, 1}}, {}, {});
  Ledger ledger;
  ledger.grant = {kConsumer, 4, 4, Instant{0}, {Shape{}}};
  Answer answer = decide(some, ledger);
  REQUIRE(answer.reason == Reason::grant_unused);
  REQUIRE(answer.slots() == 4);
  CHECK(answer.ledger.left_unused == 0);
  const std::vector<BackOff> back_offs = answer.ledger.back_offs;
  REQUIRE(back_offs.size() == 1);
  SECTION("a move that fails") {
    noted_kept(answer.ledger, 4, 4);
    some.now = some.now + some.settings.delay_ms;
    answer = decide(some, answer.ledger);
    CHECK(answer.reason == Reason::grant_unused);
    CHECK(answer.slots() == 4);
    CHECK(answer.ledger.back_offs == back_offs);
  }
  SECTION("of which some are used by then") {
    noted_kept(answer.ledger, 4, 3);
    noted_use(answer.ledger, kProvider, 0);
    noted_use(answer.ledger, kConsumer, 2);
    noted_use(answer.ledger, kConsumer, 4);
    some.now = some.now + some.settings.delay_ms;
    CHECK(decide(some, answer.ledger).slots() == 2);
  }
  SECTION("a move that comes late is nobody's grant") {
    noted_kept(answer.ledger, 4, 0);
    CHECK(decide(some, answer.ledger).reason == Reason::no_taker);
  }
}

TEST_CASE("a grant whose place another took before its time was over was never judged") {
  const bool to_consumer = GENERATE(true, false);
  View some = view({{8, 0}}, {}, {loose(2)});
  Answer answer = decide(some, {});
  REQUIRE(answer.slots() == 2);
  some.now = some.now + some.settings.min_hold_ms;
  if (to_consumer) {
    some.rows[0].idle = {6, 2};
    some.sides[kConsumer].waiting = {loose(5)};
  } else {
    some.rows[0].idle = {0, 3};
    some.sides[kConsumer].waiting = {};
    some.sides[kProvider].waiting = {loose(1)};
  }
  answer = decide(some, answer.ledger);
  REQUIRE(answer.to == (to_consumer ? kConsumer : kProvider));
  REQUIRE(answer.ledger.earlier.size() == 1);
  noted_use(answer.ledger, kProvider, 0);
  noted_use(answer.ledger, kConsumer, to_consumer ? 4 : 2);  // of its second grant one is used
  some.rows[0].idle = {0, 4};
  some.sides[kProvider].waiting = {};
  some.now = some.now + some.settings.min_hold_ms;
  answer = decide(some, answer.ledger);
  CHECK(answer.reason == Reason::grant_unused);
  CHECK(answer.moves == std::vector<RowSlots>{{0, to_consumer ? 1 : 2}});
  CHECK(answer.ledger.earlier.empty());
  CHECK(answer.ledger.back_offs.size() == 1);
}

TEST_CASE("of many grants at once the oldest is judged before its time, and none is forgotten") {
  View some = view({{16, 0}}, {}, {});
  some.settings.min_hold_ms = 0;
  Ledger ledger;
  constexpr auto kMost = static_cast<int32_t>(kEarlierMost);
  for (int32_t slots = 1; slots <= kMost + 2; ++slots) {
    some.sides[kConsumer].waiting = {loose(slots)};
    some.rows[0].idle = {16 - slots + 1, slots - 1};
    const Answer answer = decide(some, ledger);
    REQUIRE(answer.to == kConsumer);
    REQUIRE(answer.slots() == 1);
    ledger = answer.ledger;
    CHECK(ledger.left_unused == (slots == kMost + 2 ? 1 : 0));
  }
  CHECK(ledger.earlier.size() == kEarlierMost);
  CHECK(ledger.back_offs.size() == 1);
  some.rows[0].idle = {0, 10};
  const Answer answer = decide(some, ledger);
  CHECK(answer.reason == Reason::grant_unused);
  CHECK(answer.slots() == 1);
}

TEST_CASE(
    "of more shapes than are remembered as unused the one whose wait ends first is forgotten") {
  Ledger ledger;
  for (size_t i = 0; i < kBackOffsMost; ++i) {
    const int64_t wait_ms = i == 5 ? 1'000 : 2'000;
    ledger.back_offs.push_back(
        {kConsumer, loose(static_cast<int64_t>(i) + 2).shape, kNoon + wait_ms, 1});
  }
  const BackOff first = ledger.back_offs[5];
  ledger.grant = {kConsumer, 4, 4, Instant{0}, {loose(1).shape}};
  const std::vector<BackOff> known = decide(view({{0, 4}}, {}, {}), ledger).ledger.back_offs;
  CHECK(known.size() == kBackOffsMost);
  CHECK(std::count(known.begin(), known.end(), first) == 0);
  CHECK(known.back().shape == loose(1).shape);
}

TEST_CASE("what was left unused on a host that is down stayed there once it was up again") {
  View some = view({{0, 3}, {0, 0}}, {}, {});
  Ledger ledger;
  ledger.grant = {kConsumer, 4, 4, Instant{0}, {Shape{}}};
  Answer answer = decide(some, ledger);
  CHECK(answer.slots() == 3);
  CHECK(answer.ledger.left_unused == 1);
  some.rows[0].idle = {3, 0};
  answer = decide(some, answer.ledger);
  CHECK(answer.reason == Reason::no_taker);
  some.rows[1].idle = {0, 1};
  CHECK(decide(some, answer.ledger).moves == std::vector<RowSlots>{{1, 1}});
}

// Symptom: on Grid Engine a slot whose job had started elsewhere was sent home at the very
// evaluation at which a job of two slots waited, and moved again, with another, at the next.
TEST_CASE("what was left unused stays for other work that needs it with what is moved to it") {
  View some = view({{1, 1}}, {}, {jobs(2, 1, 2)});
  Ledger ledger;
  ledger.grant = {kConsumer, 1, 1, Instant{0}, {Shape{}}};
  Answer answer = decide(some, ledger);
  REQUIRE(answer.reason == Reason::consumer_waits);
  REQUIRE(answer.moves == std::vector<RowSlots>{{0, 1}});
  CHECK(answer.ledger.left_unused == 0);
  CHECK(still_granted(answer.ledger, kConsumer) == 2);
  CHECK(answer.ledger.back_offs.size() == 1);  // whose grant it was waits all the same
  some.now = some.now + some.settings.use_by_ms;
  SECTION("which uses all of it") {
    noted_use(answer.ledger, kConsumer, 0);
    some.rows[0].idle = {0, 0};
    some.sides[kConsumer].waiting.clear();
    answer = decide(some, answer.ledger);
    CHECK(answer.reason == Reason::no_taker);
    CHECK(answer.ledger.back_offs.size() == 1);
    CHECK(answer.ledger.earlier.empty());
  }
  SECTION("which leaves it unused, too, and waits from then on") {
    noted_use(answer.ledger, kConsumer, 2);
    some.rows[0].idle = {0, 2};
    answer = decide(some, answer.ledger);
    CHECK(answer.reason == Reason::grant_unused);
    CHECK(answer.slots() == 2);
    CHECK(answer.ledger.back_offs.size() == 2);
  }
  SECTION("what of it was moved did not come: the rest goes home") {
    noted_failure(answer.ledger, kConsumer);
    some.sides[kConsumer].waiting.clear();
    answer = decide(some, answer.ledger);
    CHECK(answer.reason == Reason::grant_unused);
    CHECK(answer.moves == std::vector<RowSlots>{{0, 1}});
  }
}

TEST_CASE("what was left unused goes home where no other work is served with all of it") {
  View some = view({{1, 1}}, {}, {jobs(2, 1, 2)});
  Ledger ledger;
  ledger.grant = {kConsumer, 1, 1, Instant{0}, {Shape{}}};
  SECTION("the work that left it unused") {
    some.sides[kConsumer].waiting = {loose(1, 2)};
  }
  SECTION("somebody waits at the provider") {
    some.sides[kProvider].waiting = {loose(5)};
  }
  SECTION("the provider comes first") {
    some.settings.provider_first = true;
  }
  SECTION("nothing may be moved yet") {
    ledger.moved_at = some.now;
  }
  SECTION("it needs no part of it") {
    some.rows = {IdleRow{{2, 0}}, IdleRow{{0, 1}}};
  }
  SECTION("it needs a part of it") {
    some.rows.push_back(IdleRow{{0, 1}});
    ledger.grant.slots = ledger.grant.unused = 2;
  }
  some.exported.assign(some.rows.size(), 16);
  const Answer answer = decide(some, ledger);
  CHECK(answer.reason == Reason::grant_unused);
  CHECK(answer.to == kProvider);
  CHECK(answer.slots() == ledger.grant.slots);
}

TEST_CASE("provider_first: what lies idle with the consumer goes home") {
  View some = view({{0, 5}}, {}, {});
  CHECK(decide(some, {}).slots() == 0);
  some.settings.provider_first = true;
  const Answer answer = decide(some, {});
  CHECK(answer.reason == Reason::provider_first);
  CHECK(answer.to == kProvider);
  CHECK(answer.slots() == 5);
}

TEST_CASE("what is not carried out is not remembered as granted") {
  const View some = view({{8, 0}}, {}, {loose(4)});
  const Ledger left = without_moves({}, decide(some, {}));
  CHECK(left.grant.to == kNobody);
  CHECK(left.moved_at.ms == INT64_MIN);
  CHECK(left.evaluated_at == some.now);
}
