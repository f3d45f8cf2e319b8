// TIME as people type it, in zones whose clocks change.
#include "broker/ctl/command_line/time_words.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;
using namespace leasehold::ctl;

namespace {

/// It is a Wednesday.
const Instant kNow = *parse_time("2026-11-25T12:00:00Z", {});
const TimeZoneName kBerlin{"Europe/Berlin"};

std::string read(const std::string& text, const TimeZoneName& zone = kBerlin, Instant now = kNow) {
  const Result<Instant> at = read_time(text, now, zone);
  return at ? format_utc(*at).substr(0, 16) : at.error().message;
}

std::string end(const std::string& text, const TimeZoneName& zone = kBerlin, Instant now = kNow) {
  const Result<Instant> at = read_order_end(text, now, zone);
  return at ? format_utc(*at).substr(0, 16) : at.error().message;
}

}  // namespace

TEST_CASE("times are said in words, in a zone; of a question they are behind") {
  CHECK(read("now") == "2026-11-25T12:00");
  CHECK(read("1h") == "2026-11-25T11:00");
  CHECK(read("-2h") == "2026-11-25T10:00");
  CHECK(read("1d12h") == "2026-11-24T00:00");
  CHECK(read("today") == "2026-11-24T23:00");
  CHECK(read("yesterday") == "2026-11-23T23:00");
  CHECK(read("yesterday 15:00") == "2026-11-24T14:00");
  CHECK(read("12:30") == "2026-11-25T11:30");
  CHECK(read("15:00") == "2026-11-24T14:00");  // that time has not come today
  CHECK(read("9:05:07") == "2026-11-25T08:05");
  CHECK(read("tue 15:00") == "2026-11-24T14:00");
  CHECK(read("Tuesday 15:00") == "2026-11-24T14:00");
  CHECK(read("wed 12:00") == "2026-11-25T11:00");
  CHECK(read("wed 15:00") == "2026-11-18T14:00");
  CHECK(read("thu") == "2026-11-18T23:00");
  CHECK(read("wed") == "2026-11-24T23:00");
  CHECK(read("yesterday", {"UTC"}) == "2026-11-24T00:00");
  CHECK(read("today", {"Asia/Tokyo"}, *parse_time("2026-11-25T16:00:00Z", {})) ==
        "2026-11-25T15:00");
  CHECK(read("2026-11-21T18:00:00+01:00") == "2026-11-21T17:00");
}

TEST_CASE("an order's end lies ahead, in words too") {
  CHECK(end("2h") == "2026-11-25T14:00");
  CHECK(end("15:00") == "2026-11-25T14:00");
  CHECK(end("9:00") == "2026-11-26T08:00");
  CHECK(end("wed 12:00") == "2026-12-02T11:00");
  CHECK(end("wed 15:00") == "2026-11-25T14:00");
  CHECK(end("tue") == "2026-11-30T23:00");
  CHECK(end("tomorrow 9:00") == "2026-11-26T08:00");
  for (const char* past : {"yesterday", "today", "now", "-2h", "2026-11-21T17:00:00Z"}) {
    CHECK_THAT(end(past), Catch::Contains("is over already"));
  }
}

TEST_CASE("an order begins at the next such time, or has begun") {
  const auto begin = [](const std::string& text) {
    return format_utc(read_order_begin(text, kNow, kBerlin).value()).substr(0, 16);
  };
  CHECK(begin("2h") == "2026-11-25T14:00");
  CHECK(begin("fri 20:00") == "2026-11-27T19:00");
  CHECK(begin("9:00") == "2026-11-26T08:00");
  CHECK(begin("now") == "2026-11-25T12:00");
  CHECK(begin("yesterday") == "2026-11-23T23:00");
  CHECK_FALSE(read_order_begin("noon", kNow, kBerlin));
}

TEST_CASE("ISO 8601 without a zone is of the zone that is named, and refused where none is") {
  CHECK(read("2026-11-20T02:44:00") == "2026-11-20T01:44");
  CHECK(read("2026-07-20T02:44:00") == "2026-07-20T00:44");
  CHECK(read("2026-11-20T02:44:00Z") == "2026-11-20T02:44");
  CHECK(end("2026-11-26T02:44:00") == "2026-11-26T01:44");
  CHECK_THAT(end("2026-11-20T02:44:00"), Catch::Contains("is over already"));
  CHECK_THAT(read("2026-10-25T02:30:00"), Catch::Contains("is there twice"));
  CHECK_THAT(read("2026-11-31T02:44:00"), Catch::Contains("is no time"));
  CHECK_THAT(read("2026-11-20T02:44:00", {}),
             Catch::Contains("it has no zone") && Catch::Contains("--timezone ZONE"));
}

TEST_CASE("a time is typed as a table or JSON shows it") {
  for (const TimeZoneName& zone : {TimeZoneName{}, kBerlin}) {
    CHECK(read("2026-11-20 02:44:00Z", zone) == "2026-11-20T02:44");
    CHECK(read("2026-11-20T02:44:00.000Z", zone) == "2026-11-20T02:44");
    CHECK(end("2026-11-26 02:44:00Z", zone) == "2026-11-26T02:44");
  }
}

TEST_CASE("what is no time names what would be right") {
  for (const char* wrong : {"", "noon", "25:00", "tue 15", "15:0", "15:00:0", "tue tue", "1",
                            "15:00 tue", "yesterday15:00", ":", "1:2:3:4"}) {
    INFO(wrong);
    CHECK_THAT(read(wrong), Catch::Contains("is no time") && Catch::Contains("ISO 8601"));
  }
}

TEST_CASE("a time that a change of clocks leaves out or makes twice is refused with both") {
  const Instant march = *parse_time("2026-03-29T20:00:00Z", {});
  CHECK(read("2:30", kBerlin, march) ==
        "\"2:30\" is left out where the clocks of Europe/Berlin change; write "
        "2026-03-29T03:30:00+02:00 or 2026-03-29T01:30:00+01:00");
  CHECK(read("3:00", kBerlin, march) == "2026-03-29T01:00");
  const Instant october = *parse_time("2026-10-25T20:00:00Z", {});
  CHECK(read("sun 2:30", kBerlin, october) ==
        "\"sun 2:30\" is there twice where the clocks of Europe/Berlin change; write "
        "2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00");
  CHECK(read("2026-10-25T02:30:00+0100", kBerlin, october) == "2026-10-25T01:30");
}

TEST_CASE("a day that lacks its midnight begins with what there is of it") {
  // Cairo's clocks go from 0:00 to 1:00 on the last Friday of April.
  const Instant april = *parse_time("2026-04-25T10:00:00Z", {});
  CHECK(read("yesterday", {"Africa/Cairo"}, april) == "2026-04-23T22:00");
}

TEST_CASE("a zone that is unknown names the nearest") {
  CHECK(check_zone({""}));
  CHECK(check_zone(kBerlin));
  const Status known = check_zone({"Europe/Berlim"});
  REQUIRE_FALSE(known);
  CHECK_THAT(known.error().message, Catch::Contains("did you mean 'Europe/Berlin'"));
}
