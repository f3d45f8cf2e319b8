// Peers that choose the name that ZeroMQ routes by. A ROUTER numbers those that choose none, and
// aborts the process where its next number is a name that somebody chose.
#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "common/channel/channel.hpp"
#include "tests/support/last_bound.hpp"

namespace leasehold {

namespace {

using test::kLastBoundMs;

std::optional<Frame> next(Channel& channel) {
  const std::array<Channel*, 1> channels{&channel};
  std::optional<Frame> frame;
  while (!frame && Channel::wait(channels, {}, kLastBoundMs)) frame = channel.receive();
  return frame;
}

/// A bare ZeroMQ peer, which may call itself anything.
struct Peer {
  Peer(zmq::context_t& context, const Channel& broker, const std::string& name,
       const std::optional<ConnectKeys>& keys = std::nullopt)
      : socket(context, ZMQ_DEALER) {
    socket.set(zmq::sockopt::linger, 0);
    if (!name.empty()) socket.set(zmq::sockopt::routing_id, name);
    if (keys) {
      socket.set(zmq::sockopt::curve_serverkey, keys->broker_public_key);
      socket.set(zmq::sockopt::curve_publickey, keys->own.public_key);
      socket.set(zmq::sockopt::curve_secretkey, keys->own.secret_key);
    }
    socket.connect(broker.endpoint());
  }

  /// Sends a message and returns the name by which the broker knows this peer.
  std::string speak(Channel& broker) {
    socket.send(zmq::str_buffer("knock"), zmq::send_flags::none);
    const std::optional<Frame> received = next(broker);
    REQUIRE(received);
    return received->peer;
  }

  zmq::socket_t socket;
};

/// The router's own number, so many further on.
std::string later(const std::string& name, uint32_t steps) {
  REQUIRE(name.size() == 5);
  uint32_t number = 0;
  for (size_t i = 1; i < 5; ++i) number = number << 8U | static_cast<uint8_t>(name[i]);
  number += steps;
  std::string made(5, '\0');
  for (size_t i = 4; i > 0; --i, number >>= 8U) made[i] = static_cast<char>(number & 0xffU);
  return made;
}

/// Forty names ahead of the router's numbers are taken; then the numbers come.
void take_numbers(Channel& broker, const std::optional<ConnectKeys>& keys) {
  zmq::context_t context;
  Peer first(context, broker, "", keys);
  const std::string number = first.speak(broker);
  std::vector<std::unique_ptr<Peer>> peers;
  for (uint32_t i = 2; i <= 40; ++i) {
    peers.push_back(std::make_unique<Peer>(context, broker, later(number, i), keys));
    peers.back()->speak(broker);
  }
  for (int i = 0; i < 45; ++i) {
    peers.push_back(std::make_unique<Peer>(context, broker, "", keys));
    peers.back()->speak(broker);
  }
}

}  // namespace

TEST_CASE("a peer that calls itself what the router's next number will be ends nothing") {
  Channel broker = Channel::listen("tcp://127.0.0.1:*").value();
  take_numbers(broker, std::nullopt);
}

TEST_CASE("nor does one with a key that is admitted, before and after the broker takes another") {
  ListenKeys keys{new_key_pair(), {}};
  const KeyPair own = new_key_pair();
  keys.admitted = {own.public_key};
  ChannelLimits limits;
  limits.connections_per_key_max = 200;
  Channel broker = Channel::listen("tcp://127.0.0.1:*", limits, keys).value();
  take_numbers(broker, ConnectKeys{own, keys.own.public_key});
  const KeyPair second = new_key_pair();
  REQUIRE(broker.rekey(second));
  take_numbers(broker, ConnectKeys{own, second.public_key});
}

TEST_CASE("a peer that calls itself like another takes nothing from it, and is heard") {
  Channel broker = Channel::listen("tcp://127.0.0.1:*").value();
  zmq::context_t context;
  for (const std::string& name :
       {std::string("agent"), std::string(255, 'x'), std::string("\0", 1)}) {
    Peer first(context, broker, name);
    const std::string route = first.speak(broker);
    Peer second(context, broker, name);
    CHECK(second.speak(broker) != route);
    Peer third(context, broker, route);
    CHECK(third.speak(broker) != route);
    const std::array<uint8_t, 1> answer{'x'};
    REQUIRE(broker.send(route, answer));
    zmq::message_t got;
    first.socket.set(zmq::sockopt::rcvtimeo, static_cast<int>(kLastBoundMs));
    CHECK(first.socket.recv(got));
    CHECK(got.to_string() == "x");
  }
}

}  // namespace leasehold
