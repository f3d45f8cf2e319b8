// The loop of a broker that leads where several may, in virtual time: what it sends when its
// leadership ends. Rules have their numbers in broker/store/postgres/README.md.
#include "tests/unit/broker/leading_site.hpp"

using namespace leasehold;
using namespace leasehold::leading;

TEST_CASE("rule 4: after a commit that failed nothing of it is said, and the broker leads anew") {
  leading::Site site;
  site.database.takes_commits = false;
  wire::Hello said = hello("east", 11);
  said.incarnation = site.broker->state().incarnation;
  site.put(said);
  CHECK(site.turn().empty());
  CHECK_FALSE(site.broker->leads());
  site.database.takes_commits = true;
  site.turn();
  CHECK(site.broker->leads());
  CHECK(site.database.epoch == 2);
  site.put(beat(11));
  const auto answers = site.turn();
  REQUIRE(answers.size() == 1);  // an earlier session does not count
  const auto* welcome = std::get_if<wire::Welcome>(&answers[0].second);
  REQUIRE(welcome != nullptr);
  CHECK(welcome->epoch == 2);
}

TEST_CASE("rule 4: a renewal that failed ends the leadership; one is made when it is due") {
  leading::Site site;
  site.database.next_renewal_ms = site.clock.now_ms + 1'000;
  site.turn();
  CHECK(site.database.renewals == 0);
  site.clock.now_ms += 1'000;
  site.turn();
  CHECK(site.database.renewals == 1);
  CHECK(site.broker->leads());
  site.database.takes_commits = false;
  site.turn();
  CHECK(site.database.renewals == 2);
  CHECK_FALSE(site.broker->leads());
  CHECK(site.bulletin->read().leader_view.role == BrokerRole::standby);
}

TEST_CASE("rules 8 and 9: a heartbeat that is taken after another may lead is not answered") {
  leading::Site site;
  site.greet();
  site.database.until_ms = site.clock.now_ms + 1'000;
  site.put(beat(11));
  CHECK(site.turn().size() == 1);
  site.clock.now_ms += 1'000;
  site.put(beat(11));
  CHECK(site.turn().empty());
}

TEST_CASE("rule 10: who steps down is silent before it says so to the database") {
  leading::Site site;
  site.greet();
  site.put(beat(11));  // comes in while it steps down
  bool stepped = false;
  site.database.stepping_down = [&] {
    stepped = true;
    CHECK(site.agents.out.empty());
    CHECK(site.bulletin->read().leader_view.role == BrokerRole::standby);
  };
  site.broker->step_down("hub-a");
  CHECK(stepped);
  CHECK_FALSE(site.broker->leads());
  CHECK(site.agents.out.empty());
}

TEST_CASE("who had a session with a leader that stepped down is sent away once another leads") {
  // Symptom: of 100 agents most came to the next leader before it led, and back a second or two
  // later.
  leading::Site site;
  site.greet();
  site.database.stepping_down = [] {};
  site.broker->step_down("hub-a");
  site.put(beat(11));
  CHECK(site.turn().empty());
  site.database.led = true;
  site.clock.now_ms += 20;  // it looks often for a while
  const auto answers = site.turn();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].first == "r");
  const auto* refusal = std::get_if<wire::Refusal>(&answers[0].second);
  REQUIRE(refusal != nullptr);
  CHECK(refusal->reason == Reason::elsewhere);
  site.put(beat(11));
  CHECK(site.turn().size() == 1);  // from now on as any other
}

TEST_CASE("a leader that is being stopped sends its agents away at once") {
  leading::Site site;
  site.greet();
  site.database.stepping_down = [&] { CHECK(site.agents.out.empty()); };
  site.broker->retire();
  REQUIRE(site.agents.out.size() == 1);
  CHECK(std::holds_alternative<wire::Refusal>(site.agents.out[0].second));
}

TEST_CASE("whoever knocked a moment before a broker leads is welcomed as it begins to") {
  leading::Site site;
  site.database.stepping_down = [] {};
  site.broker->step_down("");
  site.put(beat(0));
  REQUIRE(site.turn().size() == 1);
  site.database.may_lead = true;
  site.clock.now_ms += 500;
  const auto answers = site.turn();
  REQUIRE(site.broker->leads());
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].first == "r");
  const auto* welcome = std::get_if<wire::Welcome>(&answers[0].second);
  REQUIRE(welcome != nullptr);
  CHECK(welcome->epoch == 2);
}
