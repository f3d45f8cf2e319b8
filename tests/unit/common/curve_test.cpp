// Channels that speak CURVE: who is let in, whose key a message carries, what the refused learn.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string_view>
#include <thread>

#include "common/channel/channel.hpp"
#include "common/time/clock.hpp"
#include "tests/support/last_bound.hpp"

namespace leasehold {

namespace {

// A peer that is refused learns it at one of its tries, not at each: the other side may have broken
// off before its greeting is read, and later tries are 5 s apart.
using test::kLastBoundMs;
const KeyPair kBroker = new_key_pair();
const KeyPair kEast = new_key_pair();
const KeyPair kWest = new_key_pair();

Bytes bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

bool wait_one(Channel& channel, int64_t timeout_ms = kLastBoundMs) {
  const std::array<Channel*, 1> channels{&channel};
  return Channel::wait(channels, {}, timeout_ms);
}

/// Serves both until `done` says so; false: not within the time.
template <class Done>
bool serve_until(Channel& one, Channel& other, const Done& done,
                 int64_t timeout_ms = kLastBoundMs) {
  const std::array<Channel*, 2> channels{&one, &other};
  for (const int64_t until_ms = boottime_ms() + timeout_ms; boottime_ms() < until_ms;) {
    if (done()) return true;
    static_cast<void>(Channel::wait(channels, {}, 10));
  }
  return done();
}

Channel listening(std::unordered_set<std::string> admitted, const ChannelLimits& limits = {}) {
  return Channel::listen("tcp://127.0.0.1:*", limits, ListenKeys{kBroker, std::move(admitted)})
      .value();
}

Channel connected(const Channel& broker, const KeyPair& own,
                  const std::string& broker_key = kBroker.public_key) {
  return Channel::connect(broker.endpoint(), {}, ConnectKeys{own, broker_key}).value();
}

std::optional<Frame> next(Channel& channel, int64_t timeout_ms = kLastBoundMs) {
  std::optional<Frame> frame;
  for (const int64_t until_ms = boottime_ms() + timeout_ms; !frame && boottime_ms() < until_ms;) {
    static_cast<void>(wait_one(channel, 20));
    frame = channel.receive();
  }
  return frame;
}

int dial(const std::string& endpoint) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(fd >= 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  return fd;
}

}  // namespace

TEST_CASE("a message carries the key that its connection proved") {
  Channel broker = listening({kEast.public_key, kWest.public_key});
  Channel east = connected(broker, kEast);
  Channel west = connected(broker, kWest);
  REQUIRE(east.send("", bytes_of("from east")));
  const auto first = next(broker);
  REQUIRE(first);
  CHECK(first->bytes == bytes_of("from east"));
  CHECK(first->key == kEast.public_key);
  REQUIRE(west.send("", bytes_of("from west")));
  const auto second = next(broker);
  REQUIRE(second);
  CHECK(second->key == kWest.public_key);
  REQUIRE(broker.send(first->peer, bytes_of("to east")));
  CHECK(next(east)->bytes == bytes_of("to east"));
  CHECK(east.handshake() == Handshake::done);
}

TEST_CASE("a key that is not admitted is refused, learns it, and nothing of it comes in") {
  Channel broker = listening({kEast.public_key});
  Channel stranger = connected(broker, kWest);
  REQUIRE(stranger.send("", bytes_of("let me in")));
  const auto refused = [&] { return stranger.handshake() == Handshake::key_refused; };
  CHECK(serve_until(broker, stranger, refused));
  CHECK(broker.unknown_keys() == 1);
  CHECK_FALSE(broker.receive());
  Channel east = connected(broker, kEast);
  REQUIRE(east.send("", bytes_of("fine")));
  CHECK(next(broker)->bytes == bytes_of("fine"));
}

TEST_CASE("a channel that is given up while it is refused stops no other of the process") {
  Channel broker = listening({kEast.public_key});
  std::atomic<bool> over = false;
  std::thread serving([&] {
    while (!over) static_cast<void>(wait_one(broker, 5));
  });
  Channel east = connected(broker, kEast);  // keeps the context of all that connect
  ChannelLimits lingering;
  lingering.linger_ms = 50;
  for (int i = 0; i < 300; ++i) {
    // Wrong key of the broker: the connection ends in the handshake, again and again.
    Channel refused =
        Channel::connect(broker.endpoint(), lingering, ConnectKeys{kEast, kWest.public_key})
            .value();
    static_cast<void>(refused.send("", bytes_of("never said")));
    if (i % 4 != 0) std::this_thread::sleep_for(std::chrono::microseconds(i * 17 % 3000));
  }
  REQUIRE(east.send("", bytes_of("still here")));
  over = true;
  serving.join();
  const auto received = next(broker);
  REQUIRE(received);
  CHECK(received->bytes == bytes_of("still here"));
}

TEST_CASE("a plain peer is refused where CURVE is spoken, and learns it") {
  Channel broker = listening({kEast.public_key});
  Channel plain = Channel::connect(broker.endpoint()).value();
  REQUIRE(plain.send("", bytes_of("in the clear")));
  const auto refused = [&] { return plain.handshake() == Handshake::other_security; };
  CHECK(serve_until(broker, plain, refused));
  CHECK_FALSE(broker.receive());
}

TEST_CASE("a peer with keys does not speak to a plain one") {
  Channel plain = Channel::listen("tcp://127.0.0.1:*").value();
  Channel east = connected(plain, kEast);
  REQUIRE(east.send("", bytes_of("secret")));
  const auto refused = [&] { return east.handshake() == Handshake::other_security; };
  CHECK(serve_until(plain, east, refused));
  CHECK_FALSE(plain.receive());
}

TEST_CASE("a broker that cannot prove its key is told nothing") {
  Channel impostor = listening({kEast.public_key});
  Channel east = connected(impostor, kEast, kWest.public_key);  // expects another broker's key
  REQUIRE(east.send("", bytes_of("secret")));
  const auto refused = [&] { return east.handshake() == Handshake::broken_off; };
  CHECK(serve_until(impostor, east, refused));
  CHECK_FALSE(impostor.receive());
}

TEST_CASE("who is admitted can be changed while others go on") {
  Channel broker = listening({kEast.public_key, kWest.public_key});
  Channel east = connected(broker, kEast);
  Channel west = connected(broker, kWest);
  REQUIRE(east.send("", bytes_of("e")));
  REQUIRE(next(broker));
  REQUIRE(west.send("", bytes_of("w")));
  REQUIRE(next(broker));
  broker.admit({kEast.public_key});
  const auto refused = [&] { return west.handshake() == Handshake::key_refused; };
  CHECK(serve_until(broker, west, refused));  // sent away, came again, was refused
  REQUIRE(east.send("", bytes_of("still here")));
  CHECK(next(broker)->key == kEast.public_key);
  broker.admit({kEast.public_key, kWest.public_key});
  Channel again = connected(broker, kWest);
  REQUIRE(again.send("", bytes_of("back")));
  CHECK(next(broker)->key == kWest.public_key);
}

TEST_CASE("a listening channel takes another key of its own without another port") {
  Channel broker = listening({kEast.public_key});
  Channel east = connected(broker, kEast);
  REQUIRE(east.send("", bytes_of("before")));
  REQUIRE(next(broker));
  const std::string endpoint = broker.endpoint();
  const KeyPair fresh = new_key_pair();
  for (int round = 0; round < 3; ++round) REQUIRE(broker.rekey(round == 1 ? kBroker : fresh));
  CHECK(broker.endpoint() == endpoint);
  Channel old = connected(broker, kEast, kBroker.public_key);
  Channel knowing = connected(broker, kEast, fresh.public_key);
  REQUIRE(knowing.send("", bytes_of("after")));
  CHECK(next(broker)->bytes == bytes_of("after"));
  CHECK(serve_until(broker, old, [&] { return old.handshake() == Handshake::broken_off; }));
}

TEST_CASE("connections that say nothing keep nobody out") {
  ChannelLimits limits;
  limits.connections_max = 8;
  Channel broker = listening({kEast.public_key, kWest.public_key}, limits);
  Channel east = connected(broker, kEast);
  REQUIRE(east.send("", bytes_of("first")));
  REQUIRE(next(broker));
  std::vector<int> silent;
  for (int i = 0; i < 400; ++i) {
    silent.push_back(dial(broker.endpoint()));
    if (i % 20 == 0) static_cast<void>(wait_one(broker, 1));
  }
  Channel west = connected(broker, kWest);
  REQUIRE(west.send("", bytes_of("second")));
  const auto second = next(broker);
  REQUIRE(second);
  CHECK(second->key == kWest.public_key);
  const auto few = [&] { return broker.connections() <= 8 + 64; };
  CHECK(serve_until(broker, west, few));
  REQUIRE(east.send("", bytes_of("still here")));
  CHECK(next(broker)->key == kEast.public_key);
  CHECK(broker.turned_away() > 300);
  for (const int fd : silent) close(fd);
}

TEST_CASE("one key holds only so many connections, and the newest of them works") {
  Channel broker = listening({kEast.public_key, kWest.public_key});
  std::vector<std::unique_ptr<Channel>> many;
  // Two more than may: who was sent away comes again at once, for ever, and sends another one away.
  for (int i = 0; i < 18; ++i) {
    many.push_back(std::make_unique<Channel>(connected(broker, kEast)));
    REQUIRE(many.back()->send("", bytes_of("x")));
    REQUIRE(next(broker));
  }
  Channel& newest = *many.back();
  REQUIRE(newest.send("", bytes_of("newest")));
  CHECK(next(broker));
  const auto few = [&] { return broker.connections() <= 17; };
  CHECK(serve_until(broker, newest, few));  // each connection that ended is reported a moment later
  CHECK(broker.turned_away() >= 2);
}

TEST_CASE("a flood of one peer delays another by one message at the most") {
  // A message is behind those of the flood that were read on its way, and those that delay it: the
  // fewest of all tries are no less than the latter.
  constexpr int kFlood = 5'000;
  Channel broker = listening({kEast.public_key, kWest.public_key});
  Channel loud = connected(broker, kWest);
  Channel east = connected(broker, kEast);
  REQUIRE(east.send("", bytes_of("hello")));
  REQUIRE(next(broker));
  for (int i = 0; i < kFlood; ++i) REQUIRE(loud.send("", Bytes(200, 7)));
  REQUIRE(next(broker)->key == kWest.public_key);
  int fewest = kFlood;
  for (int read = 0; fewest > 2 && read < kFlood / 2;) {
    REQUIRE(east.send("", bytes_of("quiet")));
    const int sent_after = read;
    while (next(broker).value().key != kEast.public_key) {
      ++read;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    fewest = std::min(fewest, read - sent_after);
  }
  CHECK(fewest <= 2);
}

TEST_CASE("newcomers are let in while a flood leaves no moment without input") {
  Channel broker = listening({kEast.public_key, kWest.public_key});
  Channel loud = connected(broker, kWest);
  std::atomic<bool> over = false;
  std::thread flooding([&] {
    while (!over) loud.send("", Bytes(100, 7));
  });
  while (!next(broker)) {
  }
  Channel east = connected(broker, kEast);
  REQUIRE(east.send("", bytes_of("quiet")));
  bool received = false;
  const int64_t until_ms = boottime_ms() + kLastBoundMs;
  Frame frame;
  while (!received && boottime_ms() < until_ms) {  // never reads all that is there
    static_cast<void>(wait_one(broker));
    for (int i = 0; i < 3 && !received && broker.receive_into(frame); ++i) {
      received = frame.key == kEast.public_key;
    }
  }
  over = true;
  flooding.join();
  CHECK(received);
}

}  // namespace leasehold
