// Resource plans beside the rest of a broker's configuration, and in a file of their own.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "broker/config/load.hpp"

using namespace leasehold;

namespace {

std::string all_of(const Loaded& loaded) {
  std::string text;
  for (const Error& error : loaded.errors) text += describe(error) + "\n";
  for (const Error& warning : loaded.warnings) text += "warning: " + describe(warning) + "\n";
  return text;
}

const std::string kPlan = R"([[resource_group]]
name = "compute"
policy = "ownership"
slots = 30
[[consumer]]
path = "/a"
owned = 20
[[consumer]]
path = "/a/x"
owned = 10
lend_limit = 5
[[consumer]]
path = "/b"
owned = 10
borrow_from = ["/a/x"]
)";
struct Bad {
  std::string text;
  int line;
  const char* fragment;
};

bool tells(const std::vector<Error>& findings, int line, const std::string& fragment) {
  return std::any_of(findings.begin(), findings.end(), [&](const Error& finding) {
    return finding.file == "p.toml" && finding.line == line &&
           finding.message.find(fragment) != std::string::npos;
  });
}

void check_refused(const Bad& bad) {
  const Loaded loaded = check_config_text(bad.text, "p.toml");
  INFO(bad.text << "---- " << bad.line << ": " << bad.fragment << "\n" << all_of(loaded));
  CHECK(loaded.errors.size() == 1);
  CHECK(tells(loaded.errors, bad.line, bad.fragment));
  for (const Error& error : loaded.errors) {
    CHECK(error.code == ErrorCode::usage);
    CHECK(error.column > 0);
  }
}

/// A whole broker configuration: kPlan's group with clusters and export policies.
std::string broker_with(const std::string& policy, const std::string& group) {
  return "[[cluster]]\nname = \"east\"\n[[cluster]]\nname = \"west\"\n"
         "[[export_policy]]\nname = \"pool\"\nprovider = \"east\"\nhosts = [\"h1\"]\n"
         "slots_per_host = 8\n" +
         policy + "[[resource_group]]\nname = \"g\"\npolicy = \"hybrid\"\n" + group;
}

const std::string kLeaves =
    "[[consumer]]\npath = \"/e\"\ncluster = \"east\"\n[[consumer]]\npath = \"/w\"\n"
    "cluster = \"west\"\n";

}  // namespace

TEST_CASE("a group's export policies say neither distribution nor type nor rule") {
  const std::string pool = "policies = [\"pool\"]\n";
  const Loaded good = check_config_text(broker_with("", pool + kLeaves), "p.toml");
  INFO(all_of(good));
  CHECK(good.ok());
  CHECK(good.core.policies.size() == 1);
  const std::string dist = "distribution = [{ cluster = \"west\" }]\n";
  check_refused({broker_with(dist, pool + kLeaves), 10, "does not go with a policy of resource "});
  check_refused({broker_with("type = \"shared\"\n", pool + kLeaves), 10, "take it out"});
  check_refused({broker_with("rule = \"exclusive\"\n", pool + kLeaves), 10, "take it out"});
  check_refused(
      {broker_with(dist, "policies = [\"pol\"]\n" + kLeaves), 14, "did you mean 'pool'?"});
}

TEST_CASE("in a broker's configuration groups have slots and leaves have clusters") {
  const std::string dist = "distribution = [{ cluster = \"west\" }]\n";
  check_refused({broker_with(dist, kLeaves), 11, "name its export policies"});
  const std::string pool = "policies = [\"pool\"]\n";
  check_refused(
      {broker_with("", pool + kLeaves + "[[consumer]]\npath = \"/n\"\n"), 20, "names no cluster"});
  check_refused(
      {broker_with("", pool + kLeaves + "[[consumer]]\npath = \"/n\"\ncluster = \"wst\"\n"), 22,
       "did you mean 'west'?"});
  const std::string second =
      "[[resource_group]]\nname = \"h\"\npolicy = \"hybrid\"\npolicies = [\"pool\"]\n"
      "[[consumer]]\npath = \"/e\"\ngroup = \"h\"\ncluster = \"east\"\n";
  std::string leaves = kLeaves;
  leaves.insert(leaves.find("cluster"), "group = \"g\"\n");
  leaves.insert(leaves.rfind("cluster"), "group = \"g\"\n");
  check_refused({broker_with("", pool + leaves + second), 25, "it has one group"});
}

TEST_CASE("a broker refuses a configuration with groups; checking reads it whole") {
  const std::string text = broker_with("", "policies = [\"pool\"]\n" + kLeaves);
  const Loaded refused = parse_broker_config(text, "p.toml");
  REQUIRE(refused.errors.size() == 1);
  CHECK(tells(refused.errors, 10, "resource plans are not supported by this version"));
  CHECK(check_config_text(text, "p.toml").ok());
}

TEST_CASE("groups and consumers may stand in a file of their own") {
  char name[] = "/tmp/leasehold-plan-XXXXXX";
  const std::filesystem::path folder = mkdtemp(name);
  std::ofstream(folder / "plan.toml") << kPlan;
  const std::string broker = "[broker]\nplan = \"plan.toml\"\n";
  const Loaded loaded = check_config_text(broker, (folder / "b.toml").string());
  INFO(all_of(loaded));
  CHECK(loaded.ok());
  REQUIRE(loaded.plans.trees().size() == 1);
  CHECK(loaded.plans.trees()[0].nodes.size() == 3);
  std::ofstream(folder / "plan.toml") << kPlan << "owned = 1\nbroker = 1\n";
  const Loaded wrong = check_config_text(broker, (folder / "b.toml").string());
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.errors.front().file == (folder / "plan.toml").string());
  std::filesystem::remove(folder / "plan.toml");
  const Loaded missing = check_config_text(broker, (folder / "b.toml").string());
  REQUIRE(missing.errors.size() == 1);
  CHECK_THAT(describe(missing.errors[0]), Catch::Contains("plan.toml: cannot be read"));
  std::filesystem::remove_all(folder);
}
