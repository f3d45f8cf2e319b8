// ClockMeter finds from messages how far an agent's clock is from the broker's.
#include "broker/ports/agents/clock_meter.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace leasehold {

namespace {

constexpr int64_t kBrokerMs = 1'795'000'000'000;  // what the broker's clock shows at 0
constexpr int64_t kSlackMs = 100;                 // of rounding, of steps and of 5 s of holding

/// One exchange of messages, in milliseconds since the first: when the broker sent, how long that
/// took to the agent, how long the agent held it, how long its own message took back.
struct Exchange {
  int64_t sent = 0;
  int64_t there = 1;
  int64_t held = 5'000;
  int64_t back = 1;
  int64_t wall_off = 0;  // error of the agent's wall clock when it sent
  int64_t stood = 0;     // how long its machine stood still in all before the agent received it
};

struct Said {
  wire::ClockReading clock;
  int64_t came_ms = 0;  // by the broker's clock
};

Said said(const Exchange& each) {
  constexpr int64_t kBootedMs = 86'400'000;
  const int64_t arrived = each.sent + each.there;
  const int64_t spoke = arrived + each.held;
  return {{kBrokerMs + spoke + each.wall_off, kBootedMs + spoke - each.stood, kBrokerMs + each.sent,
           kBootedMs + arrived - each.stood},
          kBrokerMs + spoke + each.back};
}

int64_t hear(ClockMeter& meter, const Exchange& each) {
  const Said what = said(each);
  meter.take_reading(what.clock, what.came_ms);
  return what.came_ms;
}

std::optional<ClockDifference> difference_after(const std::vector<Exchange>& course) {
  ClockMeter meter;
  for (const Exchange& each : course) hear(meter, each);
  return meter.difference();
}

struct Row {
  const char* what;
  std::vector<Exchange> course;
  ClockDifference known;  // to within kSlackMs at either end
};

const Row kRows[] = {
    {"a quiet machine, a right clock", {{0}}, {-1, 1}},
    {"a quiet machine, 3 s ahead", {{0, 1, 5'000, 1, 3'000}}, {2'999, 3'001}},
    {"a quiet machine, 3 s behind", {{0, 1, 5'000, 1, -3'000}}, {-3'001, -2'999}},
    {"a hello that was 4 s under way", {{0, 1, 0, 4'000}}, {-4'000, 1}},
    {"a welcome that was 4 s under way", {{0, 4'000, 0, 1}}, {-1, 4'000}},
    {"both", {{0, 4'000, 0, 4'000}}, {-4'000, 4'000}},
    {"3 s ahead, all slow: not known to be wrong", {{0, 4'000, 0, 4'000, 3'000}}, {-1'000, 7'000}},
    {"after a slow hello a quick heartbeat", {{0, 1, 0, 4'000}, {4'002}}, {-1, 1}},
    {"after a slow welcome a quick answer", {{0, 4'000, 0, 1}, {4'002}}, {-1, 1}},
    {"one way was quick once, the other later",
     {{0, 1, 0, 4'000, 3'000}, {4'002, 4'000, 0, 1, 3'000}},
     {2'990, 3'040}},
    {"the best of before counts while it is slow",
     {{0}, {5'002, 1, 5'000, 3'000}, {13'100, 3'000, 5'000, 1}},
     {-1, 120}},
    {"the best of before wears with its age",
     {{0}, {600'000, 20'000, 5'000, 20'000}},
     {-6'430, 6'430}},
    {"a step is seen at once, however slow all is",
     {{0}, {5'002, 4'000, 5'000, 4'000, 3'000}},
     {2'870, 3'130}},
    {"and that it is mended",
     {{0, 1, 5'000, 1, 3'000}, {5'002, 4'000, 5'000, 4'000, 0}},
     {-130, 130}},
    {"a machine that stood still, its clock behind since",
     {{0}, {70'000, 1, 5'000, 1, -60'000, 60'000}},
     {-60'001, -59'999}},
    {"a machine that stood still, its clock set since",
     {{0}, {70'000, 1, 5'000, 1, 0, 60'000}},
     {-1, 1}},
};

}  // namespace

TEST_CASE("a clock's difference is known as well as a round trip was short") {
  for (const Row& row : kRows) {
    INFO(row.what);
    const auto found = difference_after(row.course);
    REQUIRE(found);
    INFO(found->low_ms << " to " << found->high_ms);
    CHECK(found->low_ms <= row.known.low_ms);
    CHECK(found->low_ms >= row.known.low_ms - kSlackMs);
    CHECK(found->high_ms >= row.known.high_ms);
    CHECK(found->high_ms <= row.known.high_ms + kSlackMs);
    const int64_t off_ms = row.course.back().wall_off;
    CHECK((found->low_ms <= off_ms && off_ms <= found->high_ms));
  }
}

TEST_CASE("whatever takes how long, the true difference lies within what is told") {
  uint64_t state = 1;
  const auto below = [&state](int64_t most) {
    state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return static_cast<int64_t>((state >> 33U) % static_cast<uint64_t>(most));
  };
  for (int course = 0; course < 200; ++course) {
    ClockMeter meter;
    Exchange each;
    each.wall_off = below(20'000) - 10'000;
    for (int i = 0; i < 30; ++i) {
      each.there = below(10) == 0 ? below(8'000) : below(5);
      each.back = below(10) == 0 ? below(8'000) : below(5);
      each.held = below(6'000);
      if (below(10) == 0) each.wall_off = below(20'000) - 10'000;
      each.sent = hear(meter, each) - kBrokerMs;
      REQUIRE(meter.difference());
      CHECK(meter.difference()->low_ms <= each.wall_off);
      CHECK(meter.difference()->high_ms >= each.wall_off);
    }
  }
}

TEST_CASE("what is told stays the same while nothing better is known") {
  ClockMeter meter;
  Exchange each;
  int64_t came_ms = hear(meter, each);
  const ClockDifference first = meter.difference().value();
  for (int i = 0; i < 100; ++i) {
    each.sent = came_ms - kBrokerMs;
    each.there = 1 + i % 7;
    each.back = 1 + i % 5;
    came_ms = hear(meter, each);
    INFO(meter.difference()->low_ms << " to " << meter.difference()->high_ms);
    CHECK(meter.difference() == first);
  }
}

TEST_CASE("a clock that cannot be tells nothing, one that contradicts itself takes back what was") {
  const wire::ClockReading good = said({}).clock;
  const int64_t came_ms = said({}).came_ms;
  const auto meter_of = [&](auto change) {
    ClockMeter meter;
    meter.take_wall(good.wall_ms + 70'000, came_ms);
    wire::ClockReading clock = good;
    change(clock);
    meter.take_reading(clock, came_ms);
    return meter.difference();
  };
  using Reading = wire::ClockReading;
  const ClockDifference by_wall{70'000 - 1 - ClockMeter::kHelloDelayMs,
                                70'000 - 1 + ClockMeter::kHelloDelayMs};
  CHECK(meter_of([](Reading&) {}) != by_wall);
  CHECK(meter_of([](Reading& it) { it.wall_ms = 0; }) == by_wall);
  CHECK(meter_of([](Reading& it) { it.wall_ms = INT64_MAX; }) == by_wall);
  CHECK(meter_of([](Reading& it) { it.boottime_ms = INT64_MAX; }) == by_wall);
  CHECK(meter_of([](Reading& it) { it.boottime_ms = it.heard_boottime_ms - 1; }) == by_wall);
  CHECK(meter_of([](Reading& it) { it.heard_boottime_ms = INT64_MIN; }) == by_wall);
  CHECK(meter_of([](Reading& it) { it.heard_sent_ms = 0; }) == by_wall);
  CHECK(meter_of([&](Reading& it) { it.heard_sent_ms = came_ms + 1; }) == by_wall);
  // The agent claims to have held it for longer than the broker has waited.
  CHECK_FALSE(meter_of([](Reading& it) { it.boottime_ms += 10'000; }));
}

TEST_CASE("an agent of an older release is not called wrong below a minute") {
  struct Older {
    int64_t wall_off;
    int64_t surely;
  };
  for (const Older& row : {Older{0, 0}, Older{59'999, 0}, Older{-59'999, 0}, Older{-60'000, 0},
                           Older{90'000, 30'000}, Older{-90'000, -30'000}}) {
    ClockMeter meter;
    meter.take_wall(kBrokerMs + row.wall_off, kBrokerMs);
    REQUIRE(meter.difference());
    CHECK(meter.difference()->surely_ms() == row.surely);
    CHECK(meter.difference()->middle_ms() == row.wall_off);
  }
  ClockMeter meter;
  meter.take_wall(0, kBrokerMs);
  meter.take_wall(INT64_MAX, kBrokerMs);
  CHECK_FALSE(meter.difference());
}

}  // namespace leasehold
