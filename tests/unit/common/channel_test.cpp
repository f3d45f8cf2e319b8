// Channels over loopback, and against peers that are no channels.
#include "common/channel/channel.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string_view>
#include <thread>
#include <zmq.hpp>

#include "common/time/clock.hpp"
#include "tests/support/last_bound.hpp"

namespace leasehold {

namespace {

constexpr const char* kAnyPort = "tcp://127.0.0.1:*";
using test::kLastBoundMs;

Bytes bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

bool wait_one(Channel& channel, int64_t timeout_ms = kLastBoundMs) {
  const std::array<Channel*, 1> channels{&channel};
  return Channel::wait(channels, {}, timeout_ms);
}

Frame next(Channel& channel) {
  std::optional<Frame> frame;
  while (!frame && wait_one(channel)) frame = channel.receive();  // what woke it may be dropped
  REQUIRE(frame);
  return *frame;
}

/// Sends until the channel takes it no more, or `most` times; how often it was taken.
int send_until_refused(Channel& channel, const std::string& peer, const Bytes& bytes, int most) {
  int taken = 0;
  while (taken < most && channel.send(peer, bytes)) ++taken;
  return taken;
}

TEST_CASE("a message goes there and an answer comes back to its sender") {
  Channel broker = Channel::listen(kAnyPort).value();
  CHECK_THAT(broker.endpoint(), Catch::StartsWith("tcp://127.0.0.1:"));
  CHECK_THAT(broker.endpoint(), !Catch::Contains("*"));
  Channel east = Channel::connect(broker.endpoint()).value();
  Channel west = Channel::connect(broker.endpoint()).value();

  REQUIRE(east.send("", bytes_of("from east")));
  const Frame first = next(broker);
  CHECK(first.bytes == bytes_of("from east"));
  CHECK_FALSE(first.peer.empty());
  REQUIRE(west.send("", bytes_of("from west")));
  const Frame second = next(broker);
  CHECK(second.bytes == bytes_of("from west"));
  CHECK(second.peer != first.peer);

  REQUIRE(broker.send(first.peer, bytes_of("to east")));
  REQUIRE(broker.send(second.peer, {}));
  const Frame answer = next(east);
  CHECK(answer.bytes == bytes_of("to east"));
  CHECK(answer.peer.empty());
  CHECK(next(west).bytes.empty());
  CHECK_FALSE(east.receive());
  CHECK_FALSE(broker.receive());
}

TEST_CASE("a frame is reused without leftovers") {
  Channel broker = Channel::listen(kAnyPort).value();
  Channel agent = Channel::connect(broker.endpoint()).value();
  REQUIRE(agent.send("", bytes_of("long message")));
  REQUIRE(agent.send("", bytes_of("short")));
  Frame frame;
  REQUIRE(wait_one(broker));
  REQUIRE(broker.receive_into(frame));
  CHECK(frame.bytes == bytes_of("long message"));
  REQUIRE(wait_one(broker));
  REQUIRE(broker.receive_into(frame));
  CHECK(frame.bytes == bytes_of("short"));
  CHECK_FALSE(broker.receive_into(frame));
}

TEST_CASE("sending to a peer that is gone or was never there says false") {
  Channel broker = Channel::listen(kAnyPort).value();
  CHECK_FALSE(broker.send("nobody", bytes_of("x")));
  CHECK_FALSE(broker.send("", bytes_of("x")));
  std::string peer;
  {
    Channel agent = Channel::connect(broker.endpoint()).value();
    REQUIRE(agent.send("", bytes_of("x")));
    peer = next(broker).peer;
    REQUIRE(broker.send(peer, bytes_of("still there")));
  }
  const int64_t until_ms = boottime_ms() + kLastBoundMs;
  while (broker.send(peer, bytes_of("gone?")) && boottime_ms() < until_ms) {
    static_cast<void>(wait_one(broker, 10));
  }
  CHECK_FALSE(broker.send(peer, bytes_of("gone")));
}

TEST_CASE("a full queue refuses and never blocks") {
  ChannelLimits limits;
  limits.queue_messages_max = 10;
  Channel broker = Channel::listen(kAnyPort, limits).value();
  Channel agent = Channel::connect(broker.endpoint(), limits).value();
  REQUIRE(agent.send("", bytes_of("hello")));
  const std::string peer = next(broker).peer;
  const Bytes large(1 << 20, 7);
  const int64_t before_ms = boottime_ms();
  CHECK(send_until_refused(broker, peer, large, 1'000) < 1'000);
  CHECK(send_until_refused(agent, "", large, 1'000) < 1'000);
  CHECK(boottime_ms() - before_ms < 20'000);
}

TEST_CASE("what is sent while away is kept or refused, as chosen") {
  Channel broker = Channel::listen(kAnyPort).value();
  const std::string endpoint = broker.endpoint();
  { const Channel closed = std::move(broker); }
  ChannelLimits only_connected;
  only_connected.keep_while_away = false;
  Channel keeping = Channel::connect(endpoint).value();
  Channel refusing = Channel::connect(endpoint, only_connected).value();
  CHECK(keeping.send("", bytes_of("kept")));
  CHECK_FALSE(refusing.send("", bytes_of("refused")));

  Channel again = Channel::listen(endpoint).value();
  CHECK(next(again).bytes == bytes_of("kept"));
  const int64_t until_ms = boottime_ms() + kLastBoundMs;
  bool sent = false;
  while (!sent && boottime_ms() < until_ms) {
    static_cast<void>(wait_one(again, 10));  // lets it in
    sent = refusing.send("", bytes_of("now"));
  }
  REQUIRE(sent);
  CHECK(next(again).bytes == bytes_of("now"));
}

TEST_CASE("messages of other than one part are dropped and counted") {
  Channel broker = Channel::listen(kAnyPort).value();
  zmq::context_t context(1);
  zmq::socket_t stranger(context, zmq::socket_type::dealer);
  stranger.set(zmq::sockopt::linger, 0);
  stranger.connect(broker.endpoint());
  stranger.send(zmq::str_buffer("one"), zmq::send_flags::sndmore);
  stranger.send(zmq::str_buffer("two"), zmq::send_flags::sndmore);
  stranger.send(zmq::str_buffer("three"), zmq::send_flags::none);
  stranger.send(zmq::str_buffer("whole"), zmq::send_flags::none);
  CHECK(next(broker).bytes == bytes_of("whole"));
  CHECK(broker.malformed() == 1);

  zmq::socket_t router(context, zmq::socket_type::router);
  router.bind("tcp://127.0.0.1:*");
  Channel agent = Channel::connect(router.get(zmq::sockopt::last_endpoint)).value();
  REQUIRE(agent.send("", bytes_of("x")));
  zmq::message_t id;
  zmq::message_t body;
  REQUIRE(router.recv(id));
  REQUIRE(router.recv(body));
  zmq::message_t to;
  to.copy(id);
  router.send(to, zmq::send_flags::sndmore);
  router.send(zmq::str_buffer("a"), zmq::send_flags::sndmore);
  router.send(zmq::str_buffer("b"), zmq::send_flags::none);
  router.send(id, zmq::send_flags::sndmore);
  router.send(zmq::str_buffer("c"), zmq::send_flags::none);
  CHECK(next(agent).bytes == bytes_of("c"));
  CHECK(agent.malformed() == 1);
}

TEST_CASE("a message that is too large closes the connection and others go on") {
  ChannelLimits limits;
  limits.message_bytes_max = 1'000;
  Channel broker = Channel::listen(kAnyPort, limits).value();
  Channel good = Channel::connect(broker.endpoint()).value();
  Channel bad = Channel::connect(broker.endpoint()).value();
  REQUIRE(bad.send("", Bytes(1'001, 1)));
  REQUIRE(good.send("", Bytes(1'000, 2)));
  CHECK(next(broker).bytes.size() == 1'000);
  CHECK_FALSE(wait_one(broker, 200));
}

/// A bare TCP connection to where a channel listens.
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

/// Serves the channel until `count` are connected; how many are at last.
int64_t connections_after_wait(Channel& channel, int64_t count) {
  const int64_t until_ms = boottime_ms() + kLastBoundMs;
  while (channel.connections() != count && boottime_ms() < until_ms) {
    static_cast<void>(wait_one(channel, 10));
  }
  return channel.connections();
}

TEST_CASE("bytes of another protocol harm nobody") {
  Channel broker = Channel::listen(kAnyPort).value();
  const int fd = dial(broker.endpoint());
  const std::string_view request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  REQUIRE(write(fd, request.data(), request.size()) == static_cast<ssize_t>(request.size()));
  Channel agent = Channel::connect(broker.endpoint()).value();
  REQUIRE(agent.send("", bytes_of("fine")));
  CHECK(next(broker).bytes == bytes_of("fine"));
  close(fd);
}

TEST_CASE("connections are counted however they end") {
  ChannelLimits limits;
  limits.message_bytes_max = 1'000;
  Channel broker = Channel::listen(kAnyPort, limits).value();
  CHECK(broker.connections() == 0);
  Channel good = Channel::connect(broker.endpoint()).value();
  REQUIRE(good.send("", bytes_of("x")));
  next(broker);
  CHECK(broker.connections() == 1);

  const int silent = dial(broker.endpoint());
  CHECK(connections_after_wait(broker, 2) == 2);
  close(silent);  // before any greeting
  CHECK(connections_after_wait(broker, 1) == 1);

  const int stranger = dial(broker.endpoint());
  CHECK(connections_after_wait(broker, 2) == 2);
  REQUIRE(write(stranger, "GET / HTTP/1.1\r\n\r\n", 18) == 18);
  CHECK(connections_after_wait(broker, 1) == 1);
  close(stranger);

  const int mute = dial(broker.endpoint());  // never greets: the handshake's time ends it
  CHECK(connections_after_wait(broker, 2) == 2);
  CHECK(connections_after_wait(broker, 1) == 1);
  close(mute);

  {
    const Channel leaving = Channel::connect(broker.endpoint()).value();
    CHECK(connections_after_wait(broker, 2) == 2);
  }
  CHECK(connections_after_wait(broker, 1) == 1);
  CHECK(broker.turned_away() == 0);
}

TEST_CASE("more connections than allowed are turned away, and let in when there is room") {
  ChannelLimits limits;
  limits.connections_max = 2;
  Channel broker = Channel::listen(kAnyPort, limits).value();
  Channel first = Channel::connect(broker.endpoint()).value();
  REQUIRE(first.send("", bytes_of("first")));
  CHECK(next(broker).bytes == bytes_of("first"));
  auto second = std::make_unique<Channel>(Channel::connect(broker.endpoint()).value());
  REQUIRE(second->send("", bytes_of("second")));
  CHECK(next(broker).bytes == bytes_of("second"));

  Channel third = Channel::connect(broker.endpoint()).value();
  REQUIRE(third.send("", bytes_of("third")));
  const int64_t end_ms = boottime_ms() + kLastBoundMs;
  while (broker.turned_away() == 0 && boottime_ms() < end_ms) CHECK_FALSE(wait_one(broker, 10));
  CHECK(broker.turned_away() > 0);
  REQUIRE(first.send("", bytes_of("still served")));
  CHECK(next(broker).bytes == bytes_of("still served"));

  second.reset();
  const int64_t until_ms = boottime_ms() + kLastBoundMs;
  std::optional<Frame> frame;
  while (!frame && boottime_ms() < until_ms) {
    static_cast<void>(wait_one(broker, 50));
    frame = broker.receive();
  }
  REQUIRE(frame);
  CHECK(frame->bytes == bytes_of("third"));
}

TEST_CASE("a place that cannot be bound is named with what would be right") {
  const Channel broker = Channel::listen(kAnyPort).value();
  const struct {
    std::string endpoint;
    const char* says;
  } rows[] = {
      {broker.endpoint(), "another program has it"},
      {"tcp://192.0.2.1:7440", "no such address"},
      {"nonsense", "as in \"tcp://127.0.0.1:7440\""},
      {"tcp://127.0.0.1:notaport", "as in \"tcp://127.0.0.1:7440\""},
      {"smoke://127.0.0.1:1", "as in \"tcp://127.0.0.1:7440\""},
  };
  for (const auto& row : rows) {
    INFO(row.endpoint);
    const auto channel = Channel::listen(row.endpoint);
    REQUIRE_FALSE(channel);
    CHECK(channel.error().code == ErrorCode::io);
    CHECK_THAT(channel.error().message, Catch::Contains(row.endpoint));
    CHECK_THAT(channel.error().message, Catch::Contains(row.says));
  }
  const auto channel = Channel::connect("nonsense");
  REQUIRE_FALSE(channel);
  CHECK_THAT(channel.error().message, Catch::Contains("cannot connect to nonsense"));
}

TEST_CASE("waiting ends with input of a file descriptor, with time, with a signal") {
  Channel broker = Channel::listen(kAnyPort).value();
  const std::array<Channel*, 1> channels{&broker};
  int64_t before_ms = boottime_ms();
  CHECK_FALSE(Channel::wait(channels, {}, 30));
  CHECK(boottime_ms() - before_ms >= 29);

  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  REQUIRE(write(ends[1], "x", 1) == 1);
  const std::array<int, 1> fds{ends[0]};
  CHECK(Channel::wait(channels, fds, kLastBoundMs));
  CHECK(Channel::wait({}, fds, kLastBoundMs));
  close(ends[0]);
  close(ends[1]);

  struct sigaction action {};
  struct sigaction kept {};
  action.sa_handler = [](int) {};
  REQUIRE(sigaction(SIGALRM, &action, &kept) == 0);
  const itimerval timer{{0, 50'000}, {0, 50'000}};  // the first may come before it waits
  const itimerval none{};
  REQUIRE(setitimer(ITIMER_REAL, &timer, nullptr) == 0);
  before_ms = boottime_ms();
  CHECK_FALSE(Channel::wait(channels, {}, kLastBoundMs));
  CHECK(boottime_ms() - before_ms < kLastBoundMs);
  REQUIRE(setitimer(ITIMER_REAL, &none, nullptr) == 0);
  REQUIRE(sigaction(SIGALRM, &kept, nullptr) == 0);
}

TEST_CASE("with a linger a farewell is sent before the channel is closed") {
  Channel broker = Channel::listen(kAnyPort).value();
  ChannelLimits limits;
  limits.linger_ms = 2'000;
  std::thread other([&] {  // closing waits until the broker, here, has let it in
    Channel agent = Channel::connect(broker.endpoint(), limits).value();
    agent.send("", bytes_of("farewell"));
  });
  CHECK(next(broker).bytes == bytes_of("farewell"));
  other.join();
}

TEST_CASE("IPv6 is spoken where the endpoint asks for it") {
  auto broker = Channel::listen("tcp://[::1]:*");
  if (!broker) {  // a machine without IPv6 says so
    CHECK_THAT(broker.error().message, Catch::Contains("tcp://[::1]:*"));
    return;
  }
  Channel agent = Channel::connect(broker->endpoint()).value();
  REQUIRE(agent.send("", bytes_of("six")));
  CHECK(next(*broker).bytes == bytes_of("six"));
}

TEST_CASE("agents reach a broker through a local socket too") {
  const std::string path = "/tmp/leasehold-channel-test-" + std::to_string(getpid()) + ".sock";
  Channel broker = Channel::listen("ipc://" + path).value();
  Channel agent = Channel::connect(broker.endpoint()).value();
  REQUIRE(agent.send("", bytes_of("local")));
  CHECK(next(broker).bytes == bytes_of("local"));
  ::unlink(path.c_str());
}

}  // namespace

}  // namespace leasehold
