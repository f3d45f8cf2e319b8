#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/config/inventory_check.hpp"
#include "broker/config/load.hpp"

using namespace leasehold;

namespace {

wire::HostFacts host(const char* name, int32_t slots, const char* type = "LINUX64") {
  wire::HostFacts facts;
  facts.name = name;
  facts.slots = slots;
  facts.type = type;
  facts.mem_mb = 1000;
  return facts;
}

/// Checks policies given in TOML against big1 and big2 of 8 slots and small of 2.
InventoryFindings findings(const std::string& policies,
                           wire::Division division = wire::Division::unsaid) {
  const Loaded loaded = parse_broker_config(
      "[[cluster]]\nname = \"east\"\n[[cluster]]\nname = \"west\"\n[[cluster]]\nname = \"oslo\"\n" +
          policies,
      "b.toml");
  for (const Error& error : loaded.errors) UNSCOPED_INFO(describe(error));
  REQUIRE(loaded.ok());
  std::vector<wire::HostFacts> hosts{host("big1", 8), host("big2", 8), host("small", 2, "SOLARIS")};
  hosts.front().division = division;
  return check_against_inventory(loaded.core, {{"east", hosts}});
}

std::string policy(const std::string& name, const std::string& rest) {
  return "[[export_policy]]\nname = \"" + name + "\"\nprovider = \"east\"\n" + rest + "\n";
}

const std::string kWest = "distribution = [{ cluster = \"west\" }]\n";
const std::string kOslo = "distribution = [{ cluster = \"oslo\" }]\n";

}  // namespace

TEST_CASE("exports of a host that exceed its slots are an error") {
  const std::string five = "hosts = [\"big1\"]\nslots_per_host = 5\n";
  CHECK(findings(policy("a", five + kWest)).errors.empty());
  const auto over = findings(policy("a", five + kWest) + policy("b", five + kWest));
  REQUIRE(over.errors.size() == 1);
  CHECK(over.errors[0].line == 14);
  CHECK_THAT(over.errors[0].message,
             Catch::Contains("has 8 slots, but 10 are exported ('a' 5, 'b' 5)"));
  const auto chosen = findings(policy("a", five + kWest) +
                               policy("b", "select = \"type==LINUX64\"\nnhosts = 1\n" + kWest));
  REQUIRE(chosen.errors.size() == 1);
  CHECK_THAT(chosen.errors[0].message, Catch::Contains("13 are exported"));
}

TEST_CASE("a part of a host that may not be split is a warning, with what would be right") {
  const auto warned = [](const std::string& slots, const std::string& to, wire::Division division) {
    return findings(policy("a", "hosts = [\"big1\"]\nslots_per_host = " + slots + "\n" + to),
                    division)
        .warnings;
  };
  using enum wire::Division;
  for (const wire::Division fine : {unsaid, divisible, divisible_by_operator}) {
    CHECK(warned("4", kWest, fine).empty());
  }
  CHECK(warned("8", kWest, pinned_cores).empty());
  const auto part = warned("4", kWest, pinned_cores);
  REQUIRE(part.size() == 1);
  CHECK_THAT(part[0].message, Catch::Contains("may not be split between two clusters "
                                              "(pinned-cores): nothing of it is lent"));
  CHECK_THAT(part[0].message, Catch::Contains("slots_per_host = 8"));
  const std::string both = "distribution = [{ cluster = \"west\" }, { cluster = \"oslo\" }]\n";
  const auto dealt = warned("8", both, memory);
  REQUIRE(dealt.size() == 1);
  CHECK_THAT(dealt[0].message, Catch::Contains("to several consumers"));
}

TEST_CASE(
    "a part of a host that is lent as a whole is a warning, two policies on it are an error") {
  const std::string whole = "unit = \"host\"\n";
  CHECK(findings(policy("a", "hosts = [\"big1\"]\nslots_per_host = 8\n" + whole + kWest))
            .warnings.empty());
  const auto part =
      findings(policy("a", "hosts = [\"big1\"]\nslots_per_host = 6\n" + whole + kWest));
  CHECK(part.errors.empty());
  REQUIRE(part.warnings.size() == 1);
  CHECK_THAT(part.warnings[0].message,
             Catch::Contains("6 of 8 slots of 'big1'") && Catch::Contains("can use none of them"));
  const auto two =
      findings(policy("a", "hosts = [\"big1\"]\nslots_per_host = 4\n" + kWest) +
               policy("b", "select = \"type==LINUX64\"\nnhosts = 1\n" + whole + kWest));
  const auto is_whole = [](const Error& error) {
    return error.message.find("moves as a whole by policy 'b'") != std::string::npos;
  };
  CHECK(std::any_of(two.errors.begin(), two.errors.end(), is_whole));
}

