// Words that people, logs, JSON and the database share: each value has its own.
#include <catch2/catch.hpp>
#include <set>

#include "broker/core/commands.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;
using Catch::Equals;

TEST_CASE("phases, steps and commands are called what the operators' pages call them") {
  CHECK_THAT(token(Phase::offered), Equals("offered"));
  CHECK_THAT(token(Phase::active), Equals("active"));
  CHECK_THAT(token(Phase::inactive), Equals("inactive"));
  CHECK_THAT(token(Phase::draining), Equals("draining"));
  CHECK_THAT(token(Phase::closed), Equals("closed"));
  CHECK_THAT(token(TransferStep::releasing), Equals("releasing"));
  CHECK_THAT(token(TransferStep::granting), Equals("granting"));
  CHECK_THAT(token(LeaseType::shared), Equals("shared"));
  CHECK_THAT(token(LeaseType::exclusive), Equals("exclusive"));
  CHECK_THAT(token(RuleKind::exclusive), Equals("exclusive"));
  CHECK_THAT(token(RuleKind::idle_comparison), Equals("idle-comparison"));
  CHECK_THAT(token(RuleKind::demand_aware), Equals("demand-aware"));
  const std::pair<Command, const char*> commands[] = {
      {Command::rebalance, "rebalance"}, {Command::drain, "drain"},
      {Command::resume, "resume"},       {Command::close, "close"},
      {Command::open, "open"},           {Command::freeze, "freeze"},
      {Command::thaw, "thaw"},           {Command::forget, "forget"},
      {Command::step_down, "stepdown"},
  };
  for (const auto& [command, word] : commands) {
    CHECK_THAT(token(command), Equals(word));
    CHECK(from_token<Command>(word) == command);
  }
  CHECK_FALSE(from_token<Command>("reload"));  // a change, but no command to the core
}

TEST_CASE("every kind of record has a word of its own and names for its numbers") {
  std::set<std::string> words;
  for (size_t kind = 0; kind < kRecordKindCount; ++kind) {
    const auto value = static_cast<RecordKind>(kind);
    CHECK_THAT(record_token(value), !Equals(""));
    CHECK(words.insert(record_token(value)).second);
    bool ended = false;  // names come first, unused numbers last
    for (const char* name : number_names(value)) {
      const bool named = *name != '\0';
      CHECK_FALSE((ended && named));
      ended = ended || !named;
    }
  }
  CHECK_THAT(record_token(RecordKind::flip), Equals("flip"));
  CHECK_THAT(number_names(RecordKind::flip)[3], Equals("consumer_used"));
}

TEST_CASE("a lease is found by policy and consumer, a group by its generation, and no other") {
  Site site = made(4);
  const uint64_t generation = site.group(kPool).generation;
  CHECK(find_lease(site.state, kPool) == 0);
  CHECK(group_id(site.state, site.group(kPool)) == "pool:west." + std::to_string(generation));
  for (const char* id : {"pool", "pool:", ":west", "pool:east", "pool:north", "other:west"}) {
    INFO(id);
    CHECK(find_lease(site.state, id) == kNoIndex);
  }
  CHECK(find_slot_group(site.state, generation) == 0);
  CHECK(find_slot_group(site.state, generation - 1) == kNoIndex);
  CHECK(find_slot_group(site.state, generation + 1) == kNoIndex);
  CHECK(find_cluster(site.state, "north") == kNoIndex);
  CHECK(find_policy(site.state, "west") == kNoIndex);
  CHECK(member_of(site.group(kPool), find_cluster(site.state, "west")) == kConsumer);
  CHECK(member_of(site.group(kPool), 9) == kNoIndex);
}

TEST_CASE("groups of before and after a leap of the generations are found by them") {
  Site site = made(4);
  const uint64_t before = site.group(kPool).generation;
  site.now = site.now + 1'000'000;
  site.restart_broker();
  BrokerConfig more = site.state.config;
  more.policies.push_back(more.policies[0]);
  more.policies.back().name = "second";
  site.agent("east").hosts[0].slots = 8;
  site.hello("east");
  site.load(more);
  const uint64_t after = site.group("second:west").generation;
  REQUIRE(after > before + 900'000);
  CHECK(find_slot_group(site.state, before) == 0);
  CHECK(find_slot_group(site.state, after) == 1);
  for (const uint64_t unknown : {before - 1, before + 1, after - 1, after + 1}) {
    CHECK(find_slot_group(site.state, unknown) == kNoIndex);
  }
  site.restart_broker();
  CHECK(find_slot_group(site.state, before) == 0);
  CHECK(find_slot_group(site.state, after) == 1);
}
