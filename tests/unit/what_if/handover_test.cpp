// Moments pass from one thread to another: all of them, in order, until one cannot be taken.
#include "broker/lab/what_if/handover.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;

namespace {

Moment at(int64_t ms) {
  Moment moment;
  moment.now = Instant{ms};
  return moment;
}

}  // namespace

TEST_CASE("all moments are taken, in order") {
  int64_t next = 0;
  bool in_order = true;
  Handover handover([&](const Moment& moment) -> Status {
    in_order = in_order && moment.now == Instant{next++};
    return {};
  });
  for (int64_t i = 0; i < 50'000; ++i) REQUIRE(handover.give(at(i)));
  REQUIRE(handover.finish());
  CHECK(next == 50'000);
  CHECK(in_order);
}

TEST_CASE("the first moment that cannot be taken ends it, and is told") {
  int64_t taken = 0;
  Handover handover([&](const Moment&) -> Status {
    if (++taken == 5'000) return fail(ErrorCode::corrupt, "the five thousandth");
    return {};
  });
  int64_t given = 0;
  while (handover.give(at(given))) ++given;
  CHECK(handover.finish().error().message == "the five thousandth");
  CHECK(taken == 5'000);
}

TEST_CASE("who does not finish leaves nothing behind") {
  Handover handover([](const Moment&) -> Status { return {}; });
  for (int64_t i = 0; i < 10'000; ++i) handover.give(at(i));
}