TEST_CASE("what a resource group takes counts as exported like the rest") {
  const auto in_group = [](const std::string& pool, const std::string& more = "") {
    return findings(policy("pool", pool) + more +
                    "[[resource_group]]\nname = \"g\"\npolicy = \"hybrid\"\n"
                    "policies = [\"pool\"]\n[[consumer]]\npath = \"/w\"\ncluster = \"west\"\n");
  };
  const std::string six = "hosts = [\"big1\"]\nslots_per_host = 6\n";
  CHECK(in_group(six).errors.empty());
  const auto over = in_group(six, policy("b", six + kWest));
  REQUIRE(over.errors.size() == 1);
  CHECK_THAT(over.errors[0].message, Catch::Contains("12 are exported ('pool' 6, 'b' 6)"));
  const std::string chosen = "select = \"type==LINUX64\"\nnhosts = 2\n";
  CHECK(in_group(chosen).errors.empty());
  CHECK(in_group(chosen).warnings.empty());
  const auto both = in_group(chosen, policy("b", six + kWest));
  REQUIRE(both.errors.size() == 1);
  CHECK_THAT(both.errors[0].message, Catch::Contains("14 are exported ('pool' 8, 'b' 6)"));
  const auto few = in_group("select = \"type==LINUX64\"\nnhosts = 5\n");
  REQUIRE(few.warnings.size() == 1);
  CHECK_THAT(few.warnings[0].message, Catch::Contains("wants 5 hosts, but only 2"));
}

TEST_CASE("policies whose windows never meet do not add up") {
  const std::string six = "hosts = [\"big1\"]\nslots_per_host = 6\n" + kWest;
  const std::string night = "window = [{ from = \"20:00\", to = \"06:00\" }]\n";
  const std::string day = "window = [{ from = \"06:00\", to = \"20:00\" }]\n";
  const std::string early = "window = [{ from = \"05:00\", to = \"20:00\" }]\n";
  CHECK(findings(policy("a", six + night) + policy("b", six + day)).errors.empty());
  CHECK(findings(policy("a", six + night) + policy("b", six + early)).errors.size() == 1);
  CHECK(findings(policy("a", six + night) + policy("b", six + day + "timezone = \"Europe/Berlin\""))
            .errors.size() == 1);
}

TEST_CASE("a shared host that a selection gives to another consumer too is an error") {
  const std::string shared = "hosts = [\"big1\"]\nslots_per_host = 4\ntype = \"shared\"\n" + kWest;
  const std::string half = "select = \"type==LINUX64\"\nnhosts = 1\n";
  const auto other = findings(policy("a", shared) + policy("b", half + kOslo));
  REQUIRE(other.errors.size() == 2);  // the other one is about too many slots
  CHECK_THAT(other.errors[1].message, Catch::Contains("with different consumers"));
}

TEST_CASE("unknown hosts, too few hosts and too much memory are told") {
  const auto unknown = findings(policy("a", "hosts = [\"bgi1\"]\nslots_per_host = 1\n" + kWest));
  CHECK(unknown.errors.empty());
  REQUIRE(unknown.warnings.size() == 1);
  CHECK_THAT(unknown.warnings[0].message, Catch::Contains("did you mean 'big1'?"));
  const auto few = findings(policy("a", "select = \"type==LINUX64\"\nnhosts = 3\n" + kWest));
  REQUIRE(few.warnings.size() == 1);
  CHECK_THAT(few.warnings[0].message, Catch::Contains("only 2 of 'east' match"));
  const auto memory =
      findings(policy("a", "hosts = [\"big1\"]\nslots_per_host = 1\nmem_mb = 1001\n" + kWest));
  REQUIRE(memory.errors.size() == 1);
  CHECK_THAT(memory.errors[0].message, Catch::Contains("1000 MB of memory, but 1001"));
}

TEST_CASE("a cluster whose hosts are not known is not checked") {
  const auto none = findings(
      "[[export_policy]]\nname = \"a\"\nprovider = \"west\"\n"
      "hosts = [\"w\"]\nslots_per_host = 500\n" +
      kOslo);
  CHECK(none.errors.empty());
  CHECK(none.warnings.empty());
}
