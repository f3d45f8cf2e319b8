// An agent and several brokers on one database: the broker that the test plays says of which
// leadership it is.
#include "tests/unit/agent/io/played_site.hpp"

namespace leasehold::agent {
namespace {

constexpr Leadership kThird{3, 33};
constexpr Leadership kFourth{4, 44};

/// In an open session with a leader, a group of which it is the consumer, and no order so far.
struct LedSite : PlayedSite {
  explicit LedSite(Leadership of = kThird) {
    leader = of;
    shake();
    configure({group(5, wire::Role::consumer)});
    next<wire::Report>();
    next<wire::Heartbeat>();
  }
};

wire::Welcome welcome_of(const Leadership& leader) {
  return {leader.incarnation, "other", "0", leader.epoch};
}

Leadership seen_by(const wire::Heartbeat& knock) {
  CHECK(knock.session == 0);
  return leadership_of(knock.seen_epoch, knock.seen_incarnation);
}

Leadership kept_in(PlayedSite& site) {
  SQLite::Database db(site.scratch.file("agent.db"));
  SQLite::Statement row(db, "select seen_epoch, seen_incarnation from agent");
  REQUIRE(row.executeStep());
  return {static_cast<uint64_t>(row.getColumn(0).getInt64()),
          static_cast<uint64_t>(row.getColumn(1).getInt64())};
}

TEST_CASE("rule 12: what a hello greets is kept before it leaves, and over restarts") {
  PlayedSite site;
  site.leader = kThird;
  const wire::Hello hello = site.shake();  // no configuration follows
  CHECK(leadership_of(hello.seen_epoch, hello.seen_incarnation) == kThird);
  CHECK(kept_in(site) == kThird);
  site.stop();
  site.start();
  CHECK(seen_by(site.next<wire::Heartbeat>()) == kThird);
  site.tell(welcome_of({2, 22}));
  CHECK(site.none<wire::Hello>());
  CHECK(site.agent().take_leave());
}

TEST_CASE("rule 12: a hello that cannot be kept does not leave") {
  PlayedSite site;
  site.leader = kThird;
  site.next<wire::Heartbeat>();
  {
    SQLite::Database db(site.scratch.file("agent.db"), SQLite::OPEN_READWRITE);
    db.exec("create trigger full before update on agent begin select raise(abort, 'full'); end");
  }
  site.tell(welcome_of(kThird));
  CHECK(site.none<wire::Hello>());
  CHECK(site.agent().session().seen() == Leadership{});
  {
    SQLite::Database db(site.scratch.file("agent.db"), SQLite::OPEN_READWRITE);
    db.exec("drop trigger full");
  }
  site.tell(welcome_of(kThird));
  site.next<wire::Hello>();
  CHECK(kept_in(site) == kThird);
}

TEST_CASE("rule 12: a leader that was overtaken is not greeted, but told; the one after it is") {
  LedSite site(kFourth);
  for (const Leadership& claimed : {kThird, Leadership{4, 45}}) {
    site.tell(welcome_of(claimed));
    CHECK(site.agent().take_leave());
    CHECK(site.none<wire::Hello>());
    CHECK(kept_in(site) == kFourth);
  }
  CHECK(seen_by(site.next<wire::Heartbeat>()) == kFourth);
  site.tell(wire::Welcome{4, "no epoch", "0"});
  CHECK(site.none<wire::Hello>());
  site.tell(welcome_of({5, 55}));
  CHECK(site.next<wire::Hello>().incarnation == 55);
  CHECK(kept_in(site) == Leadership{5, 55});
}

TEST_CASE("rule 12: orders, renewals and configurations of another leadership are dropped") {
  LedSite site;
  const uint64_t number = site.configured();
  for (const auto& other : std::initializer_list<std::optional<Leadership>>{
           Leadership{3, 34}, Leadership{2, 33}, kFourth, std::nullopt}) {
    site.leader = other;
    site.order(1, 3);
    CHECK(site.none<wire::State>());
    site.configure({});
    CHECK(site.agent().book().configuration().number == number);
    site.tell(site.of_leader(wire::HeartbeatAnswer{site.session(), 0, true}));
    CHECK(site.none<wire::Report>());
  }
  CHECK(site.agent().figures(site.now_ms).of_others == 12);
  CHECK(site.agent().figures(site.now_ms).epoch == 3);
  site.leader = kThird;
  site.order(1, 3);
  CHECK(site.next<wire::State>().state.hosts[0].limit == 3);
}

TEST_CASE("whoever is sent elsewhere says by whom it was there and what its clock shows, once") {
  LedSite site;
  wire::Refusal elsewhere{Reason::elsewhere, "hub-b leads", wire::kVersion};
  const bool tells = GENERATE(true, false);  // an older broker does not say when it said so
  if (tells) elsewhere.sent_ms = 1'795'000'000'000;
  site.tell(elsewhere);
  if (!tells) {
    CHECK(site.none<wire::Heartbeat>());
    return;
  }
  const auto word = site.next<wire::Heartbeat>();
  CHECK(word.cluster == "east");
  CHECK(seen_by(word) == kThird);
  REQUIRE(word.clock);
  CHECK(word.clock->heard_sent_ms == 1'795'000'000'000);
  CHECK(word.clock->boottime_ms >= word.clock->heard_boottime_ms);
  site.tell(elsewhere);
  CHECK(site.none<wire::Heartbeat>());
}

TEST_CASE("rule 11: no order is applied before the session's first configuration") {
  PlayedSite site;
  site.leader = kThird;
  site.shake();
  site.configure({group(5, wire::Role::consumer)});
  site.order(1, 2);
  site.next<wire::State>();
  site.tell(welcome_of(kFourth));
  site.leader = kFourth;
  const wire::Hello again = site.next<wire::Hello>();
  wire::Order early{again.session, 5, 2, 0, {{0, 4, wire::Lowering::release}}};
  site.tell(site.of_leader(early));
  early.seq = 3;  // and one that lowers
  early.hosts[0].limit = 0;
  site.tell(site.of_leader(early));
  CHECK(site.none<wire::State>());
  CHECK(site.agent().book().find(5)->limits.hosts[0].limit == 2);
  CHECK(site.agent().book().find(5)->limits.seq == 1);
}

TEST_CASE("an order of another session changes nothing") {
  PlayedSite stage;
  stage.shake();
  stage.configure({group(5, wire::Role::consumer)});
  stage.order(4, 3);
  CHECK(stage.next<wire::State>().state.hosts[0].limit == 3);
  stage.tell(stage.of_leader(
      wire::Order{stage.session() + 1, 5, 5, 0, {{0, 1, wire::Lowering::release}}}));
  CHECK(stage.none<wire::State>());
  CHECK(stage.ask("select slots from cap where host = 'far@west'") == 3);
}

TEST_CASE("rule 18: a doubled welcome starts no second session while the hello is unanswered") {
  PlayedSite site;
  site.leader = kThird;
  site.shake();
  site.tell(welcome_of(kThird));
  site.tell(welcome_of({2, 22}));
  site.now_ms += 4'999;
  CHECK(site.none<wire::Hello>());
  CHECK_FALSE(site.agent().take_leave());
  site.configure({});
  CHECK(site.agent().session().open());
}

TEST_CASE("a broker that stands by ends the session; the one that leads is greeted") {
  LedSite site;
  site.tell(wire::Refusal{Reason::elsewhere, "campus-b leads", 1});
  CHECK(site.agent().take_leave());
  CHECK_FALSE(site.agent().session().open());
  site.agent().on_connecting(site.now_ms);
  CHECK(seen_by(site.next<wire::Heartbeat>()) == kThird);
  site.tell(welcome_of(kFourth));
  CHECK(site.next<wire::Hello>().incarnation == kFourth.incarnation);
}

TEST_CASE("heartbeats keep to the leader's ttl from the first configuration on, over restarts") {
  LedSite site;
  const int64_t begun_ms = site.now_ms;
  CHECK(site.agent().session().next_ms() == begun_ms + site.leader_ttl_ms / 3);
  site.stop();
  site.start();
  site.shake();
  CHECK(site.agent().session().leader_ttl_ms() == site.leader_ttl_ms);
  site.leader_ttl_ms = 2'000;
  site.configure({group(5, wire::Role::consumer)});
  CHECK(site.agent().session().leader_ttl_ms() == 2'000);
}

TEST_CASE("a state file told to forget lets brokers without an epoch be greeted again") {
  LedSite site;
  site.stop();
  {
    auto state = StateFile::open(site.scratch.file("agent.db"));
    REQUIRE(state);
    REQUIRE(state->forget_seen().has_value());
  }
  site.leader.reset();
  site.start();
  CHECK_FALSE(site.next<wire::Heartbeat>().seen_epoch);
  site.tell(wire::Welcome{77, "test", "0"});
  CHECK(site.next<wire::Hello>().has_state);
}

}  // namespace
}  // namespace leasehold::agent
