// Clock, random numbers, reasons, errors.
#include <catch2/catch.hpp>
#include <chrono>
#include <set>
#include <string>
#include <thread>

#include "common/clock.hpp"
#include "common/random.hpp"
#include "common/reason.hpp"
#include "common/result.hpp"

namespace leasehold {

namespace {

TEST_CASE("the clock goes on and never back") {
  const Instant before = wall_time();
  const Clock clock;
  const Instant first = clock.now();
  const int64_t took_ms = wall_time() - before;
  CHECK(first >= before);
  CHECK(first - before <= 2 * took_ms + 1);  // two clocks are read, in whole milliseconds
  Instant last = first;
  for (int i = 0; i < 10'000; ++i) {
    const Instant at = clock.now();
    REQUIRE(at >= last);
    last = at;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(clock.now() - first >= 19);
}

TEST_CASE("the clock goes on from its floor, though the wall clock is a day behind") {
  const Instant floor = wall_time() + 86'400'000;
  const int64_t before_ms = boottime_ms();
  const Clock clock(floor);
  const Instant first = clock.now();
  CHECK(first >= floor);
  CHECK(first - floor <= boottime_ms() - before_ms);
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  CHECK(clock.now() >= floor + 40);
}

/// A process that is held up `times` times between the one clock and the other.
class HeldUp : public TimeSource {
 public:
  explicit HeldUp(int times) : times_(times) {}
  int64_t boottime_ms() const override { return now_ms_; }
  Instant wall_time() const override {
    if (times_-- > 0) now_ms_ += 2;
    return {1'000 + now_ms_};
  }

 private:
  mutable int times_;
  mutable int64_t now_ms_ = 0;
};

TEST_CASE("both clocks are read at one moment, or not at all") {
  for (const int times : {0, 1, 9}) {
    const auto both = read_both(HeldUp(times));
    REQUIRE(both);
    CHECK(both->wall.ms - both->boottime_ms == 1'000);
  }
  CHECK_FALSE(read_both(HeldUp(10)));
  const Instant before = wall_time();
  const auto both = read_both(machine_time());
  REQUIRE(both);
  CHECK(both->wall >= before);
  CHECK(both->wall <= wall_time());
}

TEST_CASE("boot time goes on in milliseconds") {
  const Instant wall_before = wall_time();
  const int64_t before_ms = boottime_ms();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const int64_t passed_ms = boottime_ms() - before_ms;
  CHECK(passed_ms >= 19);
  CHECK(passed_ms <= wall_time() - wall_before + 1);  // of two clocks, each in whole milliseconds
}

TEST_CASE("random numbers are not zero and do not meet twice") {
  std::set<uint64_t> seen;
  for (int i = 0; i < 10'000; ++i) {
    const uint64_t number = random_u64();
    REQUIRE(number != 0);
    REQUIRE(seen.insert(number).second);
  }
  CHECK(*seen.rbegin() > UINT64_MAX / 2);  // all 64 bits are used
}

TEST_CASE("every reason has a token of its own that reads back, and a sentence") {
  std::set<std::string_view> tokens;
  for (int i = 0; i < kReasonCount; ++i) {
    const auto reason = static_cast<Reason>(i);
    INFO(i);
    CHECK(tokens.insert(token(reason)).second);
    CHECK(reason_from_token(token(reason)) == reason);
    CHECK(token(reason).find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos);
    CHECK_FALSE(token(reason).empty());
    CHECK_FALSE(sentence(reason).empty());
  }
  CHECK(reason_from_token("report-missing") == Reason::report_missing);
  CHECK(token(Reason::operator_order) == "operator-order");
  CHECK_FALSE(reason_from_token("no-such-reason"));
  CHECK_FALSE(reason_from_token(""));
}

TEST_CASE("an error names its place as far as it is known") {
  CHECK(describe({ErrorCode::usage, "wrong", "", 3, 4}) == "wrong");
  CHECK(describe({ErrorCode::usage, "wrong", "a.toml", 0, 0}) == "a.toml: wrong");
  CHECK(describe({ErrorCode::usage, "wrong", "a.toml", 3, 0}) == "a.toml:3: wrong");
  CHECK(describe({ErrorCode::usage, "wrong", "a.toml", 3, 4}) == "a.toml:3:4: wrong");
}

TEST_CASE("error codes have the exit codes and tokens that scripts rely on") {
  const struct {
    ErrorCode code;
    int exit;
    const char* name;
  } rows[] = {
      {ErrorCode::usage, 2, "usage"},     {ErrorCode::unknown, 1, "unknown"},
      {ErrorCode::refused, 1, "refused"}, {ErrorCode::unreachable, 3, "unreachable"},
      {ErrorCode::io, 1, "io"},           {ErrorCode::corrupt, 1, "corrupt"},
      {ErrorCode::version, 1, "version"},
  };
  for (const auto& row : rows) {
    CHECK(exit_code(row.code) == row.exit);
    CHECK(std::string(token(row.code)) == row.name);
  }
}

}  // namespace

}  // namespace leasehold
