// forecast of a lease while it is frozen, and before a freeze that is ordered for later. In the
// site evaluations are due ten minutes after noon, and so on; the next one gives west three slots.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/views/forecast/forecast.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;
using forecasting::Basis;

namespace {

constexpr int64_t kMinuteMs = 60'000;

State waiting() {
  State state = site::state({4, 1, 0, 0});
  state.clusters[1].pending = 0;
  return state;
}

OrderInForce order(int64_t from, int64_t until) {
  const Instant end = until == 0 ? kNever : site::kNoon + until * kMinuteMs;
  return {"ana", "", "", site::kNoon, end, site::kNoon + from * kMinuteMs};
}

/// Returns the likely time of three slots, in minutes from noon; -1: none. `frozen`: said so.
int64_t minutes(const State& state, bool frozen) {
  const auto answer = forecasting::forecast(state, {"pool:west", 3, false, site::kNoon});
  REQUIRE(answer.has_value());
  const bool said = std::any_of(answer->holds.begin(), answer->holds.end(),
                                [](const auto& held) { return held.basis == Basis::frozen; });
  CHECK(said == frozen);
  const auto& at = answer->times[1].at;
  return at ? (*at - site::kNoon) / kMinuteMs : -1;
}

}  // namespace

TEST_CASE("a freeze that ends moves the range behind its end") {
  State state = waiting();
  CHECK(minutes(state, false) == 10);
  state.frozen = true;
  state.freeze_order.until = site::kNoon + 25 * kMinuteMs;
  CHECK(minutes(state, true) == 30);
}

TEST_CASE("nothing comes over in a freeze ahead: before it, or behind its end") {
  State state = waiting();
  const auto ahead = [&state](int64_t from, int64_t until) {
    state.freeze_ahead = order(from, until);
    return minutes(state, true);
  };
  CHECK(ahead(11, 0) == 10);
  CHECK(ahead(5, 0) == -1);
  CHECK(ahead(5, 10) == 10);
  CHECK(ahead(5, 25) == 30);
}

TEST_CASE("a freeze ahead that begins in one that is in force can make it longer") {
  State state = waiting();
  state.frozen = true;
  state.freeze_order.until = site::kNoon + 15 * kMinuteMs;
  state.freeze_ahead = order(16, 18);
  CHECK(minutes(state, true) == 20);
  state.freeze_ahead = order(15, 25);
  CHECK(minutes(state, true) == 30);
  state.freeze_order.until = kNever;
  CHECK(minutes(state, true) == -1);
}
