// The broker learns whose work used borrowed slots, once, whoever starts again.
#include <catch2/catch.hpp>

#include "tests/unit/agent/io/played_agent.hpp"

namespace leasehold::agent {
namespace {

using Used = std::vector<wire::UsedSlots>;

/// Work on all four slots of h1 and h2, and of h3.
std::vector<WorkUnit> work() {
  std::vector<WorkUnit> units = neighbours();
  for (WorkUnit& unit : units) unit.account = "physics";
  return units;
}

/// Lets more than an hour pass with a broker that records none of it, or has recorded none yet.
/// Returns what the last heartbeat says.
Used hour_of(PlayedAgent& stage, bool records) {
  stage.pass(5'000);
  for (int minute = 0; minute < 62; ++minute) {
    records ? stage.answer_used(0) : stage.answer(0);
    stage.pass(60'000);
  }
  return stage.last<wire::Heartbeat>().used.value_or(Used{});
}

int64_t sum_of(const Used& used) {
  int64_t sum = 0;
  for (const wire::UsedSlots& one : used) {
    sum += one.others_slot_ms + one.unnamed_slot_ms;
    for (const wire::UsedBy& by : one.by) sum += by.slot_ms;
  }
  return sum;
}

TEST_CASE("who used borrowed slots is said until the broker has recorded it") {
  PlayedAgent stage(work());
  stage.tell_users();
  CHECK(hour_of(stage, false).empty());
  stage.answer_used(0);
  stage.pass(5'000);
  const Used said = stage.last<wire::Heartbeat>().used.value_or(Used{});
  REQUIRE(said.size() >= 2);
  CHECK(said[0].number == 1);
  CHECK(said[0].generation == kFirst);
  CHECK(said[1].generation == kSecond);
  REQUIRE(said[0].by.size() == 2);
  for (const wire::UsedBy& by : said[0].by) {
    CHECK(by.user == "ann");
    CHECK(by.account == "physics");
  }
  stage.start();  // nothing of it is lost
  stage.greet();
  stage.answer_used(0);
  stage.pass(5'000);
  CHECK(stage.last<wire::Heartbeat>().used == said);
  stage.answer_used(said.back().number);
  stage.pass(5'000);
  CHECK_FALSE(stage.last<wire::Heartbeat>().used);
}

TEST_CASE("an agent that does not tell users counts nothing and says nothing") {
  PlayedAgent stage(work());
  CHECK(hour_of(stage, true).empty());
}

TEST_CASE("names that were counted are not said, now or later, once a site tells users no more") {
  PlayedAgent stage(work());
  stage.tell_users();
  CHECK(hour_of(stage, false).empty());
  for (const bool tells : {false, true}) {
    stage.tell_users(tells);
    stage.answer_used(0);
    stage.pass(5'000);
    CHECK_FALSE(stage.last<wire::Heartbeat>().used);
  }
}

TEST_CASE("with a site's secret users, accounts and sessions are told as hashes keyed with it") {
  std::vector<std::string> reported;
  for (const char* secret : {"one secret of at least 32 letters", "another one"}) {
    PlayedAgent stage(work());
    stage.tell_users(true, secret);
    const Used said = hour_of(stage, true);
    REQUIRE(said.size() >= 2);
    REQUIRE_FALSE(said[0].by.empty());
    for (const Used::value_type& used : said) {
      for (const wire::UsedBy& by : used.by) {
        CHECK(is_hash(by.user));
        CHECK(is_hash(by.account));
        CHECK(is_hash(by.session));
        CHECK(by.user == said[0].by[0].user);  // ann's, on each host
      }
    }
    reported.push_back(said[0].by[0].user);
  }
  CHECK(reported[0] != reported[1]);
}

TEST_CASE("a session that is all of a user's work stays that user's where names are hashed") {
  std::string session = "user ann";
  std::string user = "ann";
  std::string account = "ann";
  ReportedNames(true, "one secret of at least 32 letters").write(session, user, account);
  CHECK(session == "user " + user);
  CHECK(is_hash(account));
  CHECK(account != user);
}

TEST_CASE("work that cannot be listed is others', and the agent goes on") {
  PlayedAgent stage(work());
  stage.tell_users();
  stage.floor.lists = false;
  const Used said = hour_of(stage, true);
  REQUIRE(said.size() >= 2);
  CHECK(said[0].by.empty());
  CHECK(said[0].others_slot_ms > 0);
  CHECK(sum_of(said) > 0);
}

}  // namespace
}  // namespace leasehold::agent
