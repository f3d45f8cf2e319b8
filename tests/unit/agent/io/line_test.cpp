// Which broker of its list an agent speaks with. Brokers are channels on loopback; the agent's
// clock is the test's.
#include "agent/io/line.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "common/wire/codec.hpp"

namespace leasehold::agent {
namespace {

constexpr int64_t kSilenceMs = 15'000;

Channel broker() {
  return Channel::listen("tcp://127.0.0.1:*").value();
}

Line line_to(const std::vector<std::string>& brokers) {
  Line line({"east", brokers, std::nullopt, {}}, kSilenceMs);
  REQUIRE(line.connect(0).has_value());
  return line;
}

/// Takes turns at `now_ms` until the line's handshake is `wanted`. A broker that is there,
/// `serving`, lets it in.
bool turns_until(Handshake wanted, Line& line, Channel* serving, bool open, int64_t now_ms) {
  for (int tries = 0; tries < 500; ++tries) {
    std::vector<Channel*> channels{line.channel()};
    if (serving != nullptr) channels.push_back(serving);
    Channel::wait(channels, {}, 10);
    REQUIRE(line.take_turns(open, now_ms).has_value());
    if (line.channel()->handshake() == wanted) return true;
  }
  return false;
}

bool connects(Line& line, Channel& to, int64_t now_ms = 0) {
  return turns_until(Handshake::done, line, &to, false, now_ms);
}

bool is_lost(Line& line, int64_t now_ms) {
  return turns_until(Handshake::none, line, nullptr, true, now_ms);
}

/// The broker answers something that the line has sent.
void answer(Channel& from, Line& line) {
  line.send(wire::Heartbeat{});
  const std::array<Channel*, 1> channels{&from};
  std::optional<Frame> asked;
  while (!asked && Channel::wait(channels, {}, 5'000)) asked = from.receive();
  REQUIRE(asked);
  REQUIRE(from.send(asked->peer, asked->bytes));
  const std::array<Channel*, 1> lines{line.channel()};
  Frame frame;
  bool received = false;
  while (!received && Channel::wait(lines, {}, 5'000)) received = line.receive(frame);
  REQUIRE(received);
}

bool is_with(Line& line, const Channel& broker) {
  return line.channel()->endpoint() == broker.endpoint();
}

TEST_CASE("an agent with an open session goes on to the next broker when its own has ended") {
  // Symptom: after a broker had moved to another machine, agents that had been connected to the old
  // one until its end never called at the new one.
  std::optional<Channel> old = broker();
  Channel next = broker();
  Line line = line_to({old->endpoint(), next.endpoint()});
  REQUIRE(connects(line, *old));
  const std::string gone = old->endpoint();
  old.reset();
  REQUIRE(is_lost(line, 500));
  REQUIRE(line.take_turns(true, 3'499).has_value());
  CHECK(line.channel()->endpoint() == gone);  // it may only be starting again
  CHECK(line.next_ms() == 3'500);
  REQUIRE(line.take_turns(true, 3'500).has_value());
  CHECK(is_with(line, next));
  CHECK(connects(line, next, 3'500));
}

TEST_CASE("a broker that was gone before the agent came is passed by, whatever session is open") {
  Channel next = broker();
  std::optional<Channel> old = broker();
  const std::string gone = old->endpoint();
  old.reset();
  Line line = line_to({gone, next.endpoint()});
  REQUIRE(line.take_turns(true, 2'999).has_value());
  CHECK(line.channel()->endpoint() == gone);
  REQUIRE(line.take_turns(true, 3'000).has_value());
  CHECK(is_with(line, next));
}

TEST_CASE("a broker that says nothing any more is left for the next, one that answers is not") {
  Channel silent = broker();
  Channel next = broker();
  Line line = line_to({silent.endpoint(), next.endpoint()});
  REQUIRE(connects(line, silent));
  answer(silent, line);
  REQUIRE(line.take_turns(true, 9'000).has_value());
  answer(silent, line);
  REQUIRE(line.take_turns(true, 20'000).has_value());
  REQUIRE(line.take_turns(true, 20'000 + kSilenceMs - 1).has_value());
  CHECK(is_with(line, silent));
  REQUIRE(line.take_turns(true, 20'000 + kSilenceMs).has_value());
  CHECK(is_with(line, next));
}

TEST_CASE("answers that open no session keep an agent nowhere") {
  Channel refuses = broker();
  Channel next = broker();
  Line line = line_to({refuses.endpoint(), next.endpoint()});
  REQUIRE(connects(line, refuses));
  answer(refuses, line);
  REQUIRE(line.take_turns(false, kSilenceMs).has_value());
  CHECK(is_with(line, next));
}

TEST_CASE("the only broker is waited for however long it is away") {
  std::optional<Channel> only = broker();
  Line line = line_to({only->endpoint()});
  REQUIRE(connects(line, *only));
  Channel* const before = line.channel();
  const std::string endpoint = only->endpoint();
  only.reset();
  REQUIRE(is_lost(line, 500));
  CHECK(line.next_ms() == INT64_MAX);
  REQUIRE(line.take_turns(true, 10'000'000).has_value());
  CHECK(line.channel() == before);
  CHECK(line.channel()->endpoint() == endpoint);
}

}  // namespace
}  // namespace leasehold::agent
