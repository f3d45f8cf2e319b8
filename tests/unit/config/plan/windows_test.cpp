// An instant selects the numbers in force, by the clock of the group's time zone.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "broker/config/load.hpp"
#include "broker/config/week.hpp"

using namespace leasehold;

namespace {

ResourcePlans plans_of(const std::string& zone, const std::string& consumer) {
  const Loaded loaded =
      parse_broker_config("[[resource_group]]\nname = \"g\"\npolicy = \"hybrid\"\ntimezone = \"" +
                              zone + "\"\n[[consumer]]\npath = \"/a\"\nowned = 10\n" + consumer,
                          "p.toml");
  for (const Error& error : loaded.errors) UNSCOPED_INFO(describe(error));
  REQUIRE(loaded.ok());
  return loaded.plans;
}

std::string window(const std::string& from, const std::string& to, const std::string& rest) {
  return "[[consumer.window]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\n" + rest + "\n";
}

int64_t owned_at(const ResourcePlans& plans, const char* time) {
  return *plans.in_force(0, *parse_time(time, Instant{0})).consumers[0].owned;
}

}  // namespace

TEST_CASE("a window is half-open and may pass midnight") {
  const auto plans = plans_of("UTC", window("17:00", "08:00", "owned = 25"));
  CHECK(owned_at(plans, "2026-11-21T16:59:59.999Z") == 10);
  CHECK(owned_at(plans, "2026-11-21T17:00:00Z") == 25);
  CHECK(owned_at(plans, "2026-11-21T23:59:59Z") == 25);
  CHECK(owned_at(plans, "2026-11-22T00:00:00Z") == 25);
  CHECK(owned_at(plans, "2026-11-22T07:59:59.999Z") == 25);
  CHECK(owned_at(plans, "2026-11-22T08:00:00Z") == 10);
}

TEST_CASE("without an instant no window holds") {
  const auto plans = plans_of("UTC", window("00:00", "24:00", "owned = 25"));
  CHECK(plans.in_force(0, std::nullopt).consumers[0].owned == 10);
  CHECK(owned_at(plans, "2026-11-21T00:00:00Z") == 25);
  CHECK(owned_at(plans, "2026-11-21T23:59:59Z") == 25);
}

TEST_CASE("a window may begin on some days only; past midnight it is still that day's") {
  const auto plans =
      plans_of("UTC", window("22:00", "06:00", "days = [\"fri\", \"sat\"]\nowned = 25"));
  CHECK(owned_at(plans, "2026-11-20T21:59:00Z") == 10);  // a Friday
  CHECK(owned_at(plans, "2026-11-20T22:00:00Z") == 25);
  CHECK(owned_at(plans, "2026-11-21T05:59:00Z") == 25);
  CHECK(owned_at(plans, "2026-11-22T05:59:00Z") == 25);  // Sunday morning is Saturday's
  CHECK(owned_at(plans, "2026-11-22T22:00:00Z") == 10);
  CHECK(owned_at(plans, "2026-11-20T05:00:00Z") == 10);  // Friday morning is Thursday's
}

TEST_CASE("the clock on the wall decides, summer and winter") {
  const auto plans = plans_of("Europe/Berlin", window("08:00", "17:00", "owned = 25"));
  CHECK(owned_at(plans, "2026-07-01T05:59:00Z") == 10);
  CHECK(owned_at(plans, "2026-07-01T06:00:00Z") == 25);
  CHECK(owned_at(plans, "2026-12-01T06:59:00Z") == 10);
  CHECK(owned_at(plans, "2026-12-01T07:00:00Z") == 25);
  CHECK(owned_at(plans, "2026-12-01T15:59:00Z") == 25);
  CHECK(owned_at(plans, "2026-12-01T16:00:00Z") == 10);
}

