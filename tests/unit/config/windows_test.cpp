#include "broker/config/windows.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <ctime>

#include "broker/config/load.hpp"
#include "broker/config/week.hpp"
#include "broker/config/week_periods.hpp"

using namespace leasehold;

namespace {

Instant at(const char* text) {
  return *parse_time(text, Instant{0});
}

BrokerConfig with_windows(std::vector<WeekWindow> windows, const char* zone) {
  ExportPolicy policy;
  policy.name = "p";
  policy.windows = std::move(windows);
  policy.timezone = zone;
  BrokerConfig config;
  config.policies = {policy};
  return config;
}

using Span = std::pair<const char*, const char*>;

void check_open(const std::vector<WeekWindow>& windows, const char* zone, const char* now,
                int64_t days, const std::vector<Span>& expected) {
  const ResolvedWindows resolved =
      resolve_windows(with_windows(windows, zone), at(now), days * 86'400'000);
  REQUIRE(resolved.policies.size() == 1);
  CHECK(resolved.policies[0].policy == "p");
  const auto& open = resolved.policies[0].open;
  std::string got;
  for (const Interval& i : open) got += format_utc(i.from) + " … " + format_utc(i.to) + "\n";
  INFO(got);
  REQUIRE(open.size() == expected.size());
  for (size_t i = 0; i < open.size(); ++i) {
    CHECK(open[i] == Interval{at(expected[i].first), at(expected[i].second)});
  }
}

constexpr uint8_t kSun = 0, kMon = 1, kFri = 5, kSat = 6;

}  // namespace

TEST_CASE("windows become instants, from the one that is open to the horizon") {
  const WeekWindow office{{}, 8 * 60, 17 * 60};
  check_open({office}, "UTC", "2026-11-21T10:00:00Z", 2,
             {{"2026-11-21T08:00:00Z", "2026-11-21T17:00:00Z"},
              {"2026-11-22T08:00:00Z", "2026-11-22T17:00:00Z"},
              {"2026-11-23T08:00:00Z", "2026-11-23T10:00:00Z"}});
  // A window is half-open: closed at its end, open at its begin.
  check_open({office}, "UTC", "2026-11-21T17:00:00Z", 1,
             {{"2026-11-22T08:00:00Z", "2026-11-22T17:00:00Z"}});
  check_open({office}, "Europe/Berlin", "2026-11-21T18:00:00Z", 1,
             {{"2026-11-22T07:00:00Z", "2026-11-22T16:00:00Z"}});
}

TEST_CASE("a window past midnight belongs to the day it begins on") {
  check_open({{{kFri}, 20 * 60, 6 * 60}}, "UTC", "2026-11-21T03:00:00Z", 7,
             {{"2026-11-20T20:00:00Z", "2026-11-21T06:00:00Z"},
              {"2026-11-27T20:00:00Z", "2026-11-28T03:00:00Z"}});
}

TEST_CASE("windows that touch are one interval") {
  check_open({{{kSat, kSun}, 0, 1440}, {{kMon}, 0, 60}}, "UTC", "2026-11-20T00:00:00Z", 7,
             {{"2026-11-21T00:00:00Z", "2026-11-23T01:00:00Z"}});
  const ResolvedWindows always = resolve_windows(with_windows({{{}, 0, 1440}}, "UTC"),
                                                 at("2026-11-21T00:00:00Z"), kWindowHorizonMs);
  REQUIRE(always.policies[0].open.size() == 1);
  CHECK(always.policies[0].open[0].from < at("2026-11-21T00:00:00Z"));
  CHECK(always.policies[0].open[0].to == always.until);
}

TEST_CASE("a policy without windows has no entry") {
  CHECK(resolve_windows(with_windows({}, "UTC"), Instant{0}).policies.empty());
}

TEST_CASE("in spring a time that the clock jumps over stands for the jump") {
  // Berlin, 2027-03-28: 02:00 becomes 03:00, at 01:00 UTC.
  check_open({{{kSun}, 150, 240}}, "Europe/Berlin", "2027-03-27T12:00:00Z", 2,
             {{"2027-03-28T01:00:00Z", "2027-03-28T02:00:00Z"}});
  check_open({{{kSun}, 60, 150}}, "Europe/Berlin", "2027-03-27T12:00:00Z", 2,
             {{"2027-03-28T00:00:00Z", "2027-03-28T01:00:00Z"}});
  check_open({{{kSun}, 125, 175}}, "Europe/Berlin", "2027-03-27T12:00:00Z", 2, {});
  // A night over the jump is an hour shorter.
  check_open({{{kSat}, 20 * 60, 6 * 60}}, "Europe/Berlin", "2027-03-27T12:00:00Z", 2,
             {{"2027-03-27T19:00:00Z", "2027-03-28T04:00:00Z"}});
}

