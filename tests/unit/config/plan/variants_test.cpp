// Windows of plans as variants, as changes over the week, and as periods between instants.
#include "broker/config/plan/variants.hpp"

#include <catch2/catch.hpp>
#include <ctime>

#include "broker/config/load.hpp"
#include "broker/config/week.hpp"
#include "broker/config/week_periods.hpp"
#include "broker/config/windows.hpp"

using namespace leasehold;

namespace {

Instant at(const std::string& text) {
  const Result<Instant> time = parse_time(text, Instant{});
  REQUIRE(time.has_value());
  return *time;
}

std::string window(const std::string& from, const std::string& to, int owned,
                   const std::string& more = "") {
  return "[[consumer.window]]\nfrom = \"" + from + "\"\nto = \"" + to +
         "\"\nowned = " + std::to_string(owned) + "\n" + more;
}

/// A plan's group with /a, which owns 1 outside of its windows, and /b.
ResourceGroup group_with(const std::string& windows, const std::string& zone = "UTC",
                         const std::string& of_b = "") {
  const Loaded loaded = parse_broker_config(
      "[[resource_group]]\nname = \"g\"\npolicy = \"hybrid\"\nslots = 100\ntimezone = \"" + zone +
          "\"\n[[consumer]]\npath = \"/a\"\nowned = 1\n" + windows +
          "[[consumer]]\npath = \"/b\"\nowned = 1\n" + of_b,
      "p.toml");
  std::string errors;
  for (const Error& error : loaded.errors) errors += describe(error) + "\n";
  INFO(errors);
  REQUIRE(loaded.ok());
  return loaded.core.resource_groups.at(0);
}

int64_t owned(const ResourceGroup& group, uint32_t variant, size_t consumer = 0) {
  return group.variants.at(variant).consumers.at(consumer).owned.value_or(0);
}

/// Returns how many slots /a owns from when: "2026-03-29T01:00Z 5, …".
std::string periods(const ResourceGroup& group, const std::string& from, const std::string& to) {
  std::string text;
  for (const auto& period : week_periods(group.week, group.timezone, at(from), at(to))) {
    text += (text.empty() ? "" : ", ") + format_utc(period.from).substr(0, 16) + "Z " +
            std::to_string(owned(group, period.variant));
  }
  return text;
}

}  // namespace

TEST_CASE("equal plans are one variant, the first is that outside of every window") {
  const ResourceGroup none = group_with("");
  CHECK(none.variants.size() == 1);
  CHECK(none.week.empty());
  const ResourceGroup three = group_with(window("08:00", "10:00", 5) + window("12:00", "14:00", 5) +
                                         window("20:00", "06:00", 9));
  REQUIRE(three.variants.size() == 3);
  CHECK(owned(three, 0) == 1);
  CHECK(three.week.size() == 6 * 7);
  const ResourceGroup both = group_with(window("08:00", "12:00", 5), "UTC",  //
                                        window("10:00", "14:00", 7));
  REQUIRE(both.variants.size() == 4);  // none, /a's, both, /b's
  CHECK(owned(both, 2) == 5);
  CHECK(owned(both, 2, 1) == 7);
  const ResourceGroup idle = group_with(window("08:00", "12:00", 1));  // the same as outside
  CHECK(idle.variants.size() == 1);
  CHECK(idle.week.empty());
  CHECK(week_periods(idle.week, "UTC", Instant{0}, Instant{1}).size() == 1);
}

