// How many connections there may be, and which gives way to a new one.
#include "broker/ports/http/connections.hpp"

#include <sys/socket.h>

#include <array>
#include <catch2/catch.hpp>

using namespace leasehold;

namespace {

using Id = Connections::Id;

struct Places {
  Poll poll;
  Connections connections{poll};
  std::vector<OpenFile> visitors;  // in the order in which they came

  bool comes(int64_t most, int64_t now_ms) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    visitors.emplace_back(ends[0]);
    Newcomer newcomer{OpenFile(ends[1]), "127.0.0.1"};
    return connections.let_in(newcomer, most, now_ms);
  }
  Connection& at(Id number) { return *connections.find(Connections::kFirst + number); }
  bool has(Id number) { return connections.find(Connections::kFirst + number) != nullptr; }
  void says(Id number, const std::string& text, int64_t now_ms) {
    REQUIRE(::send(visitors[number].fd(), text.data(), text.size(), MSG_NOSIGNAL) > 0);
    REQUIRE(at(number).receive(now_ms));
  }
};

}  // namespace

TEST_CASE("where every place is taken the longest idle connection gives way, and none before") {
  Places places;
  REQUIRE(places.comes(2, 1'000));
  REQUIRE(places.comes(2, 2'000));
  CHECK(places.connections.turned_away() == 0);
  CHECK(places.comes(2, 3'000));
  CHECK_FALSE(places.has(0));
  CHECK(places.has(1));
  CHECK_FALSE(places.at(2).in_reserve);
  CHECK(places.connections.turned_away() == 1);
}

TEST_CASE("who sends a head gives way only where nobody is idle") {
  Places places;
  REQUIRE(places.comes(2, 1'000));
  REQUIRE(places.comes(2, 2'000));
  places.says(0, "GET /", 2'500);
  REQUIRE(places.comes(2, 3'000));
  CHECK(places.has(0));
  CHECK_FALSE(places.has(1));
  places.says(2, "GET /", 3'500);
  REQUIRE(places.comes(2, 4'000));
  CHECK_FALSE(places.has(0));
  CHECK(places.has(2));
}

TEST_CASE(
    "where all have requests under way probes have a reserve, in which the oldest gives way") {
  Places places;
  REQUIRE(places.comes(1, 1'000));
  places.at(0).wait(1'000);
  for (Id number = 1; number <= Id{Connections::kReserve}; ++number) {
    REQUIRE(places.comes(1, 2'000));
    CHECK(places.at(number).in_reserve);
  }
  CHECK(places.comes(1, 3'000));
  CHECK(places.has(0));
  CHECK_FALSE(places.has(1));
  for (Id number = 2; number <= Id{Connections::kReserve + 1}; ++number) {
    places.at(number).wait(4'000);
  }
  CHECK_FALSE(places.comes(1, 5'000));
  places.connections.end(Connections::kFirst);  // one place is free again
  CHECK(places.comes(1, 6'000));
  CHECK(places.connections.all().size() == 1 + Connections::kReserve);
}

TEST_CASE("a connection that has ended is watched no more") {
  Places places;
  REQUIRE(places.comes(2, 1'000));
  REQUIRE(::send(places.visitors[0].fd(), "G", 1, MSG_NOSIGNAL) == 1);
  REQUIRE(places.poll.wait(0).size() == 1);
  CHECK(places.poll.wait(0)[0].id == Connections::kFirst);
  places.at(0).wait(1'000);
  places.connections.watch(Connections::kFirst);
  CHECK(places.poll.wait(0).empty());
  places.connections.end(Connections::kFirst);
  places.connections.end(Connections::kFirst);
  CHECK(places.poll.wait(0).empty());
}
