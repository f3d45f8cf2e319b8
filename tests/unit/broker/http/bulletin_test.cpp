// Bulletin: what the loop publishes to the threads of HTTP.
#include "broker/ports/http/answers/bulletin.hpp"

#include <poll.h>

#include <catch2/catch.hpp>

using namespace leasehold;

namespace {

bool is_readable(int fd) {
  pollfd ready{fd, POLLIN, 0};
  return ::poll(&ready, 1, 0) == 1;
}

}  // namespace

TEST_CASE("the loop tells of a turn only whoever waits for it, and once") {
  Bulletin bulletin;
  bulletin.turn_over({1'000}, 7, {});
  CHECK_FALSE(is_readable(bulletin.turn_fd()));
  bulletin.want_turn();
  bulletin.turn_over({2'000}, 8, {});
  CHECK(is_readable(bulletin.turn_fd()));
  bulletin.clear_turn();
  bulletin.turn_over({3'000}, 8, {});
  CHECK_FALSE(is_readable(bulletin.turn_fd()));
  const Notice notice = bulletin.read();
  CHECK(notice.turn == 3);
  CHECK(notice.event == 8);
  CHECK(notice.event_time == Instant{2'000});
  CHECK(notice.now == Instant{3'000});
}

TEST_CASE("what the loop knows of its agents is copied only when somebody asked, once for all") {
  Bulletin bulletin;
  Liveness liveness;
  liveness.clusters["east"].malformed = 3;
  bulletin.turn_over({1'000}, 7, liveness);
  CHECK(bulletin.read().liveness == nullptr);
  bulletin.ask();
  bulletin.ask();
  CHECK(is_readable(bulletin.asked_fd()));
  bulletin.turn_over({2'000}, 7, liveness);
  CHECK_FALSE(is_readable(bulletin.asked_fd()));
  const Notice first = bulletin.read();
  REQUIRE(first.liveness != nullptr);
  CHECK(first.liveness->clusters.at("east").malformed == 3);
  CHECK(first.liveness_turn == 2);
  bulletin.turn_over({3'000}, 7, liveness);
  CHECK(bulletin.read().liveness == first.liveness);
}

TEST_CASE("the loop's figures are copied with what it knows of its agents, of the same turn") {
  Bulletin bulletin;
  LoopFigures figures;
  figures.commits_failed = 2;
  bulletin.turn_over({1'000}, 7, {}, figures);
  CHECK(bulletin.read().figures == nullptr);
  CHECK_FALSE(bulletin.is_asked());
  bulletin.ask();
  CHECK(bulletin.is_asked());
  bulletin.turn_over({2'000}, 7, {}, figures);
  REQUIRE(bulletin.read().figures != nullptr);
  CHECK(bulletin.read().figures->commits_failed == 2);
  CHECK_FALSE(bulletin.is_asked());
}

TEST_CASE("while commits fail the loop says so, and no more once one was taken") {
  Bulletin bulletin;
  bulletin.want_turn();
  bulletin.trouble({"the disk is full", ""});
  CHECK(is_readable(bulletin.turn_fd()));
  CHECK(bulletin.read().trouble == "the disk is full");
  bulletin.turn_over({1'000}, 7, {});
  CHECK(bulletin.read().trouble.empty());
}

TEST_CASE("who leads is known at once, and stays so over turns and trouble") {
  Bulletin bulletin;
  CHECK(bulletin.read().leader_view.role == BrokerRole::alone);
  LeaderView leader_view;
  leader_view.role = BrokerRole::standby;
  leader_view.epoch = 3;
  leader_view.leader = "hub-1";
  bulletin.stands(leader_view);
  CHECK(bulletin.read().turn == 0);
  bulletin.turn_over({1'000}, 7, {});
  bulletin.trouble({"the database is gone", ""});
  const Notice notice = bulletin.read();
  CHECK(notice.leader_view.role == BrokerRole::standby);
  CHECK(notice.leader_view.leader == "hub-1");
  CHECK(notice.leader_view.epoch == 3);
}

TEST_CASE("a standby turns though its database is out of reach, and says so") {
  Bulletin bulletin;
  bulletin.ask();
  bulletin.turn_over({1'000}, 7, {}, {}, {"the database is gone", "the file is wrong"});
  CHECK(bulletin.read().trouble == "the database is gone");
  CHECK(bulletin.read().database_fails);
  CHECK(bulletin.read().liveness_turn == 1);
  bulletin.turn_over({2'000}, 7, {});
  CHECK(bulletin.read().trouble.empty());
  CHECK_FALSE(bulletin.read().database_fails);
}

TEST_CASE("a standby that cannot take over is not ready, and the database does not fail by that") {
  Bulletin bulletin;
  bulletin.turn_over({1'000}, 7, {}, {}, {"", "the file is wrong"});
  CHECK(bulletin.read().trouble == "the file is wrong");
  CHECK_FALSE(bulletin.read().database_fails);
}
