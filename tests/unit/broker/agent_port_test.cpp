// AgentPort against frames of many peers: which peers may speak for which cluster.
#include <algorithm>

#include "broker/ports/agents/limits/budget.hpp"
#include "tests/unit/broker/port_fixture.hpp"

namespace leasehold {

using namespace port_fixture;

namespace {

/// The first report of a session, by its first configuration.
wire::Report full_report(uint64_t session) {
  wire::Report report;
  report.session = session;
  report.number = 1;
  report.full = true;
  report.configuration = 1;
  return report;
}

}  // namespace

TEST_CASE("a hello is taken for the cluster of its connection's key alone") {
  struct Row {
    const char* cluster;
    std::string key;
    const char* answer;
  };
  const Row rows[] = {
      {"east", kEast, "taken"},
      {"east", kEastNext, "taken"},
      {"west", kWest, "taken"},
      {"east", kWest, "wrong-key"},
      {"west", kEast, "wrong-key"},
      {"west", kEastNext, "wrong-key"},
      {"east", "", "taken"},
      {"south", kEast, "unknown-cluster"},
      {"east", std::string(40, 'x'), "wrong-key"},
  };
  for (const Row& row : rows) {
    PortFixture place(kEast + " " + kEastNext);
    INFO(row.cluster << " with " << row.key);
    CHECK(place.say("r", row.key, hello(row.cluster, 11)) == row.answer);
    const bool known = std::string(row.cluster) != "south";
    if (known) {
      CHECK((place.contact(row.cluster) == Contact::ok) == (std::string(row.answer) == "taken"));
    }
  }
}

TEST_CASE("what the port refused and read is counted by reason") {
  PortFixture place;
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  REQUIRE(place.say("s", kWest, hello("east", 12)) == "wrong-key");
  REQUIRE(place.say("t", kWest, hello("east", 12)) == "wrong-key");
  REQUIRE(place.say("u", kEast, hello("south", 12)) == "unknown-cluster");
  LoopFigures figures;
  place.port().count(figures);
  CHECK(figures.agent_messages == 4);
  CHECK(figures.agents_refused[static_cast<size_t>(Reason::wrong_key)] == 2);
  CHECK(figures.agents_refused[static_cast<size_t>(Reason::unknown_cluster)] == 1);
}

TEST_CASE("a wrong key hears nothing else of the cluster's state") {
  PortFixture place;
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  // The refusal says neither that another agent is there, nor that its welcome is old.
  CHECK(place.say("s", kWest, hello("east", 12)) == "wrong-key");
  wire::Hello stale = hello("east", 13);
  stale.incarnation = kIncarnation + 1;
  CHECK(place.say("s", kWest, stale) == "wrong-key");
  CHECK(place.say("r", kEast, beat(11)) == "taken");
}

TEST_CASE("a session belongs to its route and its key together") {
  PortFixture place;
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  CHECK(place.say("s", kWest, beat(11)) == "welcome");    // another route, which has no session
  CHECK(place.say("r", kWest, beat(11)) == "wrong-key");  // the route's name taken over
  CHECK(place.say("r", kEast, beat(11)) == "taken");
}

TEST_CASE("a session ends with its key, and its agent is lost at once") {
  PortFixture place(kEast + " " + kEastNext);
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  place.load(kEast);
  place.read();
  CHECK(place.contact("east") == Contact::ok);
  place.load(kEastNext);
  place.read();
  place.read();
  CHECK(place.contact("east") == Contact::lost);
  CHECK(place.say("r", kEast, beat(11)) == "welcome");
  CHECK(place.say("r", kEast, hello("east", 12, 2)) == "wrong-key");
  CHECK(place.say("s", kEastNext, hello("east", 13, 3)) == "taken");
  CHECK(place.contact("east") == Contact::ok);
}

namespace {

size_t configurations(PortFixture& place, const wire::Message& message) {
  place.put("r", kEast, message);
  const auto answers = place.read();
  return static_cast<size_t>(std::count_if(answers.begin(), answers.end(), [](const auto& answer) {
    return std::holds_alternative<wire::Configuration>(answer.second);
  }));
}

}  // namespace

// Symptom: its orders were refused as made by another configuration for 20 minutes and more.
TEST_CASE("a configuration that was lost is sent again to an agent that has nothing to report") {
  PortFixture place;
  REQUIRE(configurations(place, hello("east", 11)) == 1);
  place.pass(2'000);
  CHECK(configurations(place, beat(11)) == 0);  // it may be on its way
  place.pass(2'000);
  CHECK(configurations(place, beat(11)) == 1);
  CHECK(configurations(place, beat(11)) == 0);
  place.put("r", kEast, full_report(11));
  place.read();
  place.pass(10'000);
  CHECK(configurations(place, beat(11)) == 0);
}

// Symptom: a copy of "limit 3, not yet lowered" came after "limit 0", under the same order: a
// breach was reported that there was not, and a quarantine gave slots to a member that had returned
// them (seed 6279).
TEST_CASE("a copy of an earlier state is refused; an agent that does not count them is believed") {
  PortFixture place;
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  const uint64_t configuration = place.state().clusters[0].configuration;
  const auto state = [&](std::optional<uint64_t> number) {
    return place.say("r", kEast, wire::State{11, configuration, {}, number});
  };
  CHECK(state(1) == "taken");
  CHECK(state(2) == "taken");
  CHECK(state(2) == "bad-report");
  CHECK(state(1) == "bad-report");
  CHECK(state(std::nullopt) == "taken");
  CHECK(state(3) == "taken");
  REQUIRE(place.say("r", kEast, hello("east", 12, 2)) == "taken");
  CHECK(place.say("r", kEast, wire::State{12, configuration, {}, 1}) == "taken");
}

TEST_CASE("an agent whose last word is that it is stopped is lost at once, not at agent_timeout") {
  PortFixture place;
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  wire::Heartbeat last = beat(11);
  last.stopping = true;
  place.put("r", kEast, beat(11));  // answered in the same turn: the next one stamps it
  place.put("r", kEast, last);
  const auto answers = place.read();
  CHECK(answers.size() == 1);  // the last message is not answered: it renews nothing
  CHECK(place.contact("east") == Contact::ok);
  CHECK(place.port().next_loss() <= place.now());
  place.read();
  CHECK(place.contact("east") == Contact::lost);
  CHECK(place.state().clusters[find_cluster(place.state(), "east")].stopped);
  CHECK(place.say("s", kEast, hello("east", 12, 2)) == "taken");
  CHECK_FALSE(place.state().clusters[find_cluster(place.state(), "east")].stopped);
  CHECK(place.port().next_loss() > place.now());
}

// Symptom: a manager that took three seconds a command made its agent lost.
TEST_CASE("an agent whose look is old is heard, decides nothing, and renews no lease") {
  PortFixture place;
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  place.put("r", kEast, full_report(11));
  place.read();
  const auto degraded = [&place] { return place.state().clusters[0].degraded; };
  const auto renewed = [&place](std::optional<int64_t> age_ms) {
    wire::Heartbeat said = beat(11);
    said.number = 7;
    said.report = 1;
    said.look_age_ms = age_ms;
    place.put("r", kEast, said);
    for (const auto& [to, answer] : place.read()) {
      if (const auto* beaten = std::get_if<wire::HeartbeatAnswer>(&answer)) return beaten->number;
    }
    return uint64_t{99};
  };
  const int64_t timeout_ms = place.state().config.agent_timeout_ms;
  CHECK(renewed(std::nullopt) == 7);
  CHECK(renewed(timeout_ms - 1) == 7);
  CHECK_FALSE(degraded());
  for (int minutes = 0; minutes < 20; ++minutes) {
    place.pass(timeout_ms / 2);
    CHECK(renewed(timeout_ms + minutes) == 0);
  }
  CHECK(place.contact("east") == Contact::ok);
  CHECK(degraded());
  CHECK(renewed(10) == 7);
  CHECK_FALSE(degraded());
  wire::Report unwell = full_report(11);
  unwell.number = 2;
  unwell.degraded = true;
  place.put("r", kEast, unwell);
  place.read();
  place.put("r", kEast, beat(11));
  CHECK(degraded());  // by its own word, however young its look
}

TEST_CASE("who sends too much loses it, hears so once, and holds nobody up") {
  PortFixture place;
  place.port().limit_rate(100);
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  for (int i = 0; i < 5'000; ++i) place.put("s" + std::to_string(i % 7), kWest, beat(99));
  place.put("r", kEast, beat(11));
  int refused = 0;
  int welcomed = 0;
  int answered = 0;
  for (const auto& [to, answer] : place.read()) {
    const auto* refusal = std::get_if<wire::Refusal>(&answer);
    refused += refusal != nullptr && refusal->reason == Reason::over_rate ? 1 : 0;
    welcomed += std::holds_alternative<wire::Welcome>(answer) ? 1 : 0;
    answered += std::holds_alternative<wire::HeartbeatAnswer>(answer) && to == "r" ? 1 : 0;
  }
  CHECK(refused == 1);  // one key, however many connections
  CHECK(welcomed == PeerRates::kSavedLeast);
  CHECK(answered == 1);
  CHECK(place.port().over_rate() == 5'000 - static_cast<uint64_t>(PeerRates::kSavedLeast));
  CHECK(place.port().liveness().clusters["west"].dropped == 0);  // nobody has said that it is west
  for (int i = 0; i < 5'000; ++i) place.put("r", kEast, beat(11));
  place.read();
  CHECK(place.port().liveness().clusters["east"].dropped > 3'900);
}

TEST_CASE("an agent with a copied state is refused, with an alarm and a row of clusters") {
  PortFixture place;
  wire::Hello first = hello("east", 11);
  first.identity = {"3f0c", "boot", 11, 1};
  REQUIRE(place.say("r", kEast, first) == "taken");
  wire::Hello copy = hello("east", 12, 2);
  copy.identity = {"77ab", "boot", 12, 2};
  CHECK(place.say("s", kEast, copy) == "copied-state");
  CHECK(place.alarms == 1);
  copy.session = 13;
  copy.boot = 3;
  CHECK(place.say("s", kEast, copy) == "copied-state");
  CHECK(place.alarms == 1);
  CHECK(place.say("r", kEast, beat(11)) == "taken");
  place.say("r", kEast, full_report(11));
  const auto& refused = place.port().liveness().clusters["east"].refused;
  REQUIRE(refused);  // a good report does not hide it
  CHECK(refused->reason == Reason::copied_state);
}

namespace {

wire::Inventory inventory(uint64_t session, const std::string& host) {
  wire::HostFacts facts;
  facts.name = host;
  facts.slots = 1;
  return {session, {facts}};
}

}  // namespace

TEST_CASE("an agent that alternates inventories adds its rate to the record, and the newest wins") {
  PortFixture place;
  place.port().limit_record(1'000'000);
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  REQUIRE(place.say("w", kWest, hello("west", 21)) == "taken");
  const int before = place.stepped;
  for (int i = 0; i < 20'000; ++i) {
    place.put("r", kEast, inventory(11, i % 2 == 0 ? "a" : "b"));
    if (i % 100 == 0) place.read();
  }
  place.put("r", kEast, inventory(11, "newest"));
  place.put("r", kEast, report(11, 1, 7));
  place.read();
  CHECK(place.stepped - before < 5'000);
  CHECK(place.hosts("east") != std::vector<std::string>{"newest"});
  CHECK(place.pending("east") == 0);
  CHECK(place.contact("east") == Contact::ok);  // its messages come all the time
  const ClusterLiveness& live = place.port().liveness().clusters["east"];
  CHECK(live.late_since.has_value());
  const Instant next = place.port().next_late(place.now());
  REQUIRE(next != kNever);
  // Other clusters' messages are recorded at once.
  place.put("w", kWest, inventory(21, "of-west"));
  place.read();
  CHECK(place.hosts("west") == std::vector<std::string>{"of-west"});
  place.pass(next - place.now());
  place.read();
  CHECK(place.hosts("east") == std::vector<std::string>{"newest"});
  for (int turn = 0; turn < 3; ++turn) {
    const Instant then = place.port().next_late(place.now());
    if (then == kNever) break;
    place.pass(then - place.now() + 1);
    place.read();
  }
  CHECK(place.pending("east") == 7);
  CHECK(place.port().next_late(place.now()) == kNever);
  place.put("r", kEast, beat(11));
  place.pass(20'000);
  place.put("r", kEast, beat(11));
  for (int i = 0; i < 60; ++i) {
    place.pass(Budget::kSavedMs / 60);
    place.put("r", kEast, report(11, static_cast<uint64_t>(2 + i), 7));
    place.read();
  }
  CHECK_FALSE(place.port().liveness().clusters["east"].late_since.has_value());
}

TEST_CASE("an agent that greets without end is refused when its record is full") {
  PortFixture place;
  place.port().limit_record(1'000'000);
  std::string answer = "taken";
  uint64_t session = 100;
  for (int i = 0; i < 6'000 && answer == "taken"; ++i) {
    ++session;
    answer = place.say("r", kEast, hello("east", session, session));
  }
  CHECK(answer == "over-rate");
  CHECK(place.say("w", kWest, hello("west", 21)) == "taken");
  place.pass(60'000);
  CHECK(place.say("r", kEast, hello("east", session + 1, session + 1)) == "taken");
}

TEST_CASE("an agent that greets with long texts adds its rate to the record, and no more") {
  // Symptom: the texts of a hello counted for nothing, and 16 times its rate was recorded.
  PortFixture place;
  constexpr int64_t kRate = 3'600'000;  // a byte a millisecond
  place.port().limit_record(kRate);
  wire::Hello said = hello("east", 100);
  const std::string text(120, 'x');
  said.program_version = text;
  said.scheduling = {text, text, text, text, false};
  const int64_t before = place.logged;
  constexpr int64_t kEachMs = 100;
  int taken = 0;
  for (int64_t ms = 0; ms < 60 * 60'000; ms += kEachMs) {
    ++said.session;
    ++said.boot;
    taken += place.say("r", kEast, said) == "taken" ? 1 : 0;
    place.pass(kEachMs);
  }
  CHECK(taken > 100);
  const int64_t saved = kRate * Budget::kSavedMs / 3'600'000;
  CHECK(place.logged - before < saved + kRate + kRate / 20);
  CHECK(place.logged - before > kRate);
}

}  // namespace leasehold
