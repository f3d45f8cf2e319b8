// Export policies that give each host to one consumer.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/config/findings.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// East has three hosts for two consumers; tests add lines.
const std::string kDealt = R"([[cluster]]
name = "east"
[[cluster]]
name = "west"
[[cluster]]
name = "north"
[[export_policy]]
name = "pool"
provider = "east"
hosts = ["big1", "big2", "big3"]
slots_per_host = 4
distribution = [{ cluster = "west" }, { cluster = "north" }]
type = "shared"
)";

/// Returns the only mistake of kDealt and `more`.
std::string refused(const std::string& more) {
  const Loaded loaded = parse_broker_config(kDealt + more, "b.toml");
  CHECK(loaded.errors.size() == 1);
  return all_of(loaded.errors);
}

std::string other_policy(const std::string& host, const std::string& consumer) {
  return "by_host = true\n[[export_policy]]\nname = \"other\"\nprovider = \"east\"\nhosts = [\"" +
         host + "\"]\nslots_per_host = 1\ndistribution = [{ cluster = \"" + consumer + "\" }]\n";
}

}  // namespace

TEST_CASE("a shared policy gives each host of its list its own consumer with by_host") {
  CHECK_THAT(refused(""), Catch::StartsWith("b.toml:12:") && Catch::Contains("by_host = true"));
  const Loaded loaded = parse_broker_config(kDealt + "by_host = true\n", "b.toml");
  INFO(all_of(loaded.errors));
  REQUIRE(loaded.ok());
  CHECK(loaded.warnings.empty());
  CHECK(loaded.core.policies[0].by_host);
}

TEST_CASE("by_host goes with named hosts only") {
  const std::string select =
      "[[export_policy]]\nname = \"s\"\nprovider = \"east\"\nselect = \"type==any\"\nnhosts = 2\n"
      "by_host = true\ndistribution = [{ cluster = \"west\" }]\n";
  CHECK_THAT(refused("by_host = true\n" + select),
             Catch::StartsWith("b.toml:20:") && Catch::Contains("goes with 'hosts' only"));
}

TEST_CASE("a host that is dealt to one consumer may not be shared with another as well") {
  CHECK(parse_broker_config(kDealt + other_policy("big2", "north"), "b.toml").ok());
  CHECK_THAT(refused(other_policy("big2", "west")),
             Catch::Contains("may not go to another consumer too"));
}

TEST_CASE("more consumers than hosts that are dealt is a warning: somebody gets none") {
  std::string text = kDealt + "by_host = true\n";
  const std::string three = "[\"big1\", \"big2\", \"big3\"]";
  text.replace(text.find(three), three.size(), "[\"big1\"]");
  const Loaded loaded = parse_broker_config(text, "b.toml");
  REQUIRE(loaded.ok());
  CHECK_THAT(all_of(loaded.warnings), Catch::Contains("'north' gets no slot: 1 host is too few"));
}

TEST_CASE("by_host does not go with a policy of a resource group") {
  const std::string plan =
      "by_host = true\n[[resource_group]]\nname = \"g\"\npolicies = [\"pool\"]\npolicy = "
      "\"hybrid\"\n[[consumer]]\npath = \"/a\"\ncluster = \"west\"\n";
  const Loaded loaded = parse_broker_config(kDealt + plan, "b.toml");
  CHECK_THAT(all_of(loaded.errors), Catch::Contains("b.toml:14:") &&
                                        Catch::Contains("'by_host' does not go with a policy of"));
}
