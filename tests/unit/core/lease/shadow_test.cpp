// Shadows: a rule that is decided beside the one in force, recorded and never ordered.
#include "broker/core/lease/shadow.hpp"

#include <catch2/catch.hpp>

#include "broker/core/lease/ask_rule.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

BrokerConfig with_shadow(BrokerConfig config, std::optional<RuleKind> shadow) {
  config.policies.front().shadow = shadow;
  return config;
}

/// A lease of one host of 8, shared unless said otherwise, that has a shadow and is made.
Site shadowed(RuleKind shadow, LeaseType type = LeaseType::shared) {
  Site site = connected(with_shadow(one_pool(1, 8, type), shadow), 1, 8);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  return site;
}

const Shadow& current_shadow(const Site& site) {
  REQUIRE(site.group(kPool).shadow);
  return *site.group(kPool).shadow;
}

std::vector<Record> shadows_of(const Site& site) {
  std::vector<Record> rows;
  for (const Record& row : site.history) {
    if (row.kind == RecordKind::shadow) rows.push_back(row);
  }
  return rows;
}

/// Another configuration with the same policy, but for its shadow.
void reload(Site& site, std::optional<RuleKind> shadow) {
  site.load(with_shadow(site.state.config, shadow));
  site.run_until_idle();
}

}  // namespace

TEST_CASE("each rule answers for the same totals as the page of its rule says") {
  struct Row {
    Totals totals;
    Reason reason;
    int32_t slots;
    bool to_consumer;
  };
  const Row rows[] = {
      {{7, 2, 1, 1}, Reason::provider_idle, 5, true},
      {{2, 2, 6, 3}, Reason::consumer_idle, 3, false},
      {{5, 2, 3, 0}, Reason::tie, 0, false},
      {{4, 4, 4, 4}, Reason::tie, 0, false},
      {{8, 0, 0, 0}, Reason::provider_idle, 8, true},
      {{6, 5, 4, 1}, Reason::consumer_idle, 3, false},
  };
  const Site site = made(4);
  for (const Row& row : rows) {
    const RuleAnswer wanted{row.reason, row.slots, row.to_consumer};
    CHECK(idle_comparison(row.totals) == wanted);
    const SlotGroup& group = site.group(kPool);
    CHECK(ask_rule(row_of(RuleKind::idle_comparison), site.state, group, row.totals) == wanted);
    // The rule asks for what is due, whatever the totals are: the consumer has 1 slot of a host of
    // 4.
    CHECK(ask_rule(row_of(RuleKind::exclusive), site.state, group, row.totals) ==
          RuleAnswer{Reason::exclusive_due, 3, true});
  }
}

TEST_CASE("two answers are the same where they move the same slots the same way, or none") {
  const RuleAnswer to_west{Reason::provider_idle, 3, true};
  CHECK(same_move(to_west, {Reason::exclusive_due, 3, true}));
  CHECK_FALSE(same_move(to_west, {Reason::exclusive_due, 4, true}));
  CHECK_FALSE(same_move(to_west, {Reason::consumer_idle, 3, false}));
  CHECK(same_move({Reason::tie, 0, false}, {Reason::complete, 0, true}));
}

TEST_CASE("a shadow says what it would have moved, of the numbers of the rule in force") {
  Site site = shadowed(RuleKind::exclusive);
  site.pass(kDelayMs);
  CHECK(site.count(RecordKind::flip) == 1);
  const std::vector<Record> rows = shadows_of(site);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].reason == Reason::exclusive_due);
  CHECK(rows[0].rule_reason == Reason::provider_idle);
  CHECK(rows[0].slots == 7);
  CHECK(rows[0].from == find_cluster(site.state, "east"));
  CHECK(rows[0].to == find_cluster(site.state, "west"));
  CHECK(rows[0].numbers == std::array<int64_t, 6>{7, 0, 1, 1, 7, 0});
  CHECK(same_move(current_shadow(site).answer, current_shadow(site).in_force));
  CHECK(current_shadow(site).rule == RuleKind::idle_comparison);
  CHECK(current_shadow(site).shadow == RuleKind::exclusive);
}

