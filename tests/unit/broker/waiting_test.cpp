// Waiting: which messages wait when a peer has used up its share of the loop's time, and which are
// dropped.
#include "broker/ports/agents/limits/waiting.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/broker/port_fixture.hpp"

using namespace leasehold;
using namespace leasehold::port_fixture;

namespace {

using wire::MessageType;

Frame frame(const std::string& route, uint8_t mark, size_t bytes = 1'000) {
  return {route, Bytes(bytes, mark), ""};
}

/// The marks of the waiting messages, in the order in which they are taken.
std::string marks_of(Waiting& waiting) {
  std::string marks;
  while (!waiting.empty()) marks += static_cast<char>(waiting.take().bytes.front());
  return marks;
}

/// East's agent, whose every message takes so much of the loop's time as the test says.
struct Busy {
  Busy() {
    place.port().measure_by([this] { return clock_us += cost_us; });
    REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
    REQUIRE(place.say("w", kWest, hello("west", 21)) == "taken");
    cost_us = 2'000'000;  // ten seconds of its share
    REQUIRE(place.say("r", kEast, report(11, 1, 1)) == "taken");
    cost_us = 0;
  }
  bool waits() { return place.port().liveness().clusters["east"].waits_since.has_value(); }
  PortFixture place;
  int64_t clock_us = 0;
  int64_t cost_us = 0;
};

}  // namespace

TEST_CASE("what waits is taken in its order") {
  Waiting waiting;
  CHECK(waiting.put(frame("r", 'a'), MessageType::report) == 0);
  CHECK(waiting.put(frame("r", 'b'), MessageType::state) == 0);
  CHECK(waiting.put(frame("r", 'c'), MessageType::report) == 0);
  CHECK(marks_of(waiting) == "abc");
}

TEST_CASE("without room the oldest report is dropped first, and no state while a report is there") {
  Waiting waiting(5 * 1'256);
  for (const char mark : {'s', 'S'}) waiting.put(frame("r", mark), MessageType::state);
  for (const char mark : {'a', 'b', 'c'}) waiting.put(frame("r", mark), MessageType::report);
  CHECK(waiting.put(frame("r", 'd'), MessageType::report) == 1);
  CHECK(waiting.put(frame("r", 't'), MessageType::state) == 1);
  CHECK(waiting.put(frame("r", 'i'), MessageType::inventory) == 1);
  CHECK(marks_of(waiting) == "sSdti");
  waiting.put(frame("r", 'x', 9'000), MessageType::report);
  CHECK(marks_of(waiting) == "x");  // larger than all the room
}

TEST_CASE("an inventory, which is not asked for again, stays longest") {
  Waiting waiting(3 * 1'256);
  waiting.put(frame("r", 'i'), MessageType::inventory);
  for (const char mark : {'s', 'S'}) waiting.put(frame("r", mark), MessageType::state);
  CHECK(waiting.put(frame("r", 't'), MessageType::state) == 1);
  CHECK(marks_of(waiting) == "iSt");
}

TEST_CASE("a newer inventory takes the place of the one that waits, and of what was said by it") {
  Waiting waiting;
  waiting.put(frame("r", 'a'), MessageType::report);
  waiting.put(frame("r", 'i'), MessageType::inventory);
  waiting.put(frame("r", 'b'), MessageType::report);
  waiting.put(frame("r", 's'), MessageType::state);
  CHECK(waiting.put(frame("r", 'j'), MessageType::inventory) == 2);
  waiting.put(frame("r", 'c'), MessageType::report);
  CHECK(marks_of(waiting) == "asjc");
}

TEST_CASE("a hello waits for its own connection alone") {
  Waiting waiting;
  waiting.put(frame("r", 'h'), MessageType::hello);
  CHECK(waiting.greets("r"));
  CHECK_FALSE(waiting.greets("other"));
  CHECK(waiting.put(frame("other", 'g'), MessageType::hello) == 0);
  CHECK(waiting.put(frame("r", 'k'), MessageType::hello) == 1);
  CHECK(marks_of(waiting) == "gk");
}

TEST_CASE("one agent that costs the loop seconds holds nobody else up") {
  Busy busy;
  PortFixture& place = busy.place;
  place.put("r", kEast, report(11, 2, 7));
  place.put("w", kWest, report(21, 1, 5));
  place.read();
  CHECK(place.pending("east") == 1);
  CHECK(place.pending("west") == 5);
  CHECK(busy.waits());
  const Instant next = place.port().next_late(place.now());
  REQUIRE(next != kNever);
  CHECK(next - place.now() > 1'000);
  place.pass(next - place.now());
  place.read();
  CHECK(place.pending("east") == 7);
  CHECK(place.port().next_late(place.now()) == kNever);
  place.pass(60'000);
  place.read();
  CHECK_FALSE(busy.waits());
}

TEST_CASE("an agent whose reports wait is heard, and is not asked for what it said") {
  Busy busy;
  PortFixture& place = busy.place;
  place.put("r", kEast, report(11, 2, 7));
  wire::Heartbeat said = beat(11);
  said.report = 2;
  place.put("r", kEast, said);
  const auto answers = place.read();
  REQUIRE(answers.size() == 1);
  const auto& answer = std::get<wire::HeartbeatAnswer>(answers[0].second);
  CHECK(answer.number == 1);
  CHECK_FALSE(answer.resync);
  CHECK(place.contact("east") == Contact::ok);
}

TEST_CASE("a state that waits is read when there is time again, whatever reports were dropped") {
  Busy busy;
  PortFixture& place = busy.place;
  wire::State state;
  state.session = 11;
  state.number = 1;
  state.configuration = 1;
  place.put("r", kEast, state);
  wire::Report large = report(11, 2, 0);
  large.hosts.resize(400'000);
  for (uint32_t h = 0; h < large.hosts.size(); ++h) large.hosts[h].host = h;
  for (int i = 0; i < 40; ++i) {
    ++large.number;
    place.put("r", kEast, large);
  }
  place.read();
  CHECK(place.port().liveness().clusters["east"].waiting_dropped > 0);
  state.number = 1;  // the same again: refused, if the first was read
  place.put("r", kEast, state);
  bool known = false;
  for (int turn = 0; turn < 5 && !known; ++turn) {
    place.pass(20'000);
    for (const auto& [to, answer] : place.read()) {
      const auto* refused = std::get_if<wire::Refusal>(&answer);
      known = known || (refused != nullptr && refused->message.find("older") != std::string::npos);
    }
  }
  CHECK(known);
}
