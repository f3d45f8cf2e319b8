// An agent's brokers take turns: which one is asked, and how long. The clock and what comes of each
// connection are the test's.
#include "agent/io/broker/broker_turns.hpp"

#include <catch2/catch.hpp>

namespace leasehold::agent {
namespace {

constexpr int64_t kSilenceMs = 15'000;
/// Several brokers share one database; their leader answers within this.
constexpr int64_t kTtlMs = 5'000;

SessionStatus alone(bool open) {
  return {open, INT64_MIN, 0};
}

SessionStatus led(bool open, int64_t patient_until_ms = INT64_MIN) {
  return {open, patient_until_ms, kTtlMs};
}

struct Line {
  explicit Line(const std::vector<std::string>& brokers,
                const std::vector<std::string>& keys = {""})
      : turns(ways(brokers, keys), kSilenceMs) {
    turns.begin(0);
  }

  static std::vector<BrokerWay> ways(const std::vector<std::string>& brokers,
                                     const std::vector<std::string>& keys) {
    std::vector<BrokerWay> all;
    for (const std::string& broker : brokers) {
      for (const std::string& key : keys) all.push_back({broker, key});
    }
    return all;
  }
  /// True: the next broker has its turn, which begins now.
  bool turned(const SessionStatus& session, int64_t now_ms) {
    if (!turns.is_over(session, handshake, now_ms)) return false;
    turns.begin(now_ms);
    handshake = Handshake::none;
    return true;
  }
  void connects(const SessionStatus& session, int64_t now_ms = 0) {
    handshake = Handshake::done;
    REQUIRE_FALSE(turned(session, now_ms));
  }
  void loses(const SessionStatus& session, int64_t now_ms) {
    handshake = Handshake::none;
    REQUIRE_FALSE(turned(session, now_ms));
  }
  /// The broker answers something that was sent.
  void answered(int64_t now_ms = 0) {
    turns.sent(now_ms);
    turns.received(now_ms);
  }
  const std::string& with() const { return turns.way().broker; }
  int64_t next_ms() const { return turns.next_ms(handshake); }