TEST_CASE("where the rule in force takes slots back the shadow would leave them") {
  Site site = shadowed(RuleKind::exclusive);
  site.pass(kDelayMs);
  site.use("west", kPool, 0, 3);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kProvider) == 5);  // as LSF's rule has it
  const std::vector<Record> rows = shadows_of(site);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].reason == Reason::complete);
  CHECK(rows[1].rule_reason == Reason::consumer_idle);
  CHECK(rows[1].slots == 0);
  CHECK(rows[1].from == kNoIndex);
  CHECK(rows[1].numbers == std::array<int64_t, 6>{0, 0, 8, 3, 0, 5});
  CHECK_FALSE(same_move(current_shadow(site).answer, current_shadow(site).in_force));
}

TEST_CASE(
    "that the rule in force says otherwise is news, though the shadow stays with its answer") {
  Site site = shadowed(RuleKind::exclusive);
  site.pass(kDelayMs);
  site.use("west", kPool, 0, 8);
  site.run_until_idle();
  site.pass(kDelayMs);
  REQUIRE(current_shadow(site).answer.reason == Reason::complete);
  REQUIRE(current_shadow(site).in_force.reason == Reason::tie);
  const size_t before = shadows_of(site).size();
  site.use("west", kPool, 0, 3);
  site.run_until_idle();
  site.pass(kDelayMs);
  REQUIRE(shadows_of(site).size() == before + 1);
  CHECK(shadows_of(site).back().reason == Reason::complete);
  CHECK(shadows_of(site).back().rule_reason == Reason::consumer_idle);
}

TEST_CASE("a shadow that would give slots back names who would get them") {
  Site site = shadowed(RuleKind::idle_comparison, LeaseType::exclusive);
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kConsumer) == 8);
  const Record last = shadows_of(site).back();
  CHECK(last.reason == Reason::consumer_idle);
  CHECK(last.rule_reason == Reason::complete);
  CHECK(last.slots == 7);
  CHECK(last.from == find_cluster(site.state, "west"));
  CHECK(last.to == find_cluster(site.state, "east"));
  CHECK(site.count(RecordKind::flip) == 0);
}

TEST_CASE("a shadow that finds something else leaves alone what the rule in force found") {
  Site site = shadowed(RuleKind::idle_comparison, LeaseType::exclusive);
  site.pass(kDelayMs);
  const SlotGroup before = site.group(kPool);
  REQUIRE(before.reason == Reason::complete);
  const int evaluations = site.count(RecordKind::evaluation);
  site.use("west", kPool, 0, 8);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(current_shadow(site).answer.reason == Reason::tie);
  CHECK(current_shadow(site).evaluated_at > before.evaluated_at);
  const SlotGroup& after = site.group(kPool);
  CHECK(after.reason == before.reason);
  CHECK(after.numbers == before.numbers);
  CHECK(after.evaluated_at == before.evaluated_at);
  CHECK(site.count(RecordKind::evaluation) == evaluations);
}

TEST_CASE("a world that stays as it is has a shadow recorded once") {
  Site site = shadowed(RuleKind::idle_comparison, LeaseType::exclusive);
  site.pass(kDelayMs);
  const size_t rows = shadows_of(site).size();
  const auto records = site.history.size();
  site.pass(5 * kDelayMs);
  site.report("west");
  site.pass(kDelayMs);
  OperatorCommand rebalance = ordered(Command::rebalance);
  rebalance.lease = kPool;
  site.step(rebalance);
  CHECK(shadows_of(site).size() == rows);
  CHECK(site.history.size() == records + 1);  // the order of the operator
}

TEST_CASE("the same move of a ledger that has changed since is another one") {
  Site site = shadowed(RuleKind::idle_comparison);
  const auto evaluate = [&site](int32_t east, int32_t west) {
    site.use("east", kPool, 0, east);
    site.use("west", kPool, 0, west);
    site.run_until_idle();
    site.pass(kDelayMs);
  };
  evaluate(5, 1);
  evaluate(3, 3);
  CHECK(site.count(RecordKind::flip) == 2);
  const std::vector<Record> rows = shadows_of(site);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].slots == 2);
  CHECK(rows[1].slots == 2);
  CHECK(rows[0].reason == rows[1].reason);
  CHECK(rows[0].epoch < rows[1].epoch);
}