TEST_CASE("a window that holds all the time is in force all the time") {
  const ResourceGroup always =
      group_with(window("00:00", "12:00", 5) + window("12:00", "24:00", 5), "Europe/Berlin");
  REQUIRE(always.variants.size() == 2);
  CHECK(always.week.size() == 1);
  CHECK(periods(always, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z") == "2026-01-01T00:00Z 5");
}

TEST_CASE("what is in force at a minute of the week is what was last changed to") {
  const std::vector<PlanChange> week{{60, 1}, {120, 0}, {10'000, 2}};
  CHECK(variant_in(week, 0) == 2);
  CHECK(variant_in(week, 59) == 2);
  CHECK(variant_in(week, 60) == 1);
  CHECK(variant_in(week, 120) == 0);
  CHECK(variant_in(week, 9'999) == 0);
  CHECK(variant_in(week, 10'079) == 2);
  CHECK(variant_in({}, 77) == 0);
}

TEST_CASE("periods begin with now and end at the horizon") {
  struct Row {
    std::string windows, zone, from, to, expected;
  };
  const std::string night = window("22:00", "06:00", 5);
  const std::string saturday = window("22:00", "06:00", 5, "days = [\"sat\"]\n");
  const std::string early = window("02:00", "03:00", 5);
  const std::string berlin = "Europe/Berlin";
  const std::vector<Row> rows{
      {night, "UTC", "2026-05-04T12:00:00Z", "2026-05-05T12:00:00Z",
       "2026-05-04T12:00Z 1, 2026-05-04T22:00Z 5, 2026-05-05T06:00Z 1"},
      {night, "UTC", "2026-05-04T22:00:00Z", "2026-05-05T06:00:00Z", "2026-05-04T22:00Z 5"},
      {night, "UTC", "2026-05-05T05:59:00Z", "2026-05-05T06:01:00Z",
       "2026-05-05T05:59Z 5, 2026-05-05T06:00Z 1"},
      {night, berlin, "2026-05-04T12:00:00Z", "2026-05-05T12:00:00Z",
       "2026-05-04T12:00Z 1, 2026-05-04T20:00Z 5, 2026-05-05T04:00Z 1"},
      // The window begins on Saturday and passes into Sunday, the first day of the week.
      {saturday, "UTC", "2026-05-01T00:00:00Z", "2026-05-08T00:00:00Z",
       "2026-05-01T00:00Z 1, 2026-05-02T22:00Z 5, 2026-05-03T06:00Z 1"},
      // These are before 1970, and over the turn of a year.
      {night, "UTC", "1969-12-31T12:00:00Z", "1970-01-01T12:00:00Z",
       "1969-12-31T12:00Z 1, 1969-12-31T22:00Z 5, 1970-01-01T06:00Z 1"},
      // Clocks go from 02:00 to 03:00: a window between them never opens.
      {early, berlin, "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z",
       "2026-03-28T12:00Z 1, 2026-03-30T00:00Z 5, 2026-03-30T01:00Z 1"},
      // A begin in the missing hour means the jump, and so does an end.
      {window("02:30", "04:00", 5), berlin, "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z",
       "2026-03-28T12:00Z 1, 2026-03-29T01:00Z 5, 2026-03-29T02:00Z 1"},
      {window("01:00", "02:30", 5), berlin, "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z",
       "2026-03-28T12:00Z 1, 2026-03-29T00:00Z 5, 2026-03-29T01:00Z 1"},
      // Clocks go back from 03:00 to 02:00: a bound that occurs twice means its first occurrence.
      {early, berlin, "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z",
       "2026-10-24T12:00Z 1, 2026-10-25T00:00Z 5, 2026-10-25T02:00Z 1"},
      {window("02:00", "02:30", 5), berlin, "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z",
       "2026-10-24T12:00Z 1, 2026-10-25T00:00Z 5, 2026-10-25T00:30Z 1"},
      {window("01:00", "02:30", 5), berlin, "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z",
       "2026-10-24T12:00Z 1, 2026-10-24T23:00Z 5, 2026-10-25T00:30Z 1"},
      // Windows that meet in that hour still meet.
      {window("01:00", "02:30", 5) + window("02:30", "04:00", 6), berlin, "2026-10-24T12:00:00Z",
       "2026-10-25T12:00:00Z",
       "2026-10-24T12:00Z 1, 2026-10-24T23:00Z 5, 2026-10-25T00:30Z 6, 2026-10-25T03:00Z 1"},
      // The present is in the second of the two hours.
      {window("02:00", "02:30", 5), berlin, "2026-10-25T01:10:00Z", "2026-10-25T12:00:00Z",
       "2026-10-25T01:10Z 1"},
  };
  for (const Row& row : rows) {
    INFO(row.windows << row.zone << " " << row.from);
    CHECK(periods(group_with(row.windows, row.zone), row.from, row.to) == row.expected);
  }
}

TEST_CASE("at every minute of a year the period is what the clock on the wall says") {
  const ResourceGroup group = group_with(
      window("02:15", "02:45", 5) + window("02:45", "09:00", 6, "days = [\"sun\", \"wed\"]\n") +
          window("23:30", "00:10", 7),
      "Europe/Berlin");
  const Instant begin = at("2026-01-01T00:00:00Z");
  const Instant end = at("2027-01-01T00:00:00Z");
  const auto found = week_periods(group.week, group.timezone, begin, end);
  REQUIRE(found.front().from == begin);
  size_t period = 0;
  int wrong = 0;
  for (Instant now = begin; now < end; now = now + 60'000) {
    while (period + 1 < found.size() && found[period + 1].from <= now) ++period;
    const uint32_t expected = variant_in(group.week, minute_of_week(group.timezone, now));
    wrong += found[period].variant == expected ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(period + 1 == found.size());
  for (size_t i = 1; i < found.size(); ++i) {
    REQUIRE(found[i - 1].from < found[i].from);
    REQUIRE(found[i - 1].variant != found[i].variant);
  }
}

TEST_CASE("windows are resolved for groups that have some, up to the horizon") {
  BrokerConfig config;
  config.resource_groups.push_back(group_with(""));
  CHECK_FALSE(has_windows(config));
  config.resource_groups.push_back(group_with(window("08:00", "10:00", 5)));
  config.resource_groups.back().name = "h";
  CHECK(has_windows(config));
  const Instant now = at("2026-05-04T09:00:00Z");
  const ResolvedWindows windows = resolve_windows(config, now, 2 * 86'400'000);
  CHECK(windows.until == now + 2 * 86'400'000);
  REQUIRE(windows.plans.size() == 1);
  CHECK(windows.plans[0].resource_group == "h");
  REQUIRE(windows.plans[0].periods.size() == 5);
  CHECK(windows.plans[0].periods[0] == ResolvedWindows::PlanPeriod{now, 1});
  CHECK(windows.plans[0].periods[4].from == at("2026-05-06T08:00:00Z"));
}

namespace {

/// 50 consumers with 50 windows each; with `apart` no two of them are open at the same time.
std::string many_windows(bool apart) {
  constexpr const char* kDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
  std::string text = "[[resource_group]]\nname = \"g\"\npolicy = \"hybrid\"\nslots = 100000\n";
  for (int c = 0; c < 50; ++c) {
    text += "[[consumer]]\npath = \"/c" + std::to_string(c) + "\"\nowned = 1\n";
    for (int w = 0; w < 50; ++w) {
      const int from = w / 7 * 170 + (apart ? c * 3 : 0);
      text += window(clock_text(from), clock_text(from + 2), apart ? 2 + c * 50 + w : 2,
                     std::string("days = [\"") + kDays[w % 7] + "\"]\n");
    }
  }
  return text;
}

clock_t time_to_read(const std::string& text, size_t variants) {
  const clock_t begin = std::clock();
  const Loaded loaded = parse_broker_config(text, "p.toml");
  const clock_t end = std::clock();
  REQUIRE(loaded.ok());
  REQUIRE(loaded.core.resource_groups.at(0).variants.size() == variants);
  return end - begin;
}

}  // namespace

TEST_CASE("a plan with 2,500 windows, each at a time of its own, took seconds of a reload") {
  const clock_t together = time_to_read(many_windows(false), 2);
  const clock_t apart = time_to_read(many_windows(true), 2501);
  INFO("at the same times " << together << ", each at its own " << apart);
  CHECK(apart < 60 * together);
}

TEST_CASE("windows that make too many different plans are refused with their number") {
  std::string text = "[[resource_group]]\nname = \"g\"\npolicy = \"hybrid\"\n";
  for (int i = 0; i < 600; ++i) {
    const std::string minute = (i % 60 < 10 ? ":0" : ":") + std::to_string(i % 60);
    const std::string hour = (i / 60 < 10 ? "0" : "") + std::to_string(i / 60);
    text += "[[consumer]]\npath = \"/c" + std::to_string(i) + "\"\nowned = 1\n" +
            window(hour + minute, "23:59", i + 2);
  }
  const Loaded loaded = parse_broker_config(text, "p.toml");
  REQUIRE(loaded.errors.size() == 1);
  CHECK(loaded.errors[0].line == 2);
  CHECK(loaded.errors[0].message.find("of 600 consumers") != std::string::npos);
}
