// Evaluations of so many leases that what the next ones need is asked for ahead: each is decided as
// it would be alone.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "broker/core/lease/evaluate.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "tests/support/summary_checks.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr uint32_t kLeases = 60;

std::string policy_name(uint32_t number) {
  return "p" + std::to_string(number);
}
std::string lease(uint32_t number) {
  return policy_name(number) + ":west";
}

BrokerConfig many(Mode mode, std::optional<RuleKind> shadow = std::nullopt) {
  BrokerConfig config = one_pool(1, 4);
  const ExportPolicy one = config.policies[0];
  config.policies.clear();
  for (uint32_t p = 0; p < kLeases; ++p) {
    config.policies.push_back(one);
    config.policies.back().name = policy_name(p);
    config.policies.back().shadow = shadow;
  }
  config.mode = mode;
  return config;
}

/// West runs on the first slot of each lease; the other three are east's, in use.
Site all_tied(std::optional<RuleKind> shadow = std::nullopt) {
  Site site = connected(many(Mode::lease, shadow), 1, static_cast<int32_t>(4 * kLeases));
  for (uint32_t l = 0; l < kLeases; ++l) {
    for (const char* cluster : {"east", "west"}) {
      AgentRow& row = row_of(site, cluster, 0, lease(l));
      row.used = row.limit;
    }
    site.agent("west").groups.at(site.group(lease(l)).generation).ever_used = true;
  }
  site.run_until_idle();
  site.pass(kDelayMs);
  return site;
}

size_t count(const Site& site, RecordKind kind, Reason reason) {
  return static_cast<size_t>(
      std::count_if(site.history.begin(), site.history.end(),
                    [&](const Record& row) { return row.kind == kind && row.reason == reason; }));
}

void use_of_east(Site& site, int32_t used) {
  for (uint32_t l = 0; l < kLeases; ++l) row_of(site, "east", 0, lease(l)).used = used;
  site.report("east");
}

void evaluate(Site& site) {
  site.now = std::max(site.now, site.state.grids[0].next);
  site.step(Tick{});
}

}  // namespace

TEST_CASE("many leases whose owner has idle slots flip at one evaluation, each once") {
  Site site = all_tied();
  REQUIRE(count(site, RecordKind::evaluation, Reason::tie) == kLeases);
  use_of_east(site, 1);
  evaluate(site);
  CHECK(count(site, RecordKind::transfer_started, Reason::provider_idle) == kLeases);
  site.run_until_idle();
  for (uint32_t l = 0; l < kLeases; ++l) CHECK(site.held(lease(l), kConsumer) == 3);
}

TEST_CASE("many leases that have nothing to do are recorded once, and not again") {
  Site site = all_tied();
  for (uint32_t g = 0; g < kLeases; ++g) {
    site.state.slot_groups[g].reason = site.state.summaries[g].last = Reason::not_made;
    queue_evaluation(site.state, g);
  }
  const size_t before = count(site, RecordKind::evaluation, Reason::tie);
  evaluate(site);
  CHECK(count(site, RecordKind::evaluation, Reason::tie) == before + kLeases);
  for (uint32_t g = 0; g < kLeases; ++g) queue_evaluation(site.state, g);
  evaluate(site);
  CHECK(count(site, RecordKind::evaluation, Reason::tie) == before + kLeases);
}

TEST_CASE("while the broker observes, many leases say what they would move and move nothing") {
  Site site = connected(many(Mode::observe), 1, static_cast<int32_t>(4 * kLeases));
  for (auto& [generation, group] : site.agent("west").groups) group.ever_used = true;
  site.report("west");
  for (size_t evaluations = 1; evaluations <= 3; ++evaluations) {
    for (uint32_t g = 0; g < kLeases; ++g) queue_evaluation(site.state, g);
    evaluate(site);
    CHECK(count(site, RecordKind::observed, Reason::provider_idle) == evaluations * kLeases);
  }
  CHECK(site.count(RecordKind::transfer_started) == 0);
}

TEST_CASE(
    "of many leases with a shadow each asks it, also where the rule in force has nothing to do") {
  Site site = all_tied(RuleKind::exclusive);
  REQUIRE(count(site, RecordKind::shadow, Reason::exclusive_due) == kLeases);
  for (uint32_t g = 0; g < kLeases; ++g) {
    REQUIRE(fresh_summary(site.state, g)->converged);
    site.state.slot_groups[g].shadow.reset();
    queue_evaluation(site.state, g);
  }
  evaluate(site);
  CHECK(count(site, RecordKind::shadow, Reason::exclusive_due) == 2 * kLeases);
}

TEST_CASE("lines that were forgotten decide nothing otherwise") {
  Site site = all_tied();
  use_of_east(site, 1);
  CHECK(summaries_decide_otherwise(site.state, site.state.grids[0].next).empty());
}

TEST_CASE("whether a line is believed or not, the answer is its group's") {
  Site site = all_tied();
  for (uint32_t g = 0; g < kLeases; ++g) queue_evaluation(site.state, g);
  for (uint32_t g = 0; g < kLeases; g += 2) {
    site.state.slot_groups[g].at(0, kConsumer).used = 0;
    site.state.summaries[g].stale = true;
  }
  const size_t ties = count(site, RecordKind::evaluation, Reason::tie);
  evaluate(site);
  for (uint32_t g = 0; g < kLeases; ++g) {
    CHECK(site.group(lease(g)).reason == (g % 2 == 0 ? Reason::consumer_idle : Reason::tie));
    CHECK(site.group(lease(g)).transfers.empty() == (g % 2 == 1));
  }
  CHECK(count(site, RecordKind::transfer_started, Reason::consumer_idle) == kLeases / 2);
  CHECK(count(site, RecordKind::evaluation, Reason::tie) == ties);
}
