// The rule of a policy that names one, and of one that does not.
#include <catch2/catch.hpp>

#include "tests/unit/config/findings.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// Returns the notes that are about rules.
std::vector<Error> of_rules(const Loaded& loaded) {
  INFO(all_of(loaded));
  REQUIRE(loaded.ok());
  CHECK(loaded.warnings.empty());  // on which `--strict` fails
  std::vector<Error> notes;
  for (const Error& note : loaded.notes) {
    if (note.message.find("has no 'rule'") != std::string::npos) notes.push_back(note);
  }
  return notes;
}

}  // namespace

// No program can tell a new configuration from an old one: an upgrade must not change a rule.
TEST_CASE("a shared policy without a rule keeps LSF's, and a note says what that does") {
  const Loaded loaded = with_lines("");
  const std::vector<Error> notes = of_rules(loaded);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].line == 11);  // that of its type
  CHECK_THAT(notes[0].message, Catch::Contains("policy 'pool'") &&
                                   Catch::Contains("although nobody waits") &&
                                   Catch::Contains("rule = \"demand-aware\" below this line"));
  const ExportPolicy& policy = loaded.core.policies.at(0);
  CHECK(policy.rule == RuleKind::idle_comparison);
  CHECK(policy.rule_by_default);
}

TEST_CASE("nothing is noted of a rule that is written, or that has no other") {
  for (const RuleKind rule : {RuleKind::idle_comparison, RuleKind::demand_aware}) {
    const Loaded loaded = with_lines("rule = \"" + std::string(token(rule)) + "\"");
    CHECK(of_rules(loaded).empty());
    CHECK(loaded.core.policies.at(0).rule == rule);
    CHECK_FALSE(loaded.core.policies.at(0).rule_by_default);
  }
  const Loaded exclusive = with_lines("", replaced(kSharedPool, "type = \"shared\"\n", ""));
  CHECK(of_rules(exclusive).empty());
  CHECK_FALSE(exclusive.core.policies.at(0).rule_by_default);
}

TEST_CASE("LSF's own files have no line for a rule: nothing is noted of what they say") {
  const Loaded lsf = load_broker_config(LEASEHOLD_SOURCE_DIR "/config/broker-lsf.toml");
  CHECK(of_rules(lsf).empty());
  bool any_shared = false;
  for (const ExportPolicy& policy : lsf.core.policies) {
    any_shared = any_shared || policy.type == LeaseType::shared;
    CHECK_FALSE(policy.rule_by_default);
  }
  CHECK(any_shared);
}
