// Standby: when a broker looks who leads, to which leaders it gives way, what it reports of itself.
#include "broker/daemon/leadership/standby.hpp"

#include <catch2/catch.hpp>

#include "broker/daemon/broker.hpp"
#include "tests/unit/broker/port_fixture.hpp"

using namespace leasehold;

namespace {

class TestClock : public TimeSource {
 public:
  int64_t boottime_ms() const override { return now_ms; }
  Instant wall_time() const override { return {now_ms + 1'000'000}; }
  int64_t now_ms = 50'000;
};

class TestCandidate : public Candidate {
 public:
  Result<Candidacy> look() override {
    if (!error.empty()) return fail(ErrorCode::io, error);
    return candidacy;
  }
  Result<std::unique_ptr<Store>> take_over() override { return fail(ErrorCode::refused, "no"); }
  void saw_epoch(int64_t epoch, uint64_t) override { seen = std::max(seen, epoch); }
  void stepped_down() override { ++steps_down; }

  Candidacy candidacy{false, "hub-a", "tcp://a:7441", 4, 120};
  std::string error;
  int64_t seen = 0;
  int steps_down = 0;
  bool goes_on = false;  // says that it may lead, also after a failed take-over
};

struct Site {
  TestClock clock;
  std::shared_ptr<TestCandidate> candidate = std::make_shared<TestCandidate>();
  Standby standby{candidate, clock};
};

constexpr Leads kMine{4, 77, 5'000};

}  // namespace

TEST_CASE("a broker with its database to itself never looks, and nobody outranks it") {
  TestClock clock;
  Standby alone(nullptr, clock);
  CHECK(alone.is_alone());
  CHECK_FALSE(alone.is_outranked(99, 1, {}));
  LeaderView leader_view;
  alone.tell(leader_view, {}, 0);
  CHECK(leader_view.role == BrokerRole::alone);
}

TEST_CASE("a standby looks twice a second, and its turn is over with a look that fails") {
  Site site;
  site.candidate->candidacy.may_lead = true;
  REQUIRE(site.standby.look().has_value());
  CHECK(site.standby.may_lead());
  CHECK(site.standby.next_look_ms() == 50'500);
  site.candidate->error = "nobody there";
  CHECK_FALSE(site.standby.look().has_value());
  CHECK_FALSE(site.standby.may_lead());
  site.candidate->error.clear();
  REQUIRE(site.standby.look().has_value());
  site.standby.lost();
  CHECK_FALSE(site.standby.may_lead());
  CHECK(site.standby.next_look_ms() < site.clock.now_ms);
}

// Symptom: it looked up to half a second late.
TEST_CASE("a standby looks again when its turn comes, if that is sooner") {
  Site site;
  for (const auto& [wait_ms, pause_ms] :
       {std::pair<int64_t, int64_t>{5'100, 500}, {501, 500}, {300, 300}, {7, 20}, {0, 20}}) {
    site.candidate->candidacy.wait_ms = wait_ms;
    REQUIRE(site.standby.look().has_value());
    CHECK(site.standby.next_look_ms() == 50'000 + pause_ms);
  }
}

TEST_CASE("what is new in the log, or of who leads, is told once") {
  Site site;
  REQUIRE(site.standby.look().has_value());
  CHECK(site.standby.is_changed());
  REQUIRE(site.standby.look().has_value());
  CHECK_FALSE(site.standby.is_changed());
  site.candidate->candidacy.last_event = 121;
  REQUIRE(site.standby.look().has_value());
  CHECK(site.standby.is_changed());
  CHECK(site.standby.log_end() == 121);
}

TEST_CASE("a copy that was restored and is as long as the log before is followed anew") {
  Site site;
  REQUIRE(site.standby.look().has_value());
  site.candidate->candidacy.log_hash.fill(7);
  REQUIRE(site.standby.look().has_value());
  CHECK(site.standby.is_changed());
  REQUIRE(site.standby.look().has_value());
  CHECK_FALSE(site.standby.is_changed());
}

TEST_CASE("rule 13: a leadership gives way to what it is not above, ever more rarely") {
  Site site;
  CHECK_FALSE(site.standby.is_outranked(0, 0, kMine));
  CHECK_FALSE(site.standby.is_outranked(4, 77, kMine));
  CHECK_FALSE(site.standby.is_outranked(3, 1, kMine));
  CHECK(site.standby.is_outranked(4, 78, kMine));
  CHECK(site.candidate->seen == 4);
  // Any agent can claim an epoch again and again.
  for (const int64_t gap_ms : {30'000, 60'000, 120'000}) {
    site.clock.now_ms += gap_ms - 1;
    CHECK_FALSE(site.standby.is_outranked(9, 1, kMine));
    site.clock.now_ms += 1;
    CHECK(site.standby.is_outranked(9, 1, kMine));
  }
  CHECK(site.candidate->seen == 9);
  int takeovers = 0;
  for (int minute = 0; minute < 24 * 60; ++minute) {
    site.clock.now_ms += 60'000;
    takeovers += site.standby.is_outranked(9, 1, kMine) ? 1 : 0;
  }
  CHECK(takeovers <= 28);
  site.clock.now_ms += 86'400'000;
  CHECK(site.standby.is_outranked(9, 1, kMine));
  site.clock.now_ms += 30'000;
  CHECK(site.standby.is_outranked(9, 1, kMine));
}

TEST_CASE("who stepped down says so to its candidate, which lets others go first") {
  Site site;
  site.standby.stepped_down();
  CHECK(site.candidate->steps_down == 1);
  CHECK_FALSE(site.standby.may_lead());
}

TEST_CASE("who stepped down looks often for five seconds, or until another leads") {
  Site site;
  site.standby.stepped_down();
  REQUIRE(site.standby.look().has_value());
  CHECK(site.standby.next_look_ms() == site.clock.now_ms + 20);
  CHECK_FALSE(site.standby.is_led());
  SECTION("another leads") {
    site.candidate->candidacy.is_led = true;
    REQUIRE(site.standby.look().has_value());
    CHECK(site.standby.is_led());
  }
  SECTION("nobody does") {
    site.clock.now_ms += 5'000;
  }
  REQUIRE(site.standby.look().has_value());
  CHECK(site.standby.next_look_ms() == site.clock.now_ms + 500);
}

TEST_CASE("who comes to a standby hears who leads and where, or that it is not known") {
  Site site;
  CHECK(site.standby.elsewhere().message ==
        "this broker is a standby: which broker leads is not known yet");
  REQUIRE(site.standby.look().has_value());
  const Error error = site.standby.elsewhere();
  CHECK(error.code == ErrorCode::elsewhere);
  CHECK(error.message == "this broker is a standby: the broker 'hub-a' leads, at tcp://a:7441");
}

TEST_CASE("a standby tells of whoever leads, a leader of itself") {
  Site site;
  REQUIRE(site.standby.look().has_value());
  LeaderView leader_view;
  leader_view.name = "hub-b";
  leader_view.endpoint = "tcp://b:7441";
  site.clock.now_ms += 200;
  site.standby.tell(leader_view, {}, 0);
  CHECK(leader_view.role == BrokerRole::standby);
  CHECK(leader_view.epoch == 4);
  CHECK(leader_view.leader == "hub-a");
  CHECK(leader_view.log_end == 120);
  CHECK(leader_view.looked == Instant{1'050'000});
  site.standby.tell(leader_view, {5, 9, 5'000}, 130);
  CHECK(leader_view.role == BrokerRole::leader);
  CHECK(leader_view.epoch == 5);
  CHECK(leader_view.leader == "hub-b");
  CHECK(leader_view.leader_endpoint == "tcp://b:7441");
  CHECK(leader_view.log_end == 130);
}

// Symptom: two brokers whose database was stopped named each other as the leader.
TEST_CASE("a standby whose database cannot be asked says that nobody leads, since when and why") {
  Site site;
  REQUIRE(site.standby.look().has_value());
  CHECK_FALSE(site.standby.nobody());
  site.candidate->error = "the database cannot be reached";
  CHECK_FALSE(site.standby.look().has_value());
  REQUIRE(site.standby.nobody());
  CHECK(site.standby.nobody()->unread);
  site.clock.now_ms += 60'000;
  CHECK_FALSE(site.standby.look().has_value());
  CHECK(site.standby.nobody()->since == Instant{1'050'000});
  const Error error = site.standby.elsewhere();
  CHECK(error.code == ErrorCode::refused);
  CHECK(error.message ==
        "nobody leads since 1970-01-01T00:17:30.000Z, because the database cannot be reached; "
        "repair the database or the network; the first broker that reaches it leads");
  LeaderView leader_view;
  site.standby.tell(leader_view, {}, 0);
  CHECK(leader_view.nobody);
}

TEST_CASE(
    "what a leader asked is not answered: nobody leads until it is, and nothing can be read") {
  Site site;
  site.standby.leads(kMine);
  const Error silent{ErrorCode::io, "the database is silent", {}, 0, 0};
  site.standby.waits(silent);
  site.standby.waits(silent);
  REQUIRE(site.standby.nobody().has_value());
  CHECK(site.standby.nobody()->unread);
  CHECK(site.standby.elsewhere().code == ErrorCode::refused);
  site.standby.answered(7);
  CHECK_FALSE(site.standby.nobody().has_value());
  site.standby.waits({ErrorCode::refused, "its own disk is slow", {}, 0, 0});
  REQUIRE(site.standby.nobody().has_value());
  CHECK_FALSE(site.standby.nobody()->unread);
  site.standby.waits(silent);
  site.clock.now_ms += 5'000;
  site.standby.lost(silent);  // a question of the past would wait in vain until the next look
  REQUIRE(site.standby.nobody().has_value());
  CHECK(site.standby.nobody()->unread);
  CHECK(site.standby.nobody()->since == Instant{1'050'000});
  REQUIRE(site.standby.look().has_value());
  CHECK((!site.standby.nobody() || !site.standby.nobody()->unread));
}

TEST_CASE("once nobody led, only a sign of life says that somebody does") {
  Site site;
  site.candidate->error = "gone";
  CHECK_FALSE(site.standby.look().has_value());
  site.candidate->error.clear();
  site.candidate->candidacy.wait_ms = 5'100;
  REQUIRE(site.standby.look().has_value());
  REQUIRE(site.standby.nobody());
  CHECK_FALSE(site.standby.nobody()->unread);
  CHECK(site.standby.nobody()->why ==
        "the broker 'hub-a' led last, and has not renewed its lead since");
  CHECK(site.standby.nobody()->help ==
        "wait: this broker takes over at 1970-01-01T00:17:35.100Z if nobody does before");
  SECTION("the leader renews its row") {
    site.candidate->candidacy.evidence = LeaderEvidence::alive;
  }
  SECTION("another has taken over") {
    site.candidate->candidacy.epoch = 5;
  }
  REQUIRE(site.standby.look().has_value());
  CHECK_FALSE(site.standby.nobody());
}

TEST_CASE("what the row says of whoever it names is told in words") {
  struct Case {
    LeaderEvidence evidence;
    const char* why;
  };
  const Case cases[] = {
      {LeaderEvidence::nobody_yet, "none has led"},
      {LeaderEvidence::stepped_down, "'hub-a' stepped down"},
      {LeaderEvidence::other_server, "was restarted"},
      {LeaderEvidence::own, "this broker led last"},
      {LeaderEvidence::silent, "has not renewed its lead since"},
  };
  for (const Case& one : cases) {
    Site site;
    site.candidate->candidacy.evidence = one.evidence;
    REQUIRE(site.standby.look().has_value());
    INFO(one.why);
    REQUIRE(site.standby.nobody());
    CHECK_THAT(site.standby.nobody()->why, Catch::Contains(one.why));
    site.standby.leads(kMine);
    CHECK_FALSE(site.standby.nobody());
  }
}

TEST_CASE("a take-over that failed is why nobody leads, however often it is looked again") {
  Site site;
  site.standby.not_taken({ErrorCode::corrupt, "the leader's row is lost", {}, 0, 0});
  site.candidate->candidacy.evidence = LeaderEvidence::silent;
  REQUIRE(site.standby.look().has_value());
  REQUIRE(site.standby.nobody());
  CHECK(site.standby.nobody()->why == "the leader's row is lost");
  CHECK_THAT(site.standby.nobody()->help, Catch::Contains("put a sound copy"));
  // Another broker was faster, and leads.
  site.candidate->candidacy.epoch = 9;
  site.candidate->candidacy.evidence = LeaderEvidence::named;
  REQUIRE(site.standby.look().has_value());
  site.standby.not_taken({ErrorCode::elsewhere, "another was first", {}, 0, 0});
  CHECK_FALSE(site.standby.nobody());
}

TEST_CASE("a leader that the database takes no commit of says so; a deposed one says who leads") {
  Site site;
  REQUIRE(site.standby.look().has_value());
  site.standby.lost({ErrorCode::refused, "another broker leads", {}, 0, 0});
  CHECK_FALSE(site.standby.nobody());
  CHECK_THAT(site.standby.elsewhere().message, Catch::Contains("not known yet"));
  site.standby.lost({ErrorCode::io, "No space left on device", {}, 0, 0});
  REQUIRE(site.standby.nobody());
  CHECK(site.standby.nobody()->why == "No space left on device");
}

namespace {

/// A broker on that candidate; another was faster with the take-over.
BrokerParts outrun(const Site& site) {
  BrokerParts parts;
  parts.candidate = site.candidate;
  parts.time = &site.clock;
  parts.self.name = "hub-b";
  parts.read_configuration = [](const std::string& by, Instant) -> Result<ConfigRead> {
    return ConfigRead{{BrokerConfig{}, {}, by}, nullptr};
  };
  parts.check_inventory = [](const BrokerConfig&, const State&) { return InventoryFindings{}; };
  parts.open_store = [candidate = site.candidate]() -> Result<BrokerParts::Opened> {
    candidate->candidacy.may_lead = candidate->goes_on;
    return fail(ErrorCode::refused, "another broker was first to take over");
  };
  return parts;
}

Result<std::unique_ptr<Broker>> started(const Site& site, port_fixture::Wire& agents,
                                        port_fixture::Wire& operators) {
  return Broker::start(
      outrun(site), AgentPort(std::make_unique<port_fixture::TestExchange>(agents)),
      OperatorPort(std::make_unique<port_fixture::TestExchange>(operators), Lookups{}));
}

}  // namespace

TEST_CASE("of brokers that start at once whoever is second stands by, and does not end") {
  Site site;
  site.candidate->candidacy.may_lead = true;
  port_fixture::Wire agents;
  port_fixture::Wire operators;
  SECTION("another leads now") {
    const auto broker = started(site, agents, operators);
    REQUIRE(broker.has_value());
    CHECK_FALSE((*broker)->leads());
  }
  SECTION("nobody does, and yet it may not: a start that cannot be ends") {
    site.candidate->goes_on = true;
    const auto broker = started(site, agents, operators);
    REQUIRE_FALSE(broker.has_value());
    CHECK(broker.error().message == "another broker was first to take over");
  }
}
