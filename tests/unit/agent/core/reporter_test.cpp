#include "agent/core/reporter.hpp"

#include <catch2/catch.hpp>

namespace leasehold::agent {
namespace {

Picture picture() {
  Picture made;
  made.configuration = 3;
  made.pending = 5;
  made.state.groups = {{1, 7, false, 0, 0, 2}, {2, 8, true, 0, 2, 1}};
  made.state.hosts = {{0, 4, 1, true}, {1, 4, 2, true}, {0, 2, 2, true}};
  made.hosts = {{0, 8, true}, {1, 2, true}};
  return made;
}

TEST_CASE("the first report of a session is full, an unchanged world makes no other") {
  Reporter reporter;
  reporter.begin(55);
  const auto first = reporter.report(picture());
  REQUIRE(first);
  CHECK(first->full);
  CHECK(first->number == 1);
  CHECK(first->session == 55);
  CHECK(first->state == picture().state);
  CHECK(first->hosts == picture().hosts);
  CHECK_FALSE(reporter.report(picture()));
  CHECK(reporter.number() == 1);
}

TEST_CASE("a report holds what changed since the one before: a group whole, other groups not") {
  Reporter reporter;
  reporter.begin(55);
  reporter.report(picture());
  Picture now = picture();
  now.state.hosts[1].used = 3;
  now.hosts[1].used = 3;
  const auto report = reporter.report(now);
  REQUIRE(report);
  CHECK_FALSE(report->full);
  CHECK(report->number == 2);
  REQUIRE(report->state.groups.size() == 1);
  CHECK(report->state.groups[0].generation == 1);
  CHECK(report->state.hosts == std::vector<wire::HostState>{{0, 4, 1, true}, {1, 4, 3, true}});
  CHECK(report->hosts == std::vector<wire::HostUse>{{1, 3, true}});
}

TEST_CASE("what work looks like is told in full reports and when it changed, not again and again") {
  Reporter reporter;
  reporter.begin(55);
  Picture now = picture();
  now.demand = wire::Demand{{4, 2, wire::TimeClass::hour_1, 10'000, 1, 8, {}}};
  now.ending = wire::Ending{{{wire::TimeClass::day_1, 3}}, -1};
  auto report = reporter.report(now);
  REQUIRE(report);
  CHECK(report->demand == now.demand);
  CHECK(report->ending == now.ending);
  CHECK_FALSE(reporter.report(now));
  now.demand->front().jobs = 2;
  report = reporter.report(now);
  REQUIRE(report);
  CHECK(report->demand == now.demand);
  CHECK_FALSE(report->ending);
  now.ending->error_milli = 100;
  report = reporter.report(now);
  REQUIRE(report);
  CHECK_FALSE(report->demand);
  CHECK(report->ending == now.ending);
  now.pending = 6;
  report = reporter.report(now);
  REQUIRE(report);
  CHECK_FALSE((report->demand || report->ending));
  reporter.resync();
  report = reporter.report(now);
  REQUIRE(report);
  CHECK((report->demand && report->ending));
}

TEST_CASE("an agent whose adapter does not tell what work looks like reports as ever") {
  Reporter reporter;
  reporter.begin(55);
  const auto report = reporter.report(picture());
  REQUIRE(report);
  CHECK_FALSE((report->demand || report->ending));
  CHECK_FALSE(reporter.report(picture()));
}

TEST_CASE("a later group alone is cut out with its own rows") {
  Reporter reporter;
  reporter.begin(55);
  reporter.report(picture());
  Picture now = picture();
  now.state.groups[1].seq = 9;
  const auto report = reporter.report(now);
  REQUIRE(report->state.groups.size() == 1);
  CHECK(report->state.groups[0].first == 0);
  CHECK(report->state.hosts_of(report->state.groups[0])[0] == wire::HostState{0, 2, 2, true});
}

TEST_CASE("pending work alone makes a report, and a resync a full one") {
  Reporter reporter;
  reporter.begin(55);
  reporter.report(picture());
  Picture now = picture();
  now.pending = 6;
  const auto delta = reporter.report(now);
  REQUIRE(delta);
  CHECK(delta->state.groups.empty());
  CHECK(delta->hosts.empty());
  reporter.resync();
  const auto full = reporter.report(now);
  REQUIRE(full);
  CHECK(full->full);
  CHECK(full->number == 3);
  CHECK(full->state.groups.size() == 2);
}

TEST_CASE("each single fact that changed makes a report, with the groups it is about") {
  struct Row {
    const char* what;
    void (*change)(Picture&);
    std::vector<uint64_t> groups;
  };
  const Row row = GENERATE(values<Row>({
      {"another configuration", [](Picture& now) { now.configuration = 4; }, {}},
      {"pending", [](Picture& now) { now.pending = 6; }, {}},
      {"running", [](Picture& now) { now.running = 6; }, {}},
      {"degraded", [](Picture& now) { now.degraded = true; }, {}},
      {"a host's use", [](Picture& now) { now.hosts[0].used = 7; }, {}},
      {"an order applied", [](Picture& now) { now.state.groups[0].seq = 9; }, {1}},
      {"a first use", [](Picture& now) { now.state.groups[0].ever_used = true; }, {1}},
      {"a breach", [](Picture& now) { now.state.groups[1].breach = 1; }, {2}},
      {"a limit", [](Picture& now) { now.state.hosts[2].limit = 1; }, {2}},
      {"a host less",
       [](Picture& now) {
         now.state.hosts.pop_back();
         now.state.groups[1].count = 0;
       },
       {2}},
      {"a group more",
       [](Picture& now) {
         now.state.groups.push_back({3, 0, false, 0, 3, 0});
       },
       {3}},
  }));
  INFO(row.what);
  Reporter reporter;
  reporter.begin(55);
  reporter.report(picture());
  Picture now = picture();
  row.change(now);
  const auto report = reporter.report(now);
  REQUIRE(report);
  std::vector<uint64_t> named;
  for (const wire::GroupState& group : report->state.groups) named.push_back(group.generation);
  CHECK(named == row.groups);
  CHECK_FALSE(reporter.report(now));
}

}  // namespace
}  // namespace leasehold::agent
