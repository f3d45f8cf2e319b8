// Checks which keys of a plan have a meaning under which policy (broker/rules/plan/README.md, "Not
// defined").
#include <catch2/catch.hpp>

#include "broker/config/keys/plan.hpp"

namespace leasehold {

TEST_CASE("a key of a plan belongs to the policies that know it") {
  const struct {
    const char* key;
    const char* policies;
  } rows[] = {
      {"owned", "ownership or hybrid"},
      {"reserved", "hybrid"},
      {"lend_to", "ownership"},
      {"share_ratio", "ownership or share-ratio"},
      {"share_enforcement", "share-ratio"},
      {"limit", "ownership or share-ratio or hybrid"},  // all policies know it
  };
  for (const auto& row : rows) {
    INFO(row.key);
    CHECK(policy_words(policies_with(row.key)) == row.policies);
  }
}

}  // namespace leasehold
