// The rules of schema/wire/PROTOCOL.md, "Orders", row by row.
#include "agent/core/limits/limits.hpp"

#include <catch2/catch.hpp>

namespace leasehold::agent {
namespace {

using wire::Lowering;

wire::ConfiguredGroup configured(wire::Role role, std::vector<int32_t> slots) {
  wire::ConfiguredGroup group;
  group.generation = 7;
  group.role = role;
  for (const int32_t count : slots) group.hosts.push_back({"h", count, false});
  return group;
}

GroupLimits limits(wire::Role role, std::vector<HostLimit> hosts, uint64_t seq = 5) {
  GroupLimits group;
  group.generation = 7;
  group.role = role;
  group.seq = seq;
  group.hosts = std::move(hosts);
  return group;
}

HostLimit host(int32_t limit, int32_t exported = 0) {
  HostLimit row;
  row.limit = limit;
  row.exported = exported;
  return row;
}

wire::Order order(std::vector<wire::OrderedHost> hosts, uint64_t seq = 6) {
  wire::Order made;
  made.generation = 7;
  made.seq = seq;
  made.hosts = std::move(hosts);
  return made;
}

TEST_CASE("a lower order is refused, an equal one repeated, a higher one applies") {
  const GroupLimits group = limits(wire::Role::consumer, {host(2)});
  CHECK(judge(group, 4) == Verdict::refused);
  CHECK(judge(group, 5) == Verdict::repeated);
  CHECK(judge(group, 6) == Verdict::applies);
}

struct LimitRow {
  const char* what;
  int32_t limit;
  int32_t ordered;
  Lowering kind;
  int32_t used;
  int32_t enforced_while_settling;
  int32_t limit_after;
  int32_t enforced_after;
  bool open_after;
};

TEST_CASE("an order sets each host to the order or to what is used, whichever is more") {
  const LimitRow row = GENERATE(values<LimitRow>({
      {"a raise opens only at the end", 2, 4, Lowering::release, 2, 2, 4, 4, false},
      {"the same limit changes nothing", 3, 3, Lowering::release, 1, 3, 3, 3, false},
      {"a release gives up idle slots", 4, 0, Lowering::release, 1, 0, 1, 1, false},
      {"a release of idle slots only", 4, 2, Lowering::release, 1, 2, 2, 2, false},
      {"a release with all in use keeps all", 4, 0, Lowering::release, 4, 0, 4, 4, false},
      {"use above the limit never raises it", 4, 1, Lowering::release, 9, 1, 4, 4, false},
      {"a shrink keeps its fence while slots are used", 4, 1, Lowering::shrink, 3, 1, 3, 1, true},
      {"a shrink that is done at once is closed", 4, 1, Lowering::shrink, 1, 1, 1, 1, false},
      {"a reclaim stays open", 4, 0, Lowering::reclaim, 4, 0, 4, 0, true},
  }));
  INFO(row.what);
  const auto group = configured(wire::Role::consumer, {8});
  const wire::Order given = order({{0, row.ordered, row.kind}});
  const GroupLimits begun =
      begin_order(limits(wire::Role::consumer, {host(row.limit)}), group, given);
  CHECK(enforced(begun.hosts[0]) == row.enforced_while_settling);
  CHECK(begun.hosts[0].limit == row.limit);
  CHECK(begun.seq == 5);
  const GroupLimits after = finish_order(begun, given, std::vector<int32_t>{row.used});
  CHECK(after.seq == 6);
  CHECK(after.hosts[0].limit == row.limit_after);
  CHECK(enforced(after.hosts[0]) == row.enforced_after);
  CHECK(after.hosts[0].lowering.has_value() == row.open_after);
}

TEST_CASE("a host that the order does not name keeps its limit and has no open lowering any more") {
  HostLimit lowering = host(3);
  lowering.lowering = OpenLowering{Lowering::shrink, 0};
  const auto group = configured(wire::Role::consumer, {4, 4});
  const wire::Order given = order({{1, 2, Lowering::release}});
  const GroupLimits begun =
      begin_order(limits(wire::Role::consumer, {lowering, host(0)}), group, given);
  CHECK(enforced(begun.hosts[0]) == 0);  // nothing opens before the order is applied
  const GroupLimits after = finish_order(begun, given, std::vector<int32_t>{3, 0});
  CHECK(after.hosts[0].limit == 3);
  CHECK_FALSE(after.hosts[0].lowering);
  CHECK(enforced(after.hosts[0]) == 3);
  CHECK(after.hosts[1].limit == 2);
}

TEST_CASE("a newer order replaces one whose fence has not settled") {
  const auto group = configured(wire::Role::consumer, {4});
  GroupLimits begun = begin_order(limits(wire::Role::consumer, {host(4)}), group,
                                  order({{0, 0, Lowering::release}}, 6));
  const wire::Order newer = order({{0, 4, Lowering::release}}, 7);
  begun = begin_order(begun, group, newer);
  CHECK(enforced(begun.hosts[0]) == 0);
  const GroupLimits after = finish_order(begun, newer, std::vector<int32_t>{0});
  CHECK(after.hosts[0].limit == 4);
  CHECK(enforced(after.hosts[0]) == 4);
  CHECK(after.seq == 7);
}

// Symptom: an order that came again before its fences were in effect was never carried out.
TEST_CASE("an order waits for fences only where one of them is not what it was before") {
  const GroupLimits before =
      begin_order(limits(wire::Role::provider, {host(4, 4)}), configured(wire::Role::provider, {4}),
                  order({{0, 1, Lowering::shrink}}));
  const struct {
    const char* what;
    std::vector<wire::OrderedHost> ordered;
    bool as_before;
  } rows[] = {
      {"the same lowering", {{0, 1, Lowering::shrink}}, true},
      {"a raise", {{0, 4, Lowering::shrink}}, true},
      {"a lower limit", {{0, 0, Lowering::shrink}}, false},
      {"another host, new in the group",
       {{0, 1, Lowering::shrink}, {1, 2, Lowering::shrink}},
       false},
  };
  for (const auto& row : rows) {
    INFO(row.what);
    const GroupLimits begun =
        begin_order(before, configured(wire::Role::provider, {4, 4}), order(row.ordered, 7));
    CHECK(fences_as_before(begun, before) == row.as_before);
  }
}

TEST_CASE(
    "an open lowering gives up each slot that comes free, down to its target and no further") {
  HostLimit open = host(4);
  open.lowering = OpenLowering{Lowering::shrink, 1};
  GroupLimits group = limits(wire::Role::consumer, {open, host(4)});
  CHECK_FALSE(lower_to_use(group, std::vector<int32_t>{4, 0}));
  CHECK(lower_to_use(group, std::vector<int32_t>{2, 0}));
  CHECK(group.hosts[0].limit == 2);
  CHECK(enforced(group.hosts[0]) == 1);
  CHECK_FALSE(lower_to_use(group, std::vector<int32_t>{3, 0}));  // use that rose raises nothing
  CHECK(group.hosts[0].limit == 2);
  CHECK(lower_to_use(group, std::vector<int32_t>{0, 0}));
  CHECK(group.hosts[0].limit == 1);
  CHECK_FALSE(group.hosts[0].lowering);
  CHECK(group.hosts[1].limit == 4);  // no open lowering: idle slots stay
}

TEST_CASE("a fence that has not settled gives up nothing by itself") {
  const auto group = configured(wire::Role::consumer, {4});
  GroupLimits begun = begin_order(limits(wire::Role::consumer, {host(4)}), group,
                                  order({{0, 0, Lowering::shrink}}));
  CHECK_FALSE(lower_to_use(begun, std::vector<int32_t>{1}));
  CHECK(begun.hosts[0].limit == 4);
}

TEST_CASE("a new group's slots turn from own ones into limit, so that its first order takes none") {
  const auto group = configured(wire::Role::provider, {4});
  SECTION("the first order leaves all with the provider") {
    const wire::Order given = order({{0, 4, Lowering::release}});
    const GroupLimits after =
        finish_order(begin_order(limits(wire::Role::provider, {host(0, 0)}, 0), group, given),
                     given, std::vector<int32_t>{4});
    CHECK(after.hosts[0].limit == 4);
    CHECK(after.hosts[0].exported == 4);
  }
  SECTION("the first order already takes one, which is in use") {
    const wire::Order given = order({{0, 3, Lowering::shrink}});
    const GroupLimits after =
        finish_order(begin_order(limits(wire::Role::provider, {host(0, 0)}, 0), group, given),
                     given, std::vector<int32_t>{4});
    CHECK(after.hosts[0].limit == 4);
    CHECK(enforced(after.hosts[0]) == 3);
  }
}

TEST_CASE("exports that ended leave limit and exports together, new ones wait for an order") {
  GroupLimits group = limits(wire::Role::provider, {host(3, 4), host(0, 2)});
  keep_configured(group, configured(wire::Role::provider, {3, 5}));
  CHECK(group.hosts[0].exported == 3);
  CHECK(group.hosts[0].limit == 2);
  CHECK(group.hosts[1].exported == 2);
  CHECK(group.hosts[1].limit == 0);
}

TEST_CASE("a frozen host opens nothing until an order is applied") {
  HostLimit frozen = host(3);
  freeze(frozen);
  CHECK(enforced(frozen) == 0);
  const auto group = configured(wire::Role::consumer, {4});
  const wire::Order given = order({});
  const GroupLimits after =
      finish_order(begin_order(limits(wire::Role::consumer, {frozen}), group, given), given,
                   std::vector<int32_t>{0});
  CHECK(enforced(after.hosts[0]) == 3);
}

TEST_CASE("an order that contradicts its group is refused by name") {
  const auto group = configured(wire::Role::consumer, {4, 4});
  CHECK(check_order(group, order({{0, 1, {}}, {1, 2, {}}})));
  CHECK(check_order(group, order({{2, 1, {}}})).error().message.find("host 2") !=
        std::string::npos);
  CHECK(check_order(group, order({{1, 1, {}}, {1, 2, {}}})).error().message.find("twice") !=
        std::string::npos);
}

TEST_CASE("one host that gives up a slot makes the group's state new, wherever it stands") {
  for (const size_t falls : {0U, 1U, 2U}) {
    GroupLimits group = limits(wire::Role::consumer, {host(3), host(3), host(3)});
    for (HostLimit& row : group.hosts) row.lowering = OpenLowering{Lowering::shrink, 1};
    std::vector<int32_t> used{3, 3, 3};
    used[falls] = 2;
    CHECK(lower_to_use(group, used));
    for (size_t i = 0; i < 3; ++i) CHECK(group.hosts[i].limit == (i == falls ? 2 : 3));
  }
  GroupLimits full = limits(wire::Role::consumer, {host(3)});
  full.hosts[0].lowering = OpenLowering{Lowering::shrink, 1};
  CHECK_FALSE(lower_to_use(full, std::vector<int32_t>{3}));
}

TEST_CASE("a provider's order turns only the exports that grew into limit") {
  const auto known = configured(wire::Role::provider, {4, 6});
  const GroupLimits begun = begin_order(limits(wire::Role::provider, {host(1, 4), host(2, 4)}),
                                        known, order({{0, 1, Lowering::release}}));
  CHECK(begun.hosts[0].limit == 1);
  CHECK(begun.hosts[0].exported == 4);
  CHECK(begun.hosts[1].limit == 4);
  CHECK(begun.hosts[1].exported == 6);
}

}  // namespace
}  // namespace leasehold::agent
