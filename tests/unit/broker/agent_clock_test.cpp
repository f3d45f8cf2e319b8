// The port finds which clock is wrong: with messages that are long under way, clocks that step, and
// agents of older releases.
#include "tests/unit/broker/port_fixture.hpp"

namespace leasehold {

using namespace port_fixture;

namespace {

/// An agent's machine; the port goes by the turn's time, the same as the test's.
struct Machine {
  PortFixture& place;
  int64_t off_ms = 0;
  int64_t heard_sent_ms = 0;
  int64_t heard_boottime_ms = 0;

  /// Takes the first answer of `read()` that says when it left.
  void hear(const std::vector<std::pair<std::string, wire::Message>>& answers) {
    for (const auto& [to, answer] : answers) {
      const auto* welcome = std::get_if<wire::Welcome>(&answer);
      const auto* renewal = std::get_if<wire::HeartbeatAnswer>(&answer);
      const std::optional<int64_t> sent_ms = welcome != nullptr   ? welcome->sent_ms
                                             : renewal != nullptr ? renewal->sent_ms
                                                                  : std::nullopt;
      if (!sent_ms) continue;
      heard_sent_ms = *sent_ms;
      heard_boottime_ms = place.boottime_ms();
    }
  }
  wire::ClockReading clock() const {
    return {place.now().ms + off_ms, place.boottime_ms(), heard_sent_ms, heard_boottime_ms};
  }
  void knock() {
    place.put("r", kEast, beat(99));
    hear(place.read());
  }
  /// Says hello with a message that is so long under way.
  std::string greet(int64_t late_ms, uint64_t session = 11) {
    wire::Hello said = hello("east", session, session);
    said.clock = clock();
    said.wall_ms = said.clock->wall_ms;
    place.pass(late_ms);
    return place.say("r", kEast, said);
  }
  /// Sends a heartbeat, so long under way; returns how often a full report was asked for.
  int64_t beats(uint64_t report, int64_t late_ms = 0) {
    wire::Heartbeat said = beat(11);
    said.report = report;
    said.clock = clock();
    place.pass(late_ms);
    place.put("r", kEast, said);
    const auto answers = place.read();
    hear(answers);
    return std::count_if(answers.begin(), answers.end(), [](const auto& each) {
      const auto* answer = std::get_if<wire::HeartbeatAnswer>(&each.second);
      return answer != nullptr && answer->number == 0 && answer->resync;
    });
  }
};

std::optional<ClockDifference> known(PortFixture& place) {
  return place.port().liveness().clusters["east"].clock_off;
}

}  // namespace

// Two agents' clocks were called 2 s wrong on a machine where messages took so long.
TEST_CASE(
    "a hello that was seconds under way makes no clock wrong, a heartbeat says how right it is") {
  PortFixture place;
  Machine machine{place};
  machine.knock();
  CHECK(machine.heard_sent_ms == place.now().ms - 1);
  REQUIRE(machine.greet(4'000) == "taken");
  REQUIRE(known(place));
  CHECK(known(place)->surely_ms() == 0);
  CHECK(known(place)->error_ms() >= 2'000);
  machine.beats(0);
  CHECK(known(place)->surely_ms() == 0);
  CHECK(known(place)->error_ms() <= 100);
}

TEST_CASE(
    "a clock that is wrong is known by the hello, one that is stepped by the next heartbeat") {
  PortFixture place;
  Machine machine{place, -3'000};
  machine.knock();
  REQUIRE(machine.greet(1) == "taken");
  CHECK(known(place)->surely_ms() <= -2'900);
  machine.off_ms = 3'000;
  place.pass(5'000);
  machine.beats(0, 8'000);  // however slow it is
  CHECK(known(place)->surely_ms() >= 2'700);
  machine.off_ms = 0;
  machine.beats(0);
  CHECK(known(place)->surely_ms() == 0);
}

TEST_CASE("a broker goes by the clock that it is given, not by when its turn began") {
  PortFixture place;
  Instant at = place.now() + 9'000;
  place.port().go_by([&] { return at; });
  Machine machine{place};
  machine.knock();
  CHECK(machine.heard_sent_ms == at.ms);
  machine.off_ms = 9'000;
  at = place.now() + 9'000;
  REQUIRE(machine.greet(0) == "taken");
  CHECK(known(place)->surely_ms() == 0);
  CHECK(known(place)->error_ms() <= 100);
}

TEST_CASE("an agent of an older release says its wall clock, which is known to a minute") {
  PortFixture place;
  wire::Hello said = hello("east", 11);
  REQUIRE(place.say("r", kEast, said) == "taken");
  CHECK_FALSE(known(place));
  said = hello("east", 12, 2);
  said.wall_ms = place.now().ms - 59'000;
  REQUIRE(place.say("r", kEast, said) == "taken");
  CHECK(known(place)->surely_ms() == 0);
  said = hello("east", 13, 3);
  said.wall_ms = place.now().ms - 3'600'000;
  REQUIRE(place.say("r", kEast, said) == "taken");
  CHECK(known(place)->middle_ms() == -3'600'000);
  CHECK(known(place)->surely_ms() == -3'540'000);
  CHECK(place.say("r", kEast, beat(13)) == "taken");
  CHECK(known(place)->middle_ms() == -3'600'000);
  said = hello("east", 14, 4);
  said.wall_ms = INT64_MAX;
  REQUIRE(place.say("r", kEast, said) == "taken");
  CHECK_FALSE(known(place));
}

TEST_CASE(
    "ages are read by one difference while that may be right; by another all is asked again") {
  PortFixture place;
  Machine machine{place, 7'200'000};
  machine.knock();
  REQUIRE(machine.greet(1'000) == "taken");
  const int64_t submitted = place.now().ms / 10'000 * 10'000;
  wire::Report work = report(11, 1, 3);
  work.demand = wire::Demand{{1, 1, wire::TimeClass::hour_1, submitted + machine.off_ms, 1, 1, {}}};
  REQUIRE(place.say("r", kEast, work) == "taken");
  const auto stated_ms = [&] {
    const Cluster& east = place.state().clusters[find_cluster(place.state(), "east")];
    return east.demand.value()[0].oldest_ms;
  };
  CHECK(std::abs(stated_ms() - submitted) <= 600);  // half of what the hello took
  const int stepped = place.stepped;
  machine.off_ms += 9'000;  // ages are rounded to 10 s
  CHECK(machine.beats(1) == 0);
  work.number = 2;
  REQUIRE(place.say("r", kEast, work) == "taken");
  CHECK(place.stepped == stepped);
  machine.off_ms = 0;
  CHECK(machine.beats(2) == 1);
  work.number = 3;
  work.demand->front().oldest_ms = submitted;
  REQUIRE(place.say("r", kEast, work) == "taken");
  CHECK(std::abs(stated_ms() - submitted) <= 100);
  CHECK(machine.beats(3) == 0);
}

}  // namespace leasehold
