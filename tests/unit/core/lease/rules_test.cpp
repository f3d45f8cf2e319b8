// Which rule decides the leases of a policy.
#include <catch2/catch.hpp>

#include "broker/core/model/config.hpp"

using namespace leasehold;

TEST_CASE("the rule in force is the policy's, or that of its type where the two do not fit") {
  struct Case {
    LeaseType type;
    RuleKind written;
    RuleKind in_force;
  };
  const Case cases[] = {
      {LeaseType::shared, RuleKind::idle_comparison, RuleKind::idle_comparison},
      {LeaseType::shared, RuleKind::demand_aware, RuleKind::demand_aware},
      {LeaseType::shared, RuleKind::exclusive, RuleKind::idle_comparison},
      {LeaseType::exclusive, RuleKind::exclusive, RuleKind::exclusive},
      {LeaseType::exclusive, RuleKind::demand_aware, RuleKind::exclusive},
  };
  for (const Case& each : cases) {
    ExportPolicy policy;
    policy.type = each.type;
    policy.rule = each.written;
    CHECK(rule_in_force(policy).kind == each.in_force);
  }
}
