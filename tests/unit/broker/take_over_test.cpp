// The same loop when a broker takes over: cold, warm, above the epochs that agents have seen, or
// not at all. Rules have their numbers in broker/store/postgres/README.md.
#include "tests/unit/broker/leading_site.hpp"

using namespace leasehold;
using namespace leasehold::leading;

TEST_CASE("rule 15: whether a take-over is warm stands in its event, and is counted") {
  leading::Site site;
  site.database.warm = true;
  site.database.takes_commits = false;
  wire::Hello said = hello("east", 11);
  said.incarnation = site.broker->state().incarnation;
  site.put(said);
  site.turn();
  REQUIRE_FALSE(site.broker->leads());
  site.database.takes_commits = true;
  site.turn();
  REQUIRE(site.broker->leads());
  CHECK(site.database.starts == std::vector<bool>{false, true});
  site.bulletin->ask();
  site.turn();
  CHECK(site.bulletin->read().figures->take_overs == 2);
  CHECK(site.bulletin->read().figures->take_overs_warm == 1);
}

TEST_CASE("rule 13: shown a leadership that it is not above, a broker takes over anew, above it") {
  leading::Site site;
  wire::Hello said = hello("east", 11);
  said.incarnation = site.broker->state().incarnation;
  said.seen_epoch = 7;
  said.seen_incarnation = 3;
  site.put(said);
  const auto answers = site.turn();
  REQUIRE(answers.size() == 1);
  CHECK(std::holds_alternative<wire::Refusal>(answers[0].second));
  CHECK_FALSE(site.broker->leads());
  site.turn();
  CHECK(site.broker->leads());
  CHECK(site.database.epoch == 8);
}

TEST_CASE("rule 13: an agent that tells the highest epoch that is believed shuts no other out") {
  // Symptom: the take-over went above the epoch that the agent named, one above the highest that
  // was believed from then on: each agent was refused for the epoch that it had just been welcomed
  // by.
  leading::Site site;
  site.database.stepping_down = [] {};
  site.broker->step_down("");
  wire::Heartbeat knock = beat(0);
  knock.seen_epoch = 1'000'001;
  knock.seen_incarnation = 3;
  site.turn();  // the look finds epoch 1
  site.put(knock);
  site.turn();
  site.database.may_lead = true;
  site.clock.now_ms += 500;
  site.turn();
  REQUIRE(site.broker->leads());
  REQUIRE(site.database.epoch == 1'000'002);
  wire::Hello said = hello("east", 11);
  said.incarnation = site.broker->state().incarnation;
  said.seen_epoch = 1'000'002;
  said.seen_incarnation = 77;
  site.put(said);
  const auto answers = site.turn();
  REQUIRE(answers.size() == 1);
  CHECK(std::holds_alternative<wire::Configuration>(answers[0].second));
  CHECK(site.broker->leads());
}

TEST_CASE(
    "who cannot read its own file takes nothing, and does not call it the database's trouble") {
  // Symptom: the log said `database-unavailable`, and the leader's row was locked at each try.
  leading::Site site;
  site.database.stepping_down = [] {};
  site.broker->step_down("");
  site.file->is_good = false;
  site.database.may_lead = true;
  site.clock.now_ms += 500;
  site.turn();
  CHECK_FALSE(site.broker->leads());
  CHECK(site.database.epoch == 1);
  CHECK_THAT(site.bulletin->read().trouble, Catch::Contains("the file is gone"));
  CHECK_FALSE(site.bulletin->read().database_fails);
  CHECK(site.broker->next_look_ms() >= site.clock.now_ms + 490);
  SECTION("its turn comes again once the file is good") {
    site.file->is_good = true;
    site.clock.now_ms += 500;
    site.turn();
    CHECK(site.broker->leads());
  }
  SECTION("another takes over: there is no more to tell") {
    site.database.may_lead = false;
    ++site.database.epoch;
    site.clock.now_ms += 500;
    site.turn();
  }
  CHECK(site.bulletin->read().trouble.empty());
}

TEST_CASE(
    "a broker with a database of its own that cannot read its file called that the database's") {
  leading::Site site(ConfigReader::Where::in_call, nullptr, true);
  site.database.takes_commits = false;
  wire::Hello said = hello("east", 11);
  said.incarnation = site.broker->state().incarnation;
  site.put(said);
  site.turn();
  REQUIRE_FALSE(site.broker->leads());
  CHECK(site.bulletin->read().database_fails);
  site.database.takes_commits = true;
  site.file->is_good = false;
  for (int tries = 0; tries < 2; ++tries) {
    REQUIRE_FALSE(site.broker->reopen());
    CHECK_THAT(site.bulletin->read().trouble, Catch::Contains("the file is gone"));
    CHECK_FALSE(site.bulletin->read().database_fails);
  }
  site.file->is_good = true;
  REQUIRE(site.broker->reopen());
  CHECK(site.bulletin->read().trouble.empty());
}

TEST_CASE("a take-over that fails is not tried without a pause") {
  leading::Site site;
  site.database.takes_commits = false;  // its disk is full: nobody can take over
  wire::Hello said = hello("east", 11);
  said.incarnation = site.broker->state().incarnation;
  site.put(said);
  site.turn();
  CHECK_FALSE(site.broker->leads());
  site.turn();  // at once: the row is its own
  CHECK(site.database.epoch == 2);
  CHECK(site.broker->next_look_ms() >= site.clock.now_ms + 500);
  site.turn();
  CHECK(site.database.epoch == 2);
  site.clock.now_ms += 500;
  site.database.takes_commits = true;
  site.turn();
  CHECK(site.broker->leads());
}

TEST_CASE("a broker whose file names none of the database's clusters does not take it over") {
  // Symptom: the broker of another site, which named the same database by mistake, took over and
  // removed all clusters, and every lease drained.
  leading::Site site;
  site.database.stepping_down = [] {};
  site.broker->step_down("");
  site.database.may_lead = true;
  site.database.kept.config = config_with(kEast);
  for (ClusterConfig& other : site.database.kept.config.clusters) other.name += "-of-another-site";
  const int64_t events = site.database.events;
  site.clock.now_ms += 500;
  site.turn();
  CHECK_FALSE(site.broker->leads());
  CHECK(site.database.events == events);  // nothing was committed
  site.database.kept.config.clusters.front().name = "east";
  site.clock.now_ms += 500;
  site.turn();
  CHECK(site.broker->leads());
}
