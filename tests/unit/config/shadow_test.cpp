// The shadow of an export policy: a rule that is evaluated beside the one in force.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/config/findings.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

std::string exclusive_lines() {
  return replaced(kSharedPool, "type = \"shared\"\n", "");
}

}  // namespace

TEST_CASE("a policy may name a shadow beside its rule, and needs none") {
  const auto shadow = [](const Loaded& loaded) {
    INFO(all_of(loaded.errors) << all_of(loaded.warnings));
    REQUIRE(loaded.ok());
    CHECK(loaded.warnings.empty());
    return loaded.core.policies.at(0).shadow;
  };
  CHECK(shadow(with_lines("")) == std::nullopt);
  CHECK(shadow(with_lines("shadow = \"\"")) == std::nullopt);
  CHECK(shadow(with_lines("shadow = \"exclusive\"")) == RuleKind::exclusive);
  CHECK(shadow(with_lines("shadow = \"demand-aware\"")) == RuleKind::demand_aware);
  CHECK(shadow(with_lines("shadow = \"idle-comparison\"", exclusive_lines())) ==
        RuleKind::idle_comparison);
}

TEST_CASE("a shadow that there is not is refused with its place and what would be right") {
  struct Case {
    const char* line;
    const char* fragment;
  };
  for (const Case& each :
       {Case{"shadow = \"exclusve\"", "\"exclusive\", \"idle-comparison\""},
        Case{"shadow = 1", "'shadow'"}, Case{"shdow = \"exclusive\"", "did you mean 'shadow'?"}}) {
    const Loaded loaded = with_lines(each.line);
    INFO(each.line << "\n" << all_of(loaded.errors));
    REQUIRE(loaded.errors.size() == 1);
    CHECK(loaded.errors[0].line == 12);
    CHECK(loaded.errors[0].column > 0);
    CHECK_THAT(loaded.errors[0].message, Catch::Contains(each.fragment));
  }
}

TEST_CASE("a shadow that is the rule in force is a warning") {
  for (const auto& [rule, text] :
       {std::pair("idle-comparison", kSharedPool), std::pair("exclusive", exclusive_lines())}) {
    const Loaded loaded = with_lines("shadow = \"" + std::string(rule) + "\"", text);
    INFO(all_of(loaded.errors) << all_of(loaded.warnings));
    CHECK(loaded.ok());
    REQUIRE(loaded.warnings.size() == 1);
    CHECK_THAT(loaded.warnings[0].message, Catch::Contains("the shadow is the rule in force"));
  }
}

TEST_CASE("a policy of a resource group has no shadow: its plan decides") {
  const std::string pool =
      replaced(exclusive_lines(), "distribution = [{ cluster = \"west\", shares = 1 }]\n",
               "shadow = \"exclusive\"\n");
  const Loaded loaded = parse_broker_config(
      pool +
          "[[resource_group]]\nname = \"compute\"\npolicy = \"hybrid\"\npolicies = [\"pool\"]\n"
          "[[consumer]]\npath = \"/a\"\ncluster = \"west\"\nowned = 1\n",
      "b.toml");
  INFO(all_of(loaded.errors));
  REQUIRE(loaded.errors.size() == 1);
  CHECK(loaded.errors[0].line == 10);
  CHECK_THAT(loaded.errors[0].message,
             Catch::Contains("'shadow' does not go with a policy of resource group 'compute'"));
}
