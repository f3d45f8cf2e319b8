// The key `unit` of an export policy: slots that move one by one, or whole hosts.
#include <catch2/catch.hpp>

#include "tests/unit/config/findings.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("a policy lends single slots, or whole hosts under any rule") {
  CHECK(with_lines("").core.policies.at(0).unit == LeaseUnit::slot);
  for (const char* rule : {"idle-comparison", "demand-aware"}) {
    const Loaded loaded = with_lines(std::string("unit = \"host\"\nrule = \"") + rule + '"');
    CHECK(all_of(loaded) == "");
    CHECK(loaded.core.policies.at(0).unit == LeaseUnit::host);
  }
  CHECK_THAT(all_of(with_lines("unit = \"node\"")),
             Catch::Contains("slot") && Catch::Contains("host"));
}

TEST_CASE("a host that moves as a whole has one consumer and one policy") {
  const std::string exclusive = replaced(
      replaced(kSharedPool, "type = \"shared\"\n", ""), "distribution = [{ cluster = \"west\"",
      "distribution = [{ cluster = \"north\", shares = 1 }, { cluster = \"west\"");
  const std::string three = "[[cluster]]\nname = \"north\"\n" + exclusive;
  CHECK_THAT(all_of(with_lines("unit = \"host\"", three)), Catch::Contains("needs by_host = true"));
  CHECK(with_lines("unit = \"host\"\nby_host = true", three).errors.empty());

  const Loaded twice = with_lines(R"(unit = "host"
[[export_policy]]
name = "more"
provider = "east"
hosts = ["big2"]
slots_per_host = 1
distribution = [{ cluster = "west", shares = 1 }])");
  REQUIRE(twice.errors.size() == 1);
  CHECK_THAT(twice.errors[0].message, Catch::Contains("moves as a whole by policy 'pool'") &&
                                          Catch::Contains("take it out of one of the policies"));
}
