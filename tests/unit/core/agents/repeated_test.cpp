// An agent says something twice in one message, or in another order than usual.
#include "broker/core/repeated.hpp"

#include <catch2/catch.hpp>

#include "broker/core/row_order.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;
using Catch::Contains;

namespace {

wire::StateBlock rows_of_group(uint64_t generation, const std::vector<uint32_t>& hosts) {
  std::vector<wire::HostState> rows;
  for (const uint32_t host : hosts) rows.push_back({host, 0, 0, true});
  return block_of({generation, 0, false, 0, 0, 0}, std::move(rows));
}

wire::StateBlock groups_without_rows(const std::vector<uint64_t>& generations) {
  wire::StateBlock block;
  for (const uint64_t generation : generations) {
    block.groups.push_back({generation, 0, false, 0, 0, 0});
  }
  return block;
}

std::string west_states(const Site& site, const wire::StateBlock& block) {
  return said(check_state(site.state, find_cluster(site.state, "west"), block));
}

wire::Hello hello_of_west(Site& site, wire::StateBlock block) {
  wire::Hello hello;
  hello.cluster = "west";
  hello.incarnation = site.state.incarnation;
  hello.state_id = site.agent("west").state_id;
  hello.boot = site.agent("west").boot + 1;
  hello.state = std::move(block);
  return hello;
}

/// Two pools, so that a report has two groups.
Site two_pools() {
  BrokerConfig config = one_pool(3, 4);
  config.policies.push_back(config.policies.front());
  config.policies.back().name = "other";
  config.policies.back().hosts = {"h3"};
  return connected(config, 4, 4);
}

/// How often find_repeated() looks at a key.
size_t looks_at(const std::vector<uint32_t>& keys) {
  size_t looks = 0;
  const auto key_at = [&](size_t at) {
    ++looks;
    return keys[at];
  };
  find_repeated(keys.size(), key_at);
  return looks;
}

/// West gives up what it holds on twelve hosts, naming them in the order of `hosts`.
State given_up(const std::vector<uint32_t>& hosts) {
  Site site = connected(one_pool(12, 2), 12, 2);
  for (uint32_t row = 0; row < 12; ++row) site.use("west", kPool, row, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  for (uint32_t row = 0; row < 12; ++row) site.use("west", kPool, row, 0);
  site.run_until_idle();
  const SlotGroup& group = site.group(kPool);
  std::vector<wire::HostState> rows;
  for (const uint32_t row : hosts) {
    rows.push_back({row, group.at(row, kConsumer).stated / 2, 0, true});
  }
  StateReported event;
  event.cluster = "west";
  event.session = site.agent("west").session;
  event.pending = site.state.clusters[find_cluster(site.state, "west")].pending;
  event.state =
      block_of({group.generation, group.members[kConsumer].seq, true, 0, 0, 0}, std::move(rows));
  sort_rows(event.state);
  site.step(event);
  return site.state;
}

}  // namespace

TEST_CASE("a host that a report names twice in one group is refused, wherever the two rows stand") {
  Site site = two_pools();
  const uint64_t generation = site.group(kPool).generation;
  const std::vector<uint32_t> orders[] = {{0, 0}, {0, 1, 0}, {2, 1, 0, 2}, {1, 2, 1}, {2, 0, 0}};
  for (const std::vector<uint32_t>& hosts : orders) {
    CHECK_THAT(west_states(site, rows_of_group(generation, hosts)),
               Contains("is listed twice, in hosts[") && Contains("once is right"));
  }
  CHECK_THAT(west_states(site, rows_of_group(generation, {2, 1, 0, 2})),
             Contains("host h2 is listed twice, in hosts[0] and in hosts[3]"));
}

TEST_CASE("rows in any order are taken if each host has one") {
  Site site = two_pools();
  const uint64_t generation = site.group(kPool).generation;
  const std::vector<uint32_t> orders[] = {{}, {1}, {0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0}};
  for (const std::vector<uint32_t>& hosts : orders) {
    CHECK(west_states(site, rows_of_group(generation, hosts)).empty());
  }
}

TEST_CASE("a group that a report names twice is refused, wherever the two stand") {
  Site site = two_pools();
  const uint64_t a = site.group(kPool).generation;
  const uint64_t b = site.group("other:west").generation;
  CHECK(west_states(site, groups_without_rows({a, b})).empty());
  CHECK(west_states(site, groups_without_rows({b, a})).empty());
  const std::vector<uint64_t> orders[] = {{a, a}, {a, b, a}, {b, a, b}, {b, a, a}};
  for (const std::vector<uint64_t>& groups : orders) {
    CHECK_THAT(west_states(site, groups_without_rows(groups)),
               Contains("slot group") && Contains("is listed twice, in groups["));
  }
}

TEST_CASE("a hello that names a group or a host of one twice is refused, of unknown groups too") {
  Site site = two_pools();
  const uint64_t known = site.group(kPool).generation;
  for (const uint64_t generation : {known, uint64_t{12'345}}) {
    CHECK_FALSE(check_hello(site.state, hello_of_west(site, rows_of_group(generation, {2, 0, 1}))));
    CHECK_THAT(
        said(check_hello(site.state, hello_of_west(site, rows_of_group(generation, {2, 0, 2})))),
        Contains("host 2 of it is listed twice, in hosts[0] and in hosts[2]"));
    CHECK_THAT(
        said(check_hello(site.state,
                         hello_of_west(site, groups_without_rows({generation, 7, generation})))),
        Contains("is listed twice, in groups[0] and in groups[2]"));
  }
}

TEST_CASE("the use of one host of the cluster's own said twice in a report is refused") {
  Site site = two_pools();
  const uint32_t west = find_cluster(site.state, "west");
  wire::Report report;
  report.hosts = {{4, 1, true}, {2, 1, true}, {3, 1, true}};
  CHECK_FALSE(check_report(site.state, west, report));
  report.hosts.push_back({2, 0, true});
  CHECK_THAT(said(check_report(site.state, west, report)),
             Contains("host number 2 is listed twice, in hosts[1] and in hosts[3]"));
}

TEST_CASE("a host that an inventory names twice is refused, wherever the two stand") {
  std::vector<wire::HostFacts> hosts(4);
  for (size_t i = 0; i < hosts.size(); ++i) hosts[i].name = "h" + std::to_string(9 - i);
  CHECK_FALSE(check_inventory(hosts));
  hosts.back().name = "h9";
  CHECK_THAT(said(check_inventory(hosts)),
             Contains("host h9 is listed twice, in hosts[0] and in hosts[3]"));
}

TEST_CASE("the first place that says something again is the one that is told") {
  const std::vector<uint32_t> keys{5, 3, 3, 5, 3};
  const auto found = find_repeated(keys.size(), [&](size_t at) { return keys[at]; });
  REQUIRE(found);
  CHECK(found->first == 1);
  CHECK(found->again == 2);
}

TEST_CASE("looking for what is said twice looks at each entry a few times, in any order") {
  constexpr uint32_t kMany = 10'000;
  std::vector<uint32_t> ascending;
  for (uint32_t i = 0; i < kMany; ++i) ascending.push_back(i);
  const std::vector<uint32_t> descending(ascending.rbegin(), ascending.rend());
  const std::vector<uint32_t> one(kMany, 7);
  for (const auto& keys : {ascending, descending, one}) CHECK(looks_at(keys) <= 3 * keys.size());
}

TEST_CASE("rows that come in descending order leave the same state as ascending ones") {
  std::vector<uint32_t> hosts;
  for (uint32_t row = 0; row < 12; ++row) hosts.push_back(row);
  const State ascending = given_up(hosts);
  const State descending = given_up({hosts.rbegin(), hosts.rend()});
  const SlotGroup& a = ascending.slot_groups[find_lease(ascending, kPool)];
  const SlotGroup& b = descending.slot_groups[find_lease(descending, kPool)];
  CHECK(a.epoch == b.epoch);
  CHECK(a.transfers.size() == b.transfers.size());
  for (uint32_t row = 0; row < 12; ++row) {
    CHECK(a.hosts[row].in_transfer == b.hosts[row].in_transfer);
    for (const size_t m : {size_t{kProvider}, size_t{kConsumer}}) {
      CHECK(a.at(row, m).held == b.at(row, m).held);
      CHECK(a.at(row, m).stated == b.at(row, m).stated);
      CHECK(a.at(row, m).used == b.at(row, m).used);
    }
  }
}

TEST_CASE("sorting rows leaves the groups where they are, each with its own rows") {
  wire::StateBlock block;
  block.groups = {{9, 1, true, 0, 0, 2}, {4, 1, true, 0, 2, 3}};
  block.hosts = {
      {1, 5, 0, true}, {0, 6, 0, true}, {2, 7, 0, true}, {0, 8, 0, true}, {1, 9, 0, true}};
  const std::vector<wire::GroupState> groups = block.groups;
  sort_rows(block);
  CHECK(block.groups == groups);
  std::vector<int32_t> limits;
  for (const wire::HostState& row : block.hosts) limits.push_back(row.limit);
  CHECK(limits == std::vector<int32_t>{6, 5, 8, 9, 7});
}
