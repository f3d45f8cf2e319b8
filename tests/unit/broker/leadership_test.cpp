// AgentPort as the port of one of several brokers: rules 8, 9, 12 and 13 of
// broker/store/postgres/README.md.
#include "tests/unit/broker/port_fixture.hpp"

namespace leasehold {

using namespace port_fixture;

namespace {

constexpr Leading kMine{4, 77, 5'000};

/// A port that leads, with an agent of `east` that it has greeted as "r".
struct Leader {
  Leader() {
    place.port().lead(kMine, [this] {
      ++asked;
      return may_answer;
    });
  }
  wire::Hello hello_of(uint64_t epoch, uint64_t incarnation) const {
    wire::Hello said = hello("east", 11);
    said.seen_epoch = epoch;
    said.seen_incarnation = incarnation;
    return said;
  }
  PortFixture place;
  bool may_answer = true;
  int asked = 0;
};

template <class Message>
std::optional<Message> first_of(const std::vector<std::pair<std::string, wire::Message>>& all) {
  for (const auto& [to, message] : all) {
    if (const auto* found = std::get_if<Message>(&message)) return *found;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("rule 8: who may lead no more does not answer a heartbeat, and loses nobody by it") {
  Leader leader;
  REQUIRE(leader.place.say("r", kEast, leader.hello_of(4, 77)) == "taken");
  leader.may_answer = false;
  leader.place.put("r", kEast, beat(11));
  CHECK(leader.place.read().empty());
  CHECK(leader.place.contact("east") == Contact::ok);
  leader.may_answer = true;
  leader.place.put("r", kEast, beat(11));
  CHECK(first_of<wire::HeartbeatAnswer>(leader.place.read()).has_value());
}

TEST_CASE("rule 9: whether it may is asked anew of each heartbeat taken, not once a turn") {
  Leader leader;
  REQUIRE(leader.place.say("r", kEast, leader.hello_of(4, 77)) == "taken");
  for (int i = 0; i < 3; ++i) leader.place.put("r", kEast, beat(11));
  CHECK(leader.asked == 0);
  CHECK(leader.place.read().size() == 3);
  CHECK(leader.asked == 3);
}

TEST_CASE("rule 12: whatever a leader says to an agent says of which leadership it is") {
  Leader leader;
  leader.place.put("r", kEast, beat(0));
  const auto welcome = first_of<wire::Welcome>(leader.place.read());
  REQUIRE(welcome.has_value());
  CHECK(welcome->epoch == kMine.epoch);
  leader.place.put("r", kEast, leader.hello_of(4, 77));
  const auto configuration = first_of<wire::Configuration>(leader.place.read());
  REQUIRE(configuration.has_value());
  CHECK(configuration->epoch == kMine.epoch);
  CHECK(configuration->incarnation == kMine.incarnation);
  CHECK(configuration->leader_ttl_ms == kMine.ttl_ms);
  leader.place.put("r", kEast, beat(11));
  const auto answer = first_of<wire::HeartbeatAnswer>(leader.place.read());
  REQUIRE(answer.has_value());
  CHECK(answer->epoch == kMine.epoch);
  CHECK(answer->incarnation == kMine.incarnation);
}

TEST_CASE("a broker that is alone says nothing of leaderships") {
  PortFixture place;
  place.put("r", kEast, beat(0));
  const auto welcome = first_of<wire::Welcome>(place.read());
  REQUIRE(welcome.has_value());
  CHECK_FALSE(welcome->epoch.has_value());
  place.put("r", kEast, hello("east", 11));
  const auto configuration = first_of<wire::Configuration>(place.read());
  REQUIRE(configuration.has_value());
  CHECK_FALSE(configuration->epoch.has_value());
  CHECK_FALSE(configuration->leader_ttl_ms.has_value());
}

TEST_CASE("rule 13: a leader that is not above what an agent has seen does not greet it") {
  struct Row {
    uint64_t epoch;
    uint64_t incarnation;
    bool above;
  };
  for (const Row& row : {Row{3, 5, false}, Row{4, 77, false}, Row{4, 78, true}, Row{5, 77, true}}) {
    INFO(row.epoch << " " << row.incarnation);
    Leader leader;
    CHECK(leader.place.say("r", kEast, leader.hello_of(row.epoch, row.incarnation)) ==
          (row.above ? "elsewhere" : "taken"));
    CHECK(leader.place.port().outranked_by().epoch == (row.above ? row.epoch : 0));
    Leader knocked;
    wire::Heartbeat knock = beat(0);
    knock.seen_epoch = row.epoch;
    knock.seen_incarnation = row.incarnation;
    knocked.place.put("r", kEast, knock);
    knocked.place.read();
    CHECK(knocked.place.port().outranked_by().epoch == (row.above ? row.epoch : 0));
    if (!row.above) continue;
    knocked.place.port().lead({row.epoch + 1, 1, 5'000}, [] { return true; });
    CHECK(knocked.place.port().outranked_by().epoch == 0);
  }
}

TEST_CASE("rules 13, 15: of several leaderships of one number that agents tell of none is named") {
  Leader leader;
  for (const uint64_t incarnation : {5, 6, 5}) {
    leader.place.say("r", kEast, leader.hello_of(9, incarnation));
    CHECK(leader.place.port().outranked_by().epoch == 9);
  }
  CHECK(leader.place.port().outranked_by().incarnation == 0);
  leader.place.say("r", kEast, leader.hello_of(10, 7));
  CHECK(leader.place.port().outranked_by().incarnation == 7);
}

TEST_CASE("rule 13: an epoch that no agent can have seen moves nobody but who says it") {
  // One lie of 2^53 would leave no epoch that another agent takes.
  Leader leader;
  leader.place.port().set_epoch_limit(1'000'004);
  CHECK(leader.place.say("r", kEast, leader.hello_of(1'000'005, 1)) == "elsewhere");
  CHECK(leader.place.port().outranked_by().epoch == 0);
  wire::Hello west = hello("west", 12);
  west.seen_epoch = 4;
  west.seen_incarnation = 77;
  CHECK(leader.place.say("s", kWest, west) == "taken");
  CHECK(leader.place.say("r", kEast, leader.hello_of(1'000'004, 1)) == "elsewhere");
  CHECK(leader.place.port().outranked_by().epoch == 1'000'004);
}

TEST_CASE("rule 13: whoever has seen this broker's own epoch is greeted, whatever is believed") {
  Leader leader;
  leader.place.port().set_epoch_limit(3);
  CHECK(leader.place.say("r", kEast, leader.hello_of(4, 77)) == "taken");
}

TEST_CASE("a standby sends whoever comes to the leader, and learns what agents have seen") {
  PortFixture place;
  place.port().lead({}, {});
  wire::Heartbeat knock = beat(0);
  knock.seen_epoch = 9;
  knock.seen_incarnation = 3;
  place.put("r", kEast, knock);
  place.put("s", kWest, wire::Refusal{Reason::elsewhere, "no answer to this one", 1});
  const auto answers = place.redirect("hub-a leads");
  REQUIRE(answers.size() == 1);
  const auto* refusal = std::get_if<wire::Refusal>(&answers[0].second);
  REQUIRE(refusal != nullptr);
  CHECK(refusal->reason == Reason::elsewhere);
  CHECK(refusal->message == "hub-a leads");
  CHECK(place.port().outranked_by().epoch == 9);
  CHECK(place.contact("east") == Contact::lost);
}

namespace {

/// The heartbeat of an agent that received the refusal `held_ms` ago, with its clock.
wire::Heartbeat last_word(const std::string& cluster, const wire::Refusal& refusal, int64_t off_ms,
                          int64_t held_ms = 1) {
  wire::Heartbeat word = beat(0);
  word.cluster = cluster;
  word.clock = wire::ClockReading{refusal.sent_ms.value() + held_ms + off_ms, 5'000 + held_ms,
                                  refusal.sent_ms.value(), 5'000};
  return word;
}

struct KnockedAt {
  KnockedAt() {
    place.port().lead({}, {});
    place.port().go_by([this] { return place.now(); });
  }
  wire::Refusal knock(const std::string& key) {
    place.put("r", key, beat(0));
    const auto answers = place.redirect("hub-a leads");
    REQUIRE(answers.size() == 1);
    return std::get<wire::Refusal>(answers[0].second);
  }
  const Contacts& contacts() { return place.port().contacts(); }
  PortFixture place;
};

}  // namespace

TEST_CASE("a standby knows who came to it of late, by name where that is said, and by what clock") {
  KnockedAt standby;
  PortFixture& place = standby.place;
  CHECK(standby.contacts().count(place.boottime_ms()) == 0);
  const wire::Refusal refusal = standby.knock("");
  CHECK(standby.contacts().count(place.boottime_ms()) == 1);
  CHECK(standby.contacts().clusters(place.boottime_ms()).empty());
  place.pass(1);
  place.put("r", "", last_word("east", refusal, -7'200'000));
  CHECK(place.redirect("hub-a leads").empty());  // it was redirected
  place.put("s", "", last_word("nobody", refusal, 0));
  place.redirect("hub-a leads");
  CHECK(standby.contacts().count(place.boottime_ms()) == 1);
  CHECK(standby.contacts().clusters(place.boottime_ms()) == std::vector<std::string>{"east"});
  const auto clocks = standby.contacts().clocks(place.boottime_ms());
  REQUIRE(clocks);
  CHECK(std::abs(clocks->middle_ms() + 7'200'000) < 100);
  place.pass(Contacts::kCountMs + 1);
  CHECK(standby.contacts().count(place.boottime_ms()) == 0);
  CHECK_FALSE(standby.contacts().clocks(place.boottime_ms()));
}

TEST_CASE("a word that was long under way makes no clock wrong at a standby") {
  KnockedAt standby;
  const wire::Refusal refusal = standby.knock("");
  standby.place.pass(600'000);  // the standby stood still
  standby.place.put("r", "", last_word("east", refusal, 0));
  standby.place.redirect("hub-a leads");
  const auto clocks = standby.contacts().clocks(standby.place.boottime_ms());
  REQUIRE(clocks);
  CHECK(clocks->surely_ms() == 0);
}

TEST_CASE("over CURVE only a cluster's own key comes to a standby in its name") {
  KnockedAt standby;
  standby.knock(kEast);
  CHECK(standby.contacts().clusters(standby.place.boottime_ms()) ==
        std::vector<std::string>{"east"});
  const wire::Refusal refusal = standby.knock(kEast);
  standby.place.put("r", kEast, last_word("west", refusal, 0));
  standby.place.redirect("hub-a leads");
  CHECK(standby.contacts().clusters(standby.place.boottime_ms()) ==
        std::vector<std::string>{"east"});
}

TEST_CASE("who parts is not answered for a while, then told with all others where to go") {
  const bool in_time = GENERATE(true, false);
  INFO(in_time);
  Leader leader;
  PortFixture& place = leader.place;
  REQUIRE(place.say("r", kEast, leader.hello_of(4, 77)) == "taken");
  place.port().release_sessions(place.boottime_ms() + 5'000);
  place.set_clock(GENERATE(0, -3'600'000, 3'600'000));  // a clock step is no measure of it
  place.port().lead({}, {});
  if (!in_time) place.pass(5'000);
  place.put("r", kEast, beat(11));
  place.put("s", kWest, beat(0));
  const auto answers = place.redirect("nobody leads");
  REQUIRE(answers.size() == (in_time ? 1 : 2));  // west had no session
  CHECK(answers.back().first == "s");
  place.port().redirect_all("hub-a leads");
  const auto redirected = place.redirect("hub-a leads");
  CHECK(redirected.size() == (in_time ? 1 : 0));
}

TEST_CASE("a welcome without a knock goes to those alone who came within the last second") {
  PortFixture place;
  place.port().lead({}, {});
  place.put("r", kEast, beat(0));
  place.redirect("nobody leads");
  place.pass(1'001);
  place.put("s", kWest, beat(0));
  place.redirect("nobody leads");
  place.port().lead(kMine, [] { return true; });
  place.port().greet_redirected(place.state(), place.boottime_ms());
  const auto welcomed = place.read();
  REQUIRE(welcomed.size() == 1);
  CHECK(welcomed[0].first == "s");
  place.port().greet_redirected(place.state(), place.boottime_ms());
  CHECK(place.read().empty());
}

}  // namespace leasehold
