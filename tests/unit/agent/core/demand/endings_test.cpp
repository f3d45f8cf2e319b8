// When running work is thought to end, and how wrong that was.
#include "agent/core/demand/endings.hpp"

#include <catch2/catch.hpp>

#include "common/bounds.hpp"

namespace leasehold::agent {
namespace {

using wire::Ending;
using wire::TimeClass;

constexpr int64_t kMinute = 60'000;

RunningWork work(const std::string& id, int64_t slots, int64_t started_ms, int64_t limit_ms) {
  return {id, slots, {started_ms}, limit_ms < 0 ? kNever : Instant{started_ms + limit_ms}};
}

/// Jobs of one limit that ran for so long, one after another.
void let_end(Endings& endings, int count, int64_t limit_ms, int64_t length_ms) {
  for (int i = 0; i < count; ++i) {
    endings.look(std::vector{work("past", 1, 0, limit_ms)}, {0});
    endings.look({}, {length_ms});
  }
}

TEST_CASE("work ends by its limit as long as nothing else is known of such work") {
  Endings endings;
  const std::vector running{work("a", 4, 0, 10 * kMinute), work("b", 2, 0, 60 * kMinute),
                            work("c", 1, 0, -1)};
  CHECK(endings.look(running, {0}) ==
        Ending{{{TimeClass::minutes_15, 4}, {TimeClass::hour_1, 2}, {TimeClass::unknown, 1}}, -1});
  // Slots come nearer to their end with time; when it is reached they are due.
  CHECK(endings.look(running, {5 * kMinute}).slots[0] ==
        wire::EndingSlots{TimeClass::minutes_5, 4});
  CHECK(endings.look(running, {10 * kMinute}).slots[0] ==
        wire::EndingSlots{TimeClass::minute_1, 4});
  CHECK(endings.look(running, {50 * kMinute}).slots ==
        std::vector<wire::EndingSlots>{
            {TimeClass::minute_1, 4}, {TimeClass::minutes_15, 2}, {TimeClass::unknown, 1}});
}

TEST_CASE("an unchanged cluster says the same until its work comes nearer to its end") {
  Endings endings;
  const std::vector running{work("a", 4, 0, 4 * 60 * kMinute)};
  const Ending first = endings.look(running, {0});
  for (int64_t minute = 1; minute < 180; ++minute) {
    CHECK(endings.look(running, {minute * kMinute}) == first);
  }
}

TEST_CASE("work is thought to end when such work did, once eight of its class of limit have") {
  Endings endings;
  const auto left = [&](int64_t limit_ms, int64_t now_ms) {
    const Ending ending = endings.look(std::vector{work("now", 1, 0, limit_ms)}, {now_ms});
    endings.note_ordered_end("now");
    REQUIRE(ending.slots.size() == 1);
    return ending.slots[0].left;
  };
  let_end(endings, 7, 60 * kMinute, 3 * kMinute);
  CHECK(left(60 * kMinute, 0) == TimeClass::hour_1);
  let_end(endings, 1, 60 * kMinute, 3 * kMinute);
  CHECK(left(60 * kMinute, 0) == TimeClass::minutes_5);
  CHECK(left(60 * kMinute, 2 * kMinute) == TimeClass::minute_1);
  CHECK(left(10 * kMinute, 0) == TimeClass::minutes_15);  // another class of limit
  CHECK(left(-1, 0) == TimeClass::unknown);
  // A job that runs longer than such work did is left to its limit; without one nobody knows.
  CHECK(left(60 * kMinute, 4 * kMinute) == TimeClass::hour_1);
  let_end(endings, 8, -1, 3 * kMinute);
  CHECK(left(-1, 0) == TimeClass::minutes_5);
  CHECK(left(-1, 4 * kMinute) == TimeClass::unknown);
  // Never later than its limit.
  let_end(endings, 100, 5 * kMinute, 5 * kMinute);
  CHECK(left(2 * kMinute, 90'000) == TimeClass::minute_1);
}

TEST_CASE("what such work did long ago counts for less and less") {
  Endings endings;
  let_end(endings, 500, 60 * kMinute, 3 * kMinute);
  let_end(endings, 500, 60 * kMinute, 55 * kMinute);
  const Ending ending = endings.look(std::vector{work("now", 1, 0, 60 * kMinute)}, {0});
  CHECK(ending.slots[0].left == TimeClass::hour_1);
}

TEST_CASE("the error is the mean of what was expected against what was, of the longer one") {
  const auto error_after = [](int64_t limit_ms, int64_t length_ms) {
    Endings endings;
    let_end(endings, 1, limit_ms, length_ms);
    return endings.look({}, {length_ms}).error_milli;
  };
  CHECK(error_after(10 * kMinute, 10 * kMinute) == 0);
  CHECK(error_after(10 * kMinute, 5 * kMinute) == 500);
  CHECK(error_after(10 * kMinute, 0) == 1000);
  CHECK(error_after(10 * kMinute, 20 * kMinute) == 0);  // its limit ended it, between two looks
  CHECK(error_after(0, 0) == 0);
  CHECK(error_after(-1, kMinute) == -1);  // nothing was expected
  Endings endings;
  let_end(endings, 3, 10 * kMinute, 10 * kMinute);
  let_end(endings, 1, 10 * kMinute, 5 * kMinute);
  CHECK(endings.look({}, {0}).error_milli == 125);
}

TEST_CASE("work that was ended by order, or put back and started again, teaches nothing") {
  Endings endings;
  endings.look(std::vector{work("a", 1, 0, 10 * kMinute), work("b", 1, 0, 10 * kMinute)}, {0});
  endings.note_ordered_end("a");
  endings.look(std::vector{work("b", 1, kMinute, 10 * kMinute)}, {kMinute});
  CHECK(endings.look(std::vector{work("b", 1, kMinute, 10 * kMinute)}, {kMinute}).error_milli ==
        -1);
  CHECK(endings.look({}, {11 * kMinute}).error_milli == 0);
}

TEST_CASE("work that was told to end teaches nothing, though it still ran at later looks") {
  Endings endings;
  const std::vector running{work("a", 1, 0, 10 * kMinute)};
  endings.look(running, {0});
  endings.note_ordered_end("a");
  endings.note_ordered_end("nobody");
  endings.look(running, {kMinute});  // its grace
  CHECK(endings.look({}, {2 * kMinute}).error_milli == -1);
  // Its next run is one like any other.
  endings.look(std::vector{work("a", 1, 3 * kMinute, 10 * kMinute)}, {3 * kMinute});
  CHECK(endings.look({}, {13 * kMinute}).error_milli == 0);
}

// Symptom: a job whose limit was extended counted as ended at its first limit.
TEST_CASE("a job whose limit was extended is learnt with the limit that it had in the end") {
  Endings endings;
  for (int i = 0; i < 8; ++i) {
    endings.look(std::vector{work("long", 1, 0, 10 * kMinute)}, {0});
    endings.look(std::vector{work("long", 1, 0, 60 * kMinute)}, {9 * kMinute});
    endings.look({}, {40 * kMinute});
  }
  const Ending hour = endings.look(std::vector{work("now", 1, 0, 60 * kMinute)}, {0});
  CHECK(hour.slots == std::vector<wire::EndingSlots>{{TimeClass::hour_1, 1}});
  endings.note_ordered_end("now");
  const Ending minutes = endings.look(std::vector{work("now", 1, 0, 10 * kMinute)}, {0});
  CHECK(minutes.slots == std::vector<wire::EndingSlots>{{TimeClass::minutes_15, 1}});
  CHECK(endings.look({}, {60 * kMinute}).error_milli ==
        750);  // 10 minutes were expected, 40 passed
}

TEST_CASE("instants and slots that cannot be are bounded, not added up") {
  Endings endings;
  const std::vector running{RunningWork{"a", INT64_MAX, {INT64_MIN}, {INT64_MAX - 1}},
                            RunningWork{"b", -5, {INT64_MAX}, {INT64_MIN}},
                            RunningWork{"c", 5, {0}, kNever}};
  const Ending ending = endings.look(running, {0});
  REQUIRE(ending.slots.size() == 1);
  CHECK(ending.slots[0] == wire::EndingSlots{TimeClass::longer, kSlotsMax});
  CHECK(endings.look({}, {INT64_MAX}).error_milli >= 0);
}

}  // namespace
}  // namespace leasehold::agent
