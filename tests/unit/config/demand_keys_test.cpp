// The rule demand-aware of an export policy, and its keys.
#include <catch2/catch.hpp>

#include "tests/unit/config/findings.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("a shared policy may go by demand, with its keys or without") {
  const Loaded bare = with_lines("rule = \"demand-aware\"");
  REQUIRE(bare.errors.empty());
  const ExportPolicy& policy = bare.core.policies.at(0);
  CHECK(policy.rule == RuleKind::demand_aware);
  CHECK_FALSE((policy.min_hold_ms || policy.use_by_ms || policy.provider_first));
  const Loaded full = with_lines(
      "rule = \"demand-aware\"\nmin_hold = \"0s\"\nuse_by = \"2m\"\nprovider_first = true");
  REQUIRE(full.errors.empty());
  CHECK(full.core.policies.at(0).min_hold_ms == 0);
  CHECK(full.core.policies.at(0).use_by_ms == 120'000);
  CHECK(full.core.policies.at(0).provider_first);
}

TEST_CASE("keys of demand-aware were read without effect under another rule") {
  for (const char* line : {"min_hold = \"5m\"", "use_by = \"5m\"", "provider_first = true"}) {
    const Loaded loaded = with_lines(line);
    CAPTURE(line, all_of(loaded.errors));
    REQUIRE(loaded.errors.size() == 1);
    CHECK(loaded.errors[0].line == 12);
    CHECK_THAT(loaded.errors[0].message,
               Catch::Contains("is of rule = \"demand-aware\"; take it out"));
    CHECK(with_lines(std::string("shadow = \"demand-aware\"\n") + line).errors.empty());
  }
}

TEST_CASE("use_by is at least a millisecond") {
  CHECK(with_lines("rule = \"demand-aware\"\nuse_by = \"0s\"").errors.size() == 1);
}