TEST_CASE("a lease that cannot be decided is none for its shadow either") {
  Site site = shadowed(RuleKind::exclusive);
  site.pass(kDelayMs);
  site.step(ordered(Command::freeze));
  site.use("west", kPool, 0, 3);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(current_shadow(site).answer == RuleAnswer{Reason::frozen, 0, false});
  CHECK(current_shadow(site).in_force == RuleAnswer{Reason::frozen, 0, false});
}

TEST_CASE("while the broker observes a shadow is recorded all the same") {
  BrokerConfig config = with_shadow(one_pool(1, 8), RuleKind::exclusive);
  config.mode = Mode::observe;
  Site site = connected(config, 1, 8);
  site.pass(kDelayMs);
  CHECK(site.count(RecordKind::observed) == 1);
  CHECK(site.held(kPool, kProvider) == 8);
  REQUIRE(shadows_of(site).size() == 1);
  CHECK(shadows_of(site)[0].slots == 8);
  CHECK(shadows_of(site)[0].numbers == std::array<int64_t, 6>{8, 0, 0, 0, 8, 0});
}

TEST_CASE(
    "a shadow that a reload brings is asked at the next evaluation, and one that it takes "
    "away is forgotten at once") {
  Site site = made(8);
  site.pass(kDelayMs);
  site.use("west", kPool, 0, 8);
  site.run_until_idle();
  CHECK_FALSE(site.group(kPool).shadow);
  reload(site, RuleKind::exclusive);
  CHECK(shadows_of(site).empty());
  site.pass(kDelayMs);
  REQUIRE(shadows_of(site).size() == 1);
  reload(site, RuleKind::exclusive);
  site.pass(kDelayMs);
  CHECK(shadows_of(site).size() == 1);
  CHECK(current_shadow(site).shadow == RuleKind::exclusive);
  reload(site, RuleKind::idle_comparison);
  CHECK_FALSE(site.group(kPool).shadow);
  site.pass(kDelayMs);
  CHECK(current_shadow(site).shadow == RuleKind::idle_comparison);
  reload(site, std::nullopt);
  CHECK_FALSE(site.group(kPool).shadow);
  site.use("west", kPool, 0, 5);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(shadows_of(site).size() == 2);
}

TEST_CASE("what a shadow said beside another rule is forgotten") {
  Site site = shadowed(RuleKind::exclusive);
  site.pass(kDelayMs);
  BrokerConfig config = site.state.config;
  config.policies.front().type = LeaseType::exclusive;
  config.policies.front().rule = RuleKind::exclusive;
  site.load(config);
  CHECK_FALSE(site.group(kPool).shadow);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(current_shadow(site).rule == RuleKind::exclusive);
}

TEST_CASE("a broker that starts again remembers what the shadow said, and records nothing twice") {
  Site site = shadowed(RuleKind::exclusive);
  site.pass(kDelayMs);
  site.use("west", kPool, 0, 8);
  site.run_until_idle();
  site.pass(kDelayMs);
  const size_t rows = shadows_of(site).size();
  const RuleAnswer before = current_shadow(site).answer;
  site.restart_broker();
  CHECK(current_shadow(site).answer == before);
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(current_shadow(site).answer == before);
  CHECK(shadows_of(site).size() == rows);
}

TEST_CASE("a shadow was asked by now, also where an operator sets the clock back") {
  Site site = shadowed(RuleKind::exclusive);
  site.pass(kDelayMs);
  REQUIRE(current_shadow(site).evaluated_at > site.now + -kDelayMs);
  site.now = site.now + -3 * kDelayMs;
  site.step(ClockSet{"ana"});
  CHECK(current_shadow(site).evaluated_at == site.now);
}
