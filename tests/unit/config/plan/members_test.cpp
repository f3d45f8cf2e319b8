// Resource plans beside the rest of a broker's configuration, and in a file of their own.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "broker/config/windows.hpp"
#include "tests/unit/config/plan/text.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// Returns a whole broker configuration: kPlan's group with clusters and export policies.
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
  const Loaded good = parse_broker_config(broker_with("", pool + kLeaves), "p.toml");
  INFO(all_of(good));
  CHECK(good.ok());
  CHECK(good.core.policies.size() == 1);
  const std::string dist = "distribution = [{ cluster = \"west\" }]\n";
  check_refused({broker_with(dist, pool + kLeaves), 10, "does not go with a policy of resource "});
  check_refused({broker_with("type = \"shared\"\n", pool + kLeaves), 10, "take it out"});
  check_refused({broker_with("rule = \"exclusive\"\n", pool + kLeaves), 10, "take it out"});
  check_refused({broker_with("unit = \"host\"\n", pool + kLeaves), 10, "take it out"});
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

TEST_CASE("a broker takes a configuration with groups, their policies in the order written") {
  std::string text =
      broker_with("", "policies = [\"more\", \"pool\"]\ncycle = \"30s\"\n" + kLeaves);
  text +=
      "[[export_policy]]\nname = \"more\"\nprovider = \"west\"\nselect = \"mem>100\"\nnhosts = 2\n";
  const Loaded loaded = parse_broker_config(text, "p.toml");
  INFO(all_of(loaded));
  REQUIRE(loaded.ok());
  CHECK(loaded.warnings.empty());
  REQUIRE(loaded.core.resource_groups.size() == 1);
  const ResourceGroup& group = loaded.core.resource_groups.front();
  CHECK(group.name == "g");
  CHECK(group.policies == std::vector<std::string>{"more", "pool"});
  CHECK(group.cycle_ms == 30'000);
  CHECK(group.source == Source{"p.toml", 10});
  REQUIRE(group.variants.size() == 1);
  CHECK(group.variants.front() == loaded.plans.in_force(0, std::nullopt));
  CHECK(group.variants.front().consumers.at(1).cluster == "west");
  CHECK(group.week.empty());
  CHECK(resolve_windows(loaded.core, Instant{0}).plans.empty());
  CHECK_FALSE(has_windows(loaded.core));
}

TEST_CASE("queues of a consumer are refused, with what says it instead") {
  for (const char* queues : {"[\"night\"]", "7"}) {
    const std::string text =
        broker_with("", "policies = [\"pool\"]\n" + kLeaves + "queues = " + queues + "\n");
    const Loaded refused = parse_broker_config(text, "p.toml");
    INFO(all_of(refused));
    REQUIRE(refused.errors.size() == 1);
    CHECK(tells(refused.errors, 20, "by leased_partitions in its [hosts]; leave this out"));
    CHECK(refused.core.resource_groups.empty());
  }
}

TEST_CASE("queues of a consumer that name none are as if they were left out") {
  const Loaded loaded = parse_broker_config(
      broker_with("", "policies = [\"pool\"]\n" + kLeaves + "queues = []\n"), "p.toml");
  INFO(all_of(loaded));
  CHECK(loaded.ok());
  CHECK(loaded.core.resource_groups.size() == 1);
}

TEST_CASE("a plan with errors gives the broker no group") {
  const Loaded loaded = parse_broker_config(
      broker_with("", "policies = [\"pool\"]\n" + kLeaves + "owned = -1\n"), "p.toml");
  CHECK_FALSE(loaded.ok());
  CHECK(loaded.core.resource_groups.empty());
}

TEST_CASE("groups and consumers may stand in a file of their own") {
  char name[] = "/tmp/leasehold-plan-XXXXXX";
  const std::filesystem::path folder = mkdtemp(name);
  std::ofstream(folder / "plan.toml") << kPlan;
  const std::string broker = "[broker]\nplan = \"plan.toml\"\n";
  const Loaded loaded = parse_broker_config(broker, (folder / "b.toml").string());
  INFO(all_of(loaded));
  CHECK(loaded.ok());
  REQUIRE(loaded.plans.trees().size() == 1);
  CHECK(loaded.plans.trees()[0].nodes.size() == 3);
  std::ofstream(folder / "plan.toml") << kPlan << "owned = 1\nbroker = 1\n";
  const Loaded wrong = parse_broker_config(broker, (folder / "b.toml").string());
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.errors.front().file == (folder / "plan.toml").string());
  std::filesystem::remove(folder / "plan.toml");
  const Loaded missing = parse_broker_config(broker, (folder / "b.toml").string());
  REQUIRE(missing.errors.size() == 1);
  CHECK_THAT(describe(missing.errors[0]), Catch::Contains("plan.toml: cannot be read"));
  std::filesystem::remove_all(folder);
}
