// The table of rules (broker/rules/rules.hpp).
#include "broker/rules/rules.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;

TEST_CASE("each rule stands at its number and reads one thing") {
  for (size_t i = 0; i < kRules.size(); ++i) {
    const Rule& rule = kRules[i];
    INFO(rule.name);
    CHECK(&row_of(static_cast<RuleKind>(i)) == &rule);
    CHECK(rule.kind == static_cast<RuleKind>(i));
    const int reads = (rule.of_shortfall != nullptr ? 1 : 0) + (rule.of_totals != nullptr ? 1 : 0) +
                      (rule.of_work != nullptr ? 1 : 0);
    CHECK(reads == 1);
    CHECK_FALSE(rule.once_made.empty());
    CHECK(from_token<RuleKind>(rule.name) == rule.kind);
  }
}

TEST_CASE("a policy that names no rule has the first one of its type") {
  CHECK(usual_rule(LeaseType::exclusive) == RuleKind::exclusive);
  CHECK(usual_rule(LeaseType::shared) == RuleKind::idle_comparison);
}

TEST_CASE("an exclusive lease has what it is due, or gets what can move of it") {
  CHECK(exclusive({false, 0}) == RuleAnswer{Reason::complete, 0, false});
  CHECK(exclusive({true, 0}) == RuleAnswer{Reason::exclusive_due, 0, true});
  CHECK(exclusive({true, 3}) == RuleAnswer{Reason::exclusive_due, 3, true});
}
