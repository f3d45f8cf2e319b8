#include "common/time/instant.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>

namespace leasehold {

namespace {

constexpr Instant kNow{1'795'280'460'000};  // 2026-11-21T17:01:00Z

TEST_CASE("durations are read with their units") {
  const struct {
    const char* text;
    int64_t ms;
  } rows[] = {
      {"0s", 0},
      {"0ms", 0},
      {"250ms", 250},
      {"90s", 90'000},
      {"10m", 600'000},
      {"1h30m", 5'400'000},
      {"1d", 86'400'000},
      {"400d", 34'560'000'000},
      {"1d2h3m4s5ms", 93'784'005},
      {"007s", 7'000},
      {"1m1ms", 60'001},
      {"9223372036854775807ms", INT64_MAX},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    const auto read = parse_duration_ms(row.text);
    REQUIRE(read);
    CHECK(*read == row.ms);
  }
}

TEST_CASE("what is no duration is refused with what would be right") {
  const struct {
    const char* text;
    const char* says;
  } rows[] = {
      {"", "as in \"1h30m\""},
      {"90", "\"90s\" or \"90m\""},
      {"0", "needs a unit"},
      {"1h30", "needs a unit"},
      {"-5s", "negative"},
      {"5 s", "units ms s m h d"},
      {"1.5h", "units ms s m h d"},
      {"5sec", "units ms s m h d"},
      {"5S", "units ms s m h d"},
      {"30m1h", "largest unit"},
      {"1h1h", "each is written once"},
      {"s", "as in \"1h30m\""},
      {"1h ", "as in \"1h30m\""},
      {" 1h", "as in \"1h30m\""},
      {"+1h", "as in \"1h30m\""},
      {"9223372036854775808ms", "too long"},
      {"106751991168d", "too long"},
      {"99999999999999999999d", "too long"},
      {"106751991167d8h", "too long"},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    const auto read = parse_duration_ms(row.text);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::usage);
    CHECK_THAT(read.error().message, Catch::Contains(row.says));
  }
}

TEST_CASE("a duration is written in its shortest form and read back the same") {
  CHECK(format_duration(0) == "0s");
  CHECK(format_duration(5'400'000) == "1h30m");
  CHECK(format_duration(86'400'001) == "1d1ms");
  CHECK(format_duration(999) == "999ms");
  CHECK(rc::check([] {
    const auto ms = *rc::gen::oneOf(rc::gen::inRange<int64_t>(0, 1'000'000'000),
                                    rc::gen::inRange<int64_t>(0, INT64_MAX),
                                    rc::gen::element<int64_t>(INT64_MAX));
    const auto read = parse_duration_ms(format_duration(ms));
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == ms);
  }));
}

TEST_CASE("an instant is written in UTC with milliseconds") {
  CHECK(format_utc(kNow) == "2026-11-21T17:01:00.000Z");
  CHECK(format_utc({0}) == "1970-01-01T00:00:00.000Z");
  CHECK(format_utc({-1}) == "1969-12-31T23:59:59.999Z");
  CHECK(format_utc({951'782'400'123}) == "2000-02-29T00:00:00.123Z");
  CHECK(format_utc({253'402'300'799'999}) == "9999-12-31T23:59:59.999Z");
  CHECK(format_utc(kNever) == "never");
  CHECK(format_utc({INT64_MIN}) == "-9223372036854775808ms");
}

TEST_CASE("times are read with a zone or from now") {
  const struct {
    const char* text;
    int64_t ms;
  } rows[] = {
      {"2026-11-21T17:01:00.000Z", kNow.ms},
      {"2026-11-21T17:01Z", kNow.ms},
      {"2026-11-21 17:01:00Z", kNow.ms},
      {"2026-11-21T18:01:00+01:00", kNow.ms},
      {"2026-11-21T11:31:00-0530", kNow.ms},
      {"2026-11-22T00:01:00+07:00", kNow.ms},
      {"2026-11-21T17:01:00.25Z", kNow.ms + 250},
      {"2026-11-21T17:01:00.250000Z", kNow.ms + 250},
      {"-2h", kNow.ms - 7'200'000},
      {"-0s", kNow.ms},
      {"1969-12-31T23:59:59.999Z", -1},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    const auto read = parse_time(row.text, kNow);
    REQUIRE(read);
    CHECK(read->ms == row.ms);
  }
}

TEST_CASE("what is no time is refused with what would be right") {
  const struct {
    const char* text;
    const char* says;
  } rows[] = {
      {"", "ISO 8601"},
      {"yesterday", "ISO 8601"},
      {"2026-11-21T17:01:00", "\"2026-11-21T17:01:00Z\" would be UTC"},
      {"2026-11-21", "ISO 8601"},
      {"2026-02-29T00:00:00Z", "ISO 8601"},
      {"2026-13-01T00:00:00Z", "ISO 8601"},
      {"2026-11-21T24:00:00Z", "ISO 8601"},
      {"2026-11-21T17:60:00Z", "ISO 8601"},
      {"2026-11-21T17:01:60Z", "ISO 8601"},
      {"2026-11-21T17:01:00.Z", "ISO 8601"},
      {"2026-11-21T17:01:00.0001Z", "ISO 8601"},
      {"2026-11-21T17:01:00+1", "ISO 8601"},
      {"2026-11-21T17:01:00Z ", "ISO 8601"},
      {"-2", "ISO 8601"},
      {"-", "ISO 8601"},
      {"2h", "ISO 8601"},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    const auto read = parse_time(row.text, kNow);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::usage);
    CHECK_THAT(read.error().message, Catch::Contains(row.says));
  }
  CHECK_FALSE(parse_time("-9223372036854775807ms", {-2}));
}

TEST_CASE("an order ends at a time or after a duration, both ahead") {
  const Instant now{1'795'280'460'000};
  CHECK(parse_order_end("2h", now) == now + 7'200'000);
  CHECK(parse_order_end("+90s", now) == now + 90'000);
  CHECK(parse_order_end("2026-11-21T17:01:01Z", now) == now + 1000);
  for (const char* wrong : {"-2h", "0s", "2026-11-21T17:01:00Z", "2026-11-21T17:00:00Z", "5000d",
                            "9999-01-01T00:00:00Z", "tomorrow", "", "5", "+", "99999999999999d"}) {
    INFO(wrong);
    const Result<Instant> end = parse_order_end(wrong, now);
    REQUIRE_FALSE(end);
    CHECK(end.error().code == ErrorCode::usage);
    CHECK(end.error().message.find("2h, would be right") != std::string::npos);
  }
}

TEST_CASE("an order begins at a time or after a duration, and may have begun") {
  const Instant now{1'795'280'460'000};
  CHECK(parse_order_begin("2h", now) == now + 7'200'000);
  CHECK(parse_order_begin("-2h", now) == now + -7'200'000);
  CHECK(parse_order_begin("2026-11-21T17:00:00Z", now) == now + -60'000);
  for (const char* wrong : {"5000d", "9999-01-01T00:00:00Z", "tomorrow", "", "5", "+"}) {
    INFO(wrong);
    const Result<Instant> begin = parse_order_begin(wrong, now);
    REQUIRE_FALSE(begin);
    CHECK(begin.error().message.find("2h, would be right") != std::string::npos);
  }
}

TEST_CASE("every instant of four-digit years is read back as written") {
  CHECK(rc::check([] {
    const Instant at{*rc::gen::inRange<int64_t>(-62'167'219'200'000, 253'402'300'800'000)};
    const auto read = parse_time(format_utc(at), kNow);
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->ms == at.ms);
  }));
}

TEST_CASE("any text is read or refused, never more") {
  CHECK(rc::check([](const std::string& text) {
    const auto duration = parse_duration_ms(text);
    if (duration) RC_ASSERT(*duration >= 0);
    static_cast<void>(parse_time(text, kNow));
  }));
}

}  // namespace

TEST_CASE("an instant is past, or now where another clock is a little ahead, or refused") {
  const Instant now{1'795'284'000'000};
  CHECK(past_instant(now + -1, now) == now + -1);
  CHECK(past_instant(now, now) == now);
  CHECK(past_instant(now + 119'999, now) == now);
  const Result<Instant> ahead = past_instant(now + 120'000, now);
  REQUIRE_FALSE(ahead);
  CHECK(ahead.error().code == ErrorCode::usage);
  CHECK(ahead.error().message ==
        "2026-11-21T18:02:00.000Z is in the future: it is 2026-11-21T18:00:00.000Z now; an "
        "instant that is past would be right");
  CHECK_FALSE(past_instant(kNever, now));
}

}  // namespace leasehold