TEST_CASE("a window over the autumn hour opened for the second showing of it, too") {
  // Berlin, 2026-10-25: 03:00 becomes 02:00, at 01:00 UTC.
  check_open({{{kSun}, 130, 170}}, "Europe/Berlin", "2026-10-24T12:00:00Z", 2,
             {{"2026-10-25T00:10:00Z", "2026-10-25T00:50:00Z"}});
  check_open({{{kSun}, 130, 170}}, "Europe/Berlin", "2026-10-25T01:20:00Z", 2, {});
  // 02:30 means its first occurrence, as an end and as a begin; 03:00 occurs once.
  check_open({{{kSun}, 60, 150}}, "Europe/Berlin", "2026-10-24T12:00:00Z", 2,
             {{"2026-10-24T23:00:00Z", "2026-10-25T00:30:00Z"}});
  check_open({{{kSun}, 150, 180}}, "Europe/Berlin", "2026-10-24T12:00:00Z", 2,
             {{"2026-10-25T00:30:00Z", "2026-10-25T02:00:00Z"}});
  check_open({{{kSat}, 20 * 60, 6 * 60}}, "Europe/Berlin", "2026-10-24T12:00:00Z", 2,
             {{"2026-10-24T18:00:00Z", "2026-10-25T05:00:00Z"}});
  // The whole day has 25 hours.
  check_open({{{kSun}, 0, 1440}}, "Europe/Berlin", "2026-10-24T12:00:00Z", 3,
             {{"2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"}});
}

TEST_CASE("policies and plans read the same windows as the same instants") {
  const std::vector<WeekWindow> windows{
      {{}, 135, 165}, {{kSun, kSat}, 23 * 60 + 30, 10}, {{kMon}, 125, 126}};
  for (const char* zone : {"UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/New_York"}) {
    INFO(zone);
    const BrokerConfig config = with_windows(windows, zone);
    const Instant begin = at("2026-01-01T12:00:00Z");
    const auto open = resolve_windows(config, begin, int64_t{366} * 86'400'000).policies[0].open;
    const WeekSet set = week_set(windows);
    size_t next = 0;
    int wrong = 0;
    for (Instant now = begin; now < begin + int64_t{366} * 86'400'000; now = now + 60'000) {
      while (next < open.size() && open[next].to <= now) ++next;
      const bool is_open = next < open.size() && open[next].from <= now;
      const auto minute = static_cast<size_t>(minute_of_week(zone, now));
      wrong += is_open == set[minute] ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("2,500 windows took seconds to resolve, a hundred times what reading them takes") {
  std::string text = "[[cluster]]\nname = \"east\"\n[[cluster]]\nname = \"west\"\n";
  for (int i = 0; i < 50; ++i) {
    text += "[[export_policy]]\nname = \"p" + std::to_string(i) +
            "\"\nprovider = \"east\"\nhosts = [\"h" + std::to_string(i) +
            "\"]\nslots_per_host = 1\ntimezone = \"Europe/Berlin\"\n"
            "distribution = [{ cluster = \"west\", shares = 1 }]\nwindow = [\n";
    for (int w = 0; w < 50; ++w) {
      char window[80];
      std::snprintf(window, sizeof window, "{ from = \"%02d:%02d\", to = \"%02d:%02d\" },\n", w / 3,
                    w % 3 * 20, w / 3, w % 3 * 20 + 10);
      text += window;
    }
    text += "]\n";
  }
  const clock_t begin = std::clock();
  const Loaded loaded = parse_broker_config(text, "b.toml");
  const clock_t read = std::clock();
  REQUIRE(loaded.ok());
  const ResolvedWindows resolved = resolve_windows(loaded.core, at("2026-10-20T00:00:00Z"));
  const clock_t end = std::clock();
  REQUIRE(resolved.policies.size() == 50);
  CHECK(resolved.policies[0].open.size() > 34 * 50);
  INFO("read " << read - begin << ", resolved " << end - read);
  CHECK(end - read < 10 * (read - begin));
}

TEST_CASE("an unknown time zone is refused with the nearest") {
  CHECK(check_timezone("UTC").has_value());
  CHECK(check_timezone("Europe/Berlin").has_value());
  CHECK_FALSE(check_timezone("").has_value());
  const Status unknown = check_timezone("Europe/Berlim");
  REQUIRE_FALSE(unknown);
  CHECK_THAT(unknown.error().message, Catch::Contains("did you mean 'Europe/Berlin'?"));
}

TEST_CASE("a set of minutes of the week is the windows that make it up") {
  const auto set = [](const std::vector<WeekWindow>& windows) { return week_set(windows); };
  CHECK(set({}).all());
  CHECK(week_windows(set({})).empty());
  // Every night is one window that passes midnight; its complement is the day.
  const WeekSet night = week_set(WeekWindow{{}, 20 * 60, 6 * 60});
  CHECK(week_windows(night) == std::vector<WeekWindow>{{{}, 20 * 60, 6 * 60}});
  CHECK(week_windows(~night) == std::vector<WeekWindow>{{{}, 6 * 60, 20 * 60}});
  // Friday 18:00 to Monday 8:00 is one piece for each day.
  const WeekSet weekend = week_stretch(kFri * 1440 + 18 * 60, 6 * 60 + 2 * 1440 + 8 * 60);
  CHECK(week_windows(weekend) == std::vector<WeekWindow>{{{kMon}, 0, 8 * 60},
                                                         {{kSun, kSat}, 0, 1440},
                                                         {{kFri}, 18 * 60, 1440}});
}

TEST_CASE("windows made of any set give that set again") {
  CHECK(rc::check([] {
    WeekSet set;
    const auto count = *rc::gen::inRange(1, 6);
    for (int i = 0; i < count; ++i) {
      const auto begin = *rc::gen::inRange(0, kMinutesOfWeek);
      set ^= week_stretch(begin, *rc::gen::inRange(1, kMinutesOfWeek));
    }
    RC_PRE(set.any());
    RC_ASSERT(week_set(week_windows(set)) == set);
  }));
}