  BrokerTurns turns;
  Handshake handshake = Handshake::none;
};

TEST_CASE("a broker whose connection is lost may only be starting again, and is left later") {
  Line line({"old", "next"});
  line.connects(alone(false));
  line.loses(alone(true), 500);
  CHECK(line.next_ms() == 3'500);
  CHECK_FALSE(line.turned(alone(true), 3'499));
  CHECK(line.turned(alone(true), 3'500));
  CHECK(line.with() == "next");
}

TEST_CASE("a broker that was gone before the agent came is passed by, whatever session is open") {
  Line line({"gone", "next"});
  CHECK_FALSE(line.turned(alone(true), 2'999));
  CHECK(line.turned(alone(true), 3'000));
  CHECK(line.with() == "next");
}

TEST_CASE("answers that open no session keep an agent nowhere") {
  Line line({"refuses", "next"});
  line.connects(alone(false));
  line.answered();
  CHECK_FALSE(line.turned(alone(false), kSilenceMs - 1));
  CHECK(line.turned(alone(false), kSilenceMs));
}

TEST_CASE("a broker that stands by is left for each of the others at once, then one a second") {
  Line line({"0", "1", "2"});
  line.connects(led(false));
  int64_t now_ms = 10;
  for (const char* next : {"1", "2"}) {
    line.turns.leave();
    CHECK(line.turned(led(false), now_ms));
    REQUIRE(line.with() == next);
    line.connects(led(false), now_ms);
  }
  for (const char* next : {"0", "1", "2", "0"}) {
    line.turns.leave();
    CHECK_FALSE(line.turned(led(false), now_ms + 999));
    CHECK(line.next_ms() == now_ms + 1'000);
    now_ms += 1'000;
    CHECK(line.turned(led(false), now_ms));
    REQUIRE(line.with() == next);
    line.connects(led(false), now_ms);
  }
  REQUIRE_FALSE(line.turned(led(true), now_ms));  // a session: it begins again
  line.turns.leave();
  CHECK(line.turned(led(false), now_ms));
}

TEST_CASE("a broker that leads after all before it was left is stayed with") {
  Line line({"first", "second"});
  line.connects(led(false));
  line.turns.leave();
  REQUIRE(line.turned(led(false), 10));
  line.connects(led(false), 10);
  line.answered(20);
  line.turns.leave();
  CHECK_FALSE(line.turned(led(false), 30));
  CHECK_FALSE(line.turned(led(false, 5'500), 500));  // it has welcomed us, and is greeted
  CHECK_FALSE(line.turned(led(true), 520));
  CHECK_FALSE(line.turned(led(true), 1'010));
  CHECK(line.with() == "second");
}

TEST_CASE("a leader of long standing that stands by from now on is left at once") {
  Line line({"first", "second"});
  line.connects(led(false));
  line.answered(60'000);
  line.turns.leave();
  CHECK(line.turned(led(false), 60'000));
}

TEST_CASE("the only broker is kept though it stands by, or is away for however long") {
  Line line({"only"});
  line.connects(led(false));
  line.answered(10);
  line.turns.leave();
  CHECK_FALSE(line.turned(led(false), 5'000));
  CHECK(line.next_ms() == INT64_MAX);
  line.loses(led(false), 6'000);
  CHECK(line.next_ms() == INT64_MAX);
}

TEST_CASE("a leader that is gone is left within a second, where another one may take over") {
  Line line({"old", "next"});
  line.connects(led(false));
  line.loses(led(true), 500);
  CHECK(line.next_ms() == 1'400);
  CHECK_FALSE(line.turned(led(true), 1'399));
  CHECK(line.turned(led(true), 1'400));
}

TEST_CASE("a leader that answers nothing for its ttl counts as silent") {
  Line line({"leader", "next"});
  line.connects(led(false));
  line.answered(10'000);
  REQUIRE_FALSE(line.turned(led(true), 10'000));
  line.turns.sent(11'000);
  CHECK_FALSE(line.turned(led(true), 10'000 + kTtlMs - 1));
  CHECK(line.next_ms() == 10'000 + kTtlMs);
  CHECK(line.turned(led(true), 10'000 + kTtlMs));
}

TEST_CASE("an agent that stood still itself asks a leader before it calls it silent") {
  Line line({"leader", "next"});
  line.connects(led(false));
  line.answered(10'000);
  CHECK_FALSE(line.turned(led(true), 30'000));  // nobody has asked it anything
  line.turns.sent(30'000);
  CHECK_FALSE(line.turned(led(true), 30'000));
  CHECK(line.next_ms() == 30'000 + kTtlMs / 3);
  line.answered(30'100);
  CHECK_FALSE(line.turned(led(true), 34'000));
}

TEST_CASE("a hello is waited for as long as the session does") {
  Line line({"leader", "next"});
  line.connects(led(false));
  line.answered(100);  // a welcome
  line.turns.sent(100);
  CHECK_FALSE(line.turned(led(false, 9'000), 8'999));
  CHECK(line.next_ms() == 9'000);
  CHECK(line.turned(led(false), 9'000));
}

TEST_CASE("a leader that stopped gets a second for its handshake twice, then longer") {
  Line line({"leader", "next"});
  line.connects(led(false));
  line.answered(20);
  line.loses(led(true), 500);
  int64_t now_ms = 1'400;
  REQUIRE(line.turned(led(true), now_ms));
  for (const int64_t patience_ms : {900, 900, 3'000, 3'000}) {
    REQUIRE(line.with() == "next");
    line.connects(led(false), now_ms);
    line.answered(now_ms + 10);
    line.turns.leave();
    now_ms += 1'000;
    REQUIRE(line.turned(led(false), now_ms));
    line.handshake = Handshake::under_way;
    CHECK_FALSE(line.turned(led(false), now_ms + patience_ms - 1));
    CHECK(line.next_ms() == now_ms + patience_ms);
    now_ms += patience_ms;
    REQUIRE(line.turned(led(false), now_ms));
  }
}

TEST_CASE("a broker that breaks the handshake off is asked by its other key first") {
  Line line({"first", "second"}, {"a", "b"});
  line.handshake = Handshake::broken_off;
  CHECK_FALSE(line.turned(alone(false), 499));
  CHECK(line.turned(alone(false), 500));
  CHECK(line.with() == "first");
  CHECK(line.turns.way().public_key == "b");
  line.connects(alone(false), 500);
  line.answered(510);
  line.loses(alone(false), 1'000);
  REQUIRE(line.turned(alone(false), 4'000));
  CHECK(line.with() == "second");
  line.handshake = Handshake::under_way;
  REQUIRE(line.turned(alone(false), 7'000));
  CHECK(line.with() == "first");
  CHECK(line.turns.way().public_key == "b");  // the one by which it was spoken with
}

TEST_CASE(
    "a broker that refused us is asked again after three seconds, though it is the only one") {
  Line line({"only"});
  line.handshake = Handshake::key_refused;
  CHECK_FALSE(line.turned(alone(false), 2'999));
  CHECK(line.turned(alone(false), 3'000));
  CHECK(line.with() == "only");
}

}  // namespace
}  // namespace leasehold::agent
