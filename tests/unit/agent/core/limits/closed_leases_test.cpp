// The agent's core when its leases end by themselves, and when orders come to nothing.
#include <catch2/catch.hpp>

#include "agent/core/lease_clock.hpp"
#include "agent/core/limits/book.hpp"
#include "agent/core/reporter.hpp"
#include "tests/unit/agent/core/limits/made_groups.hpp"

namespace leasehold::agent {
namespace {

using wire::Role;

Book leasing_book(std::vector<wire::ConfiguredGroup> groups, std::vector<GroupLimits> limits) {
  wire::Configuration configuration;
  configuration.groups = std::move(groups);
  Book book{HostNames{}};
  book.restore(configuration, limits, {facts("big1", 8)});
  return book;
}

TEST_CASE("when leases end, every leased slot is fenced until it is free, own ones are not") {
  wire::ConfiguredGroup two = group(2, Role::consumer, "far", 4, "east");
  two.hosts.push_back({"empty", 4, false});
  GroupLimits limits = saved(2, Role::consumer, 3, 0, 5);
  limits.hosts.resize(2);
  Book book = leasing_book({group(1, Role::provider, "big1", 4), two},
                           {saved(1, Role::provider, 3, 4, 5), limits});
  CHECK(book.close_leased());
  CHECK_FALSE(book.groups()[0].limits.hosts[0].lowering);
  const HostLimit& far = book.groups()[1].limits.hosts[0];
  CHECK(far.lowering == OpenLowering{wire::Lowering::shrink, 0});
  CHECK(far.limit == 3);
  CHECK(far.settling);  // it gives up nothing before the fence stands
  CHECK(enforced(far) == 0);
  CHECK_FALSE(book.groups()[1].limits.hosts[1].lowering);  // it has no slot to give
  Book own =
      leasing_book({group(1, Role::provider, "big1", 4)}, {saved(1, Role::provider, 3, 4, 5)});
  CHECK_FALSE(own.close_leased());
}

TEST_CASE("the longest grace is that of the slots it leases, not of those it lends") {
  wire::ConfiguredGroup lent = group(1, Role::provider, "big1", 4);
  lent.grace_ms = 90'000;
  wire::ConfiguredGroup brief = group(2, Role::consumer, "far", 4, "east");
  brief.grace_ms = 5'000;
  wire::ConfiguredGroup longer = group(3, Role::consumer, "near", 4, "east");
  longer.grace_ms = 30'000;
  CHECK(leasing_book({lent, longer, brief}, {}).longest_grace_ms() == 30'000);
  CHECK(leasing_book({lent}, {}).longest_grace_ms() == 0);
}

TEST_CASE("an order that is dropped while its fence settles leaves the lowerings of before") {
  GroupLimits before = saved(1, Role::consumer, 4, 0, 5);
  before.hosts.push_back(before.hosts[0]);
  before.hosts[0].lowering = OpenLowering{wire::Lowering::reclaim, 2};
  GroupLimits begun = before;
  begun.hosts.push_back(before.hosts[1]);
  for (HostLimit& host : begun.hosts) {
    host.lowering = OpenLowering{wire::Lowering::release, 0};
    host.settling = true;
  }
  begun.hosts[1].settling = false;  // not named by the order
  drop_order(begun, before);
  CHECK(begun.hosts[0].lowering == OpenLowering{wire::Lowering::reclaim, 2});
  CHECK_FALSE(begun.hosts[0].settling);
  CHECK(begun.hosts[1].lowering == OpenLowering{wire::Lowering::release, 0});
  CHECK_FALSE(begun.hosts[2].lowering);  // a host that was not there before
  CHECK_FALSE(begun.hosts[2].settling);
}

TEST_CASE("a newer order frees the rows that an earlier one fenced and it does not name") {
  GroupLimits limits = saved(1, Role::consumer, 4, 0, 5);
  limits.hosts.push_back(limits.hosts[0]);
  for (HostLimit& host : limits.hosts) host.settling = true;
  wire::ConfiguredGroup two = group(1, Role::consumer, "far", 4, "east");
  two.hosts.push_back({"near", 4, false});
  wire::Order order;
  order.generation = 1;
  order.seq = 6;
  order.hosts = {{0, 1, wire::Lowering::release}};
  const GroupLimits begun = begin_order(limits, two, order);
  CHECK(begun.hosts[0].settling);
  CHECK_FALSE(begun.hosts[1].settling);
}

TEST_CASE("a ttl so long that no clock reaches its end never ends") {
  LeaseClock clock;
  clock.set_ttl(INT64_MAX);
  clock.begin_session(50);
  CHECK(clock.answered(0));
  CHECK(clock.ends_ms() == INT64_MAX);
}

TEST_CASE("a hello that left before the ttl was known renews from its sending") {
  LeaseClock clock;
  clock.begin_session(10);
  clock.sent(1, 5'010);
  clock.set_ttl(1'000);
  CHECK(clock.answered(0));
  CHECK(clock.ends_ms() == 1'010);
  CHECK(clock.answered(1));
  CHECK(clock.ends_ms() == 6'010);
}

TEST_CASE("heartbeats are kept for one ttl from their sending, and the rest forgotten at once") {
  LeaseClock clock;
  clock.set_ttl(1'000);
  clock.begin_session(0);
  clock.sent(1, 10);
  clock.sent(2, 5'000);  // nothing older than a ttl is left, itself included
  CHECK_FALSE(clock.answered(0));
  CHECK_FALSE(clock.answered(1));
  CHECK(clock.answered(2));
  CHECK(clock.ends_ms() == 6'000);
}

TEST_CASE("what the workload manager goes by is a fact of a report like any other") {
  Reporter reporter;
  reporter.begin(55);
  Picture now;
  reporter.report(now);
  CHECK_FALSE(reporter.report(now));
  now.lease_ms = 60'000;
  CHECK(reporter.report(now));
  CHECK_FALSE(reporter.report(now));
}

}  // namespace
}  // namespace leasehold::agent