TEST_CASE("where the clock jumps forward, a time that it leaves out never comes") {
  // 2026-03-29 in Berlin: 01:59 is followed by 03:00, at 01:00Z.
  const auto inside = plans_of("Europe/Berlin", window("02:00", "03:00", "owned = 25"));
  for (const char* time :
       {"2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"}) {
    CHECK(owned_at(inside, time) == 10);
  }
  CHECK(owned_at(inside, "2026-03-30T00:30:00Z") == 25);
  const auto across = plans_of("Europe/Berlin", window("02:30", "03:30", "owned = 25"));
  CHECK(owned_at(across, "2026-03-29T00:59:59Z") == 10);
  CHECK(owned_at(across, "2026-03-29T01:00:00Z") == 25);
  CHECK(owned_at(across, "2026-03-29T01:30:00Z") == 10);
}

TEST_CASE("where the clock is set back, adjoining windows still never hold together") {
  // 2026-10-25 in Berlin: 02:59 is followed by 02:00, at 01:00Z.
  const auto plans = plans_of("Europe/Berlin", window("00:00", "02:30", "owned = 20") +
                                                   window("02:30", "06:00", "owned = 30"));
  CHECK(owned_at(plans, "2026-10-24T22:00:00Z") == 20);
  CHECK(owned_at(plans, "2026-10-25T00:29:00Z") == 20);
  CHECK(owned_at(plans, "2026-10-25T00:30:00Z") == 30);
  CHECK(owned_at(plans, "2026-10-25T01:00:00Z") == 30);  // 02:00 again, which counts once
  CHECK(owned_at(plans, "2026-10-25T01:30:00Z") == 30);
  CHECK(owned_at(plans, "2026-10-25T05:00:00Z") == 10);
}

TEST_CASE("a window changes what it names and leaves the rest, the policy of a branch too") {
  const auto plans =
      plans_of("UTC", "limit = 50\nrank = 3\nreclaim_grace = \"10s\"\n" +
                          window("08:00", "17:00",
                                 "policy = \"ownership\"\nreclaim_grace = \"1m\"\n"
                                 "lend_limit = 4\nborrow_from = [\"*\"]\nshare_limit = 9"));
  const Plan outside = plans.in_force(0, std::nullopt);
  const Plan inside = plans.in_force(0, *parse_time("2026-11-21T12:00:00Z", Instant{0}));
  const PlanConsumer& before = outside.consumers[0];
  const PlanConsumer& now = inside.consumers[0];
  CHECK_FALSE(before.policy);
  CHECK(now.policy == PlanPolicy::ownership);
  CHECK(before.reclaim_grace_ms == 10'000);
  CHECK(now.reclaim_grace_ms == 60'000);
  CHECK_FALSE(before.lend_limit);
  CHECK(now.lend_limit == 4);
  CHECK(now.borrow_from == ConsumerList{true, {}, {}});
  CHECK(now.share_limit == 9);
  CHECK(now.owned == 10);
  CHECK(now.limit == 50);
  CHECK(now.rank == 3);
}

TEST_CASE("numbers change only at the edges of windows") {
  CHECK(rc::check([] {
    const auto minute = [] { return *rc::gen::inRange(0, kMinutesOfDay); };
    int from = minute();
    int to = minute();
    RC_PRE(from != to);
    const std::string text = window(clock_text(from), clock_text(to), "owned = 25");
    const auto plans = plans_of("UTC", text);
    const PlanTree& tree = plans.trees()[0];
    const std::vector<int> edges = plan_changes(tree);
    const int at = minute();
    const auto owned = [&](int m) { return *plan_at(tree, m).consumers[0].owned; };
    const bool in = from < to ? at >= from && at < to : at >= from || at < to;
    RC_ASSERT(owned(at) == (in ? 25 : 10));
    const int before = (at + kMinutesOfDay - 1) % kMinutesOfDay;
    if (owned(at) != owned(before)) {
      RC_ASSERT(std::find(edges.begin(), edges.end(), at) != edges.end());
    }
  }));
}
