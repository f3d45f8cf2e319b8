// An agent's connection to the broker whose turn it is. Brokers are channels on loopback; the
// agent's clock is the test's. Which broker has its turn and how long: broker_turns_test.cpp.
#include "agent/io/broker/broker_connection.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>

#include "common/wire/codec.hpp"

namespace leasehold::agent {
namespace {

constexpr int64_t kSilenceMs = 15'000;
/// No session, of several brokers on one database.
constexpr SessionStatus kLed{false, INT64_MIN, 5'000};

Channel broker() {
  return Channel::listen("tcp://127.0.0.1:*").value();
}

BrokerConnection line_to(const std::vector<std::string>& brokers) {
  BrokerConnection line({"east", brokers, std::nullopt, {}}, kSilenceMs);
  REQUIRE(line.connect(0).has_value());
  return line;
}

/// Takes turns at `now_ms` until the line's handshake is `wanted`. A broker that is there,
/// `serving`, lets it in.
bool turns_until(Handshake wanted, BrokerConnection& line, Channel* serving, bool open,
                 int64_t now_ms) {
  for (int tries = 0; tries < 500; ++tries) {
    std::vector<Channel*> channels{line.channel()};
    if (serving != nullptr) channels.push_back(serving);
    Channel::wait(channels, {}, 10);
    REQUIRE(line.take_turns(SessionStatus{open}, now_ms).has_value());
    if (line.channel()->handshake() == wanted) return true;
  }
  return false;
}

bool connects(BrokerConnection& line, Channel& to, int64_t now_ms = 0) {
  return turns_until(Handshake::done, line, &to, false, now_ms);
}

bool is_lost(BrokerConnection& line, int64_t now_ms) {
  return turns_until(Handshake::none, line, nullptr, true, now_ms);
}

/// The broker answers something that the line has sent.
void answer(Channel& from, BrokerConnection& line, int64_t now_ms = 0) {
  line.send(wire::Heartbeat{}, now_ms);
  const std::array<Channel*, 1> channels{&from};
  std::optional<Frame> asked;
  while (!asked && Channel::wait(channels, {}, 5'000)) asked = from.receive();
  REQUIRE(asked);
  REQUIRE(from.send(asked->peer, asked->bytes));
  const std::array<Channel*, 1> lines{line.channel()};
  Frame frame;
  bool received = false;
  while (!received && Channel::wait(lines, {}, 5'000)) received = line.receive(frame, now_ms);
  REQUIRE(received);
}

bool is_with(BrokerConnection& line, const Channel& broker) {
  return line.channel()->endpoint() == broker.endpoint();
}

TEST_CASE("an agent with an open session goes on to the next broker when its own has ended") {
  // Symptom: after a broker had moved to another machine, agents that had been connected to the old
  // one until its end never called at the new one.
  std::optional<Channel> old = broker();
  Channel next = broker();
  BrokerConnection line = line_to({old->endpoint(), next.endpoint()});
  REQUIRE(connects(line, *old));
  const std::string gone = old->endpoint();
  old.reset();
  REQUIRE(is_lost(line, 500));
  REQUIRE(line.take_turns(SessionStatus{true}, 3'499).has_value());
  CHECK(line.channel()->endpoint() == gone);  // it may only be starting again
  CHECK(line.next_ms() == 3'500);
  REQUIRE(line.take_turns(SessionStatus{true}, 3'500).has_value());
  CHECK(is_with(line, next));
  CHECK(connects(line, next, 3'500));
}

TEST_CASE("a broker that says nothing any more is left for the next, one that answers is not") {
  Channel silent = broker();
  Channel next = broker();
  BrokerConnection line = line_to({silent.endpoint(), next.endpoint()});
  REQUIRE(connects(line, silent));
  answer(silent, line);
  REQUIRE(line.take_turns(SessionStatus{true}, 9'000).has_value());
  answer(silent, line);
  REQUIRE(line.take_turns(SessionStatus{true}, 20'000).has_value());
  REQUIRE(line.take_turns(SessionStatus{true}, 20'000 + kSilenceMs - 1).has_value());
  CHECK(is_with(line, silent));
  REQUIRE(line.take_turns(SessionStatus{true}, 20'000 + kSilenceMs).has_value());
  CHECK(is_with(line, next));
}

/// Takes connections and says nothing, as the machine of a broker that is stopped does.
class Stopped {
 public:
  explicit Stopped(const std::string& endpoint)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const std::string port = endpoint.substr(endpoint.rfind(':') + 1);
    address.sin_port = htons(static_cast<uint16_t>(std::stoi(port)));
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    REQUIRE(::bind(socket_, generic, sizeof address) == 0);
    REQUIRE(::listen(socket_, 64) == 0);
  }
  ~Stopped() { ::close(socket_); }
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;

 private:
  int socket_;
};

bool is_under_way(BrokerConnection& line, int64_t now_ms) {
  return turns_until(Handshake::under_way, line, nullptr, false, now_ms);
}

TEST_CASE("a handshake that is under way is not broken off after a second where none was made") {
  std::optional<Channel> gone = broker();
  Channel next = broker();
  const std::string endpoint = gone->endpoint();
  gone.reset();
  const Stopped slow(endpoint);
  BrokerConnection line = line_to({endpoint, next.endpoint()});
  REQUIRE(is_under_way(line, 0));
  CHECK_FALSE(line.take_turns(kLed, 2'999).value());
  CHECK(line.take_turns(kLed, 3'000).value());
}

TEST_CASE("where nobody answers the next broker is asked, not the same one by another key") {
  const KeyPair own = new_key_pair();
  std::optional<Channel> gone = broker();
  Channel next = broker();
  const std::string endpoint = gone->endpoint();
  gone.reset();
  const Stopped stopped(endpoint);
  BrokerConnection line({"east",
                         {endpoint, next.endpoint()},
                         own,
                         {new_key_pair().public_key, new_key_pair().public_key}},
                        kSilenceMs);
  REQUIRE(line.connect(0).has_value());
  REQUIRE(is_under_way(line, 0));
  CHECK(line.take_turns(kLed, 3'000).value());
  CHECK(is_with(line, next));
}

TEST_CASE("the only broker is waited for however long it is away") {
  std::optional<Channel> only = broker();
  BrokerConnection line = line_to({only->endpoint()});
  REQUIRE(connects(line, *only));
  Channel* const before = line.channel();
  const std::string endpoint = only->endpoint();
  only.reset();
  REQUIRE(is_lost(line, 500));
  CHECK(line.next_ms() == INT64_MAX);
  REQUIRE(line.take_turns(SessionStatus{true}, 10'000'000).has_value());
  CHECK(line.channel() == before);
  CHECK(line.channel()->endpoint() == endpoint);
}

}  // namespace
}  // namespace leasehold::agent
