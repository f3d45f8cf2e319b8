// One visitor's socket, in virtual time.
#include "broker/ports/http/connection.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>

using namespace leasehold;

namespace {

/// A connection and its visitor's end.
struct Line {
  OpenFile visitor;
  std::unique_ptr<Connection> connection;

  Line() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    visitor = OpenFile(ends[0]);
    connection = std::make_unique<Connection>(OpenFile(ends[1]), "127.0.0.1", 1'000);
  }
  void say(const std::string& text) const {
    REQUIRE(::send(visitor.fd(), text.data(), text.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(text.size()));
  }
  std::string hear() const {
    std::string all;
    std::array<char, 65536> bytes{};
    for (;;) {
      const ssize_t got = ::recv(visitor.fd(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got <= 0) return all;
      all.append(bytes.data(), static_cast<size_t>(got));
    }
  }
};

std::shared_ptr<const Reply> reply_of(size_t bytes) {
  return std::make_shared<const Reply>(text_reply(200, "text/plain", std::string(bytes, 'a')));
}

}  // namespace

TEST_CASE("a part of the next head, that came with the first, has a head's time and no more") {
  Line line;
  Connection& connection = *line.connection;
  line.say("GET / HTTP/1.1\r\n\r\nG");
  REQUIRE(connection.receive(2'000));
  connection.took(18);
  connection.way.keep_alive = true;
  connection.send(reply_of(1), 3'000);
  REQUIRE(connection.write(3'000));
  CHECK(connection.deadline_ms() == 3'000 + Connection::kHead_ms);
}

TEST_CASE("a visitor who never ends a head, or reads no answer, is too slow in time") {
  Line line;
  Connection& connection = *line.connection;
  CHECK(connection.deadline_ms() == 1'000 + Connection::kHead_ms);
  line.say("GET /");
  REQUIRE(connection.receive(5'000));
  CHECK(connection.deadline_ms() == 5'000 + Connection::kHead_ms);
  line.say(" HTTP");  // a byte now and then gains no time
  REQUIRE(connection.receive(9'000));
  CHECK(connection.deadline_ms() == 5'000 + Connection::kHead_ms);
  CHECK_FALSE(connection.idle());

  connection.wait(9'500);
  CHECK(connection.deadline_ms() == INT64_MAX);  // that is the broker's own time
  connection.send(reply_of(64 << 20), 10'000);
  REQUIRE(connection.write(10'000));
  CHECK(connection.events() == EPOLLOUT);
  const int64_t from_ms = connection.deadline_ms();
  REQUIRE(connection.write(20'000));  // nothing was read
  CHECK(connection.deadline_ms() == from_ms);
  while (line.hear().size() < 2 * Connection::kWriteBytes) REQUIRE(connection.write(20'000));
  REQUIRE(connection.write(20'000));
  CHECK(connection.deadline_ms() == 20'000 + Connection::kWrite_ms);
}

TEST_CASE("after an answer the next request is waited for, longer; or the end is") {
  Line line;
  Connection& connection = *line.connection;
  connection.send(reply_of(3), 2'000);
  REQUIRE(connection.write(2'000));
  CHECK(connection.idle());
  CHECK(connection.deadline_ms() == 2'000 + Connection::kIdle_ms);
  CHECK_THAT(line.hear(), Catch::EndsWith("\r\n\r\naaa"));
  connection.way = {false, false, {}, {}};
  connection.send(reply_of(3), 3'000);
  REQUIRE(connection.write(3'000));
  CHECK(connection.stage() == Connection::Stage::closing);
  CHECK(connection.deadline_ms() == 3'000 + Connection::kClosing_ms);
  CHECK_THAT(line.hear(), Catch::EndsWith("Content-Length: 3\r\nConnection: close\r\n\r\n"));
  line.visitor = OpenFile();
  CHECK_FALSE(connection.receive(3'500));
}

TEST_CASE("a stream has no end of its own, but one whose reader reads nothing") {
  Line line;
  Connection& connection = *line.connection;
  connection.begin_stream(2'000);
  REQUIRE(connection.write(2'000));
  CHECK(connection.deadline_ms() == INT64_MAX);
  CHECK_THAT(line.hear(), Catch::Contains("Content-Type: text/event-stream"));
  const std::string event(64 << 10, 'x');
  while (!connection.has_unsent()) {
    connection.add(event, 3'000);
    REQUIRE(connection.write(3'000));
  }
  CHECK(connection.deadline_ms() <= 3'000 + Connection::kWrite_ms);
  line.say("whatever");
  CHECK(connection.receive(3'500));
  CHECK(connection.unread().empty());
}
