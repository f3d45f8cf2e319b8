// One class finds a host's owner for every adapter, from names and what is found.
#include "agent/workload/support/host_owners.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

struct Asked {
  Scratch folder;
  HostNames names{"imp-{host}", {{"big1@west", "w-big1"}}};
  CapJournal journal = CapJournal::open(folder.file("fences")).value();

  HostOwners open(bool read_only = false) {
    return HostOwners::open(names, folder.file("fences.hosts"), read_only).value();
  }
};

TEST_CASE("A rule that could make any own host's name is refused, whatever the workload manager") {
  for (const char* rule : {"{host}", "{cluster}-{host}", "{host}{cluster}", "{host}.{cluster}"}) {
    INFO(rule);
    const Status checked = HostOwners::check({rule, {}});
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == ErrorCode::usage);
    CHECK(checked.error().message.find(rule) != std::string::npos);
  }
  for (const char* rule :
       {"{host}@{cluster}", "imp-{host}", "{host}.far", "{cluster}-{host}-leased"}) {
    INFO(rule);
    CHECK(HostOwners::check({rule, {}}));
  }
}

TEST_CASE("The rule makes a name where something stands for each of its parts") {
  CHECK(made_by_rule("imp-{host}", "imp-big1"));
  CHECK(made_by_rule("imp-{host}", "IMP-big1"));
  CHECK(made_by_rule("{cluster}-{host}-leased", "west-big1-leased"));
  for (const char* other : {"imp-", "big1", "ximp-big1"}) {
    CHECK_FALSE(made_by_rule("imp-{host}", other));
  }
  CHECK_FALSE(made_by_rule("imp-{cluster}-{host}", "imp-west"));
  CHECK(made_by_rule("{host}.{cluster}.leased", "big1.west.leased"));
  for (const char* other : {"big1.leased", ".west.leased"}) {
    CHECK_FALSE(made_by_rule("{host}.{cluster}.leased", other));
  }
  CHECK_FALSE(made_by_rule("{host}@{cluster}", "big1"));
}

TEST_CASE("The map, an order and a host without slots and work are sure; a rule alone is not") {
  Asked asked;
  REQUIRE(
      asked.journal.put(std::vector<HostCap>{{"imp-lent", false, 4, 2, 0, 0, {{7, 0, 2, 6}}, 0},
                                             {"imp-got", true, 4, 0, 0, 0, {{9, 0, 4, 0}}, 0}}));
  HostOwners owners = asked.open();
  REQUIRE(owners.learn(std::vector<HostSeen>{{"w-big1", 8, true, false},
                                             {"imp-closed", 0, false, false},
                                             {"imp-open", 8, false, false},
                                             {"imp-busy", 0, true, false},
                                             {"imp-fenced", 8, true, true},
                                             {"imp-lent", 4, true, false},
                                             {"imp-got", 4, true, false},
                                             {"big1", 8, true, false}},
                       asked.journal));
  for (const char* host : {"w-big1", "imp-closed", "imp-fenced", "imp-got"}) {
    CHECK(owners.others(host));
  }
  for (const char* host : {"imp-open", "imp-busy"}) {
    CHECK_FALSE(owners.others(host));
    CHECK(owners.unclear(host));
    CHECK(owners.refused().error().message.find(host) != std::string::npos);
  }
  for (const char* host : {"imp-lent", "big1"}) {
    CHECK_FALSE(owners.others(host));
    CHECK_FALSE(owners.unclear(host));
  }
  CHECK(owners.refused().error().code == ErrorCode::usage);
  CHECK(owners.slots_before("w-big1") == 8);
}

TEST_CASE("What was found to be another's is kept, also when it stands open later") {
  Asked asked;
  const std::vector<HostSeen> closed{{"imp-a", 0, false, false}};
  const std::vector<HostSeen> open{{"imp-a", 8, true, false}};
  REQUIRE(asked.open().learn(closed, asked.journal));
  HostOwners later = asked.open();
  REQUIRE(later.learn(open, asked.journal));
  CHECK(later.others("imp-a"));
  CHECK(later.refused());
  asked.names.rule = "lent-{host}";  // by the names of now it is no other's
  HostOwners renamed = asked.open();
  REQUIRE(renamed.learn(open, asked.journal));
  CHECK_FALSE(renamed.others("imp-a"));
  CHECK_FALSE(renamed.unclear("imp-a"));
}

TEST_CASE("A look keeps nothing, and notes that cannot be read are refused") {
  Asked asked;
  HostOwners owners = asked.open(true);
  REQUIRE(owners.learn(std::vector<HostSeen>{{"imp-a", 0, false, false}}, asked.journal));
  CHECK(owners.others("imp-a"));
  CHECK_FALSE(std::filesystem::exists(asked.folder.file("fences.hosts")));
  for (const char* text : {"", "{}", R"({"version":2,"slots_before":{}})", R"({"version":1})"}) {
    REQUIRE(std::filesystem::exists(asked.folder.file("")));
    FILE* file = std::fopen(asked.folder.file("fences.hosts").c_str(), "w");
    std::fputs(text, file);
    std::fclose(file);
    CHECK_FALSE(HostOwners::open(asked.names, asked.folder.file("fences.hosts"), true));
  }
}

}  // namespace
}  // namespace leasehold::agent
