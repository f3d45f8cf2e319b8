// WhoseClock: which clock is wrong among a broker's, its database server's and its agents'; who may
// lead by it.
#include "broker/views/clusters/whose_clock.hpp"

#include <catch2/catch.hpp>

#include "broker/views/clusters/leader_view.hpp"

namespace leasehold {

namespace {

constexpr int64_t kDaysMs = 2 * 86'400'000;
constexpr int64_t kLeastMs = 60'000;

ClockDifference about(int64_t ms, int64_t error_ms = 50) {
  return {ms - error_ms, ms + error_ms};
}

struct WhoseRow {
  const char* what;
  std::optional<ClockDifference> of_server;  // how far the broker is ahead
  std::optional<ClockDifference> of_agents;
  WhoseClock whose;
  bool may_lead;
};

const WhoseRow kWhoseRows[] = {
    {"nothing is known", {}, {}, WhoseClock::nobodys, true},
    {"all agree", about(0), about(0), WhoseClock::nobodys, true},
    {"within two minutes of the server", about(119'000), {}, WhoseClock::brokers, true},
    {"ahead of the server, no agent told", about(kDaysMs), {}, WhoseClock::brokers, false},
    {"ahead of both", about(kDaysMs), about(kDaysMs), WhoseClock::brokers, false},
    {"ahead of both, by unlike much", about(kDaysMs), about(180'000), WhoseClock::brokers, false},
    {"behind both", about(-kDaysMs), about(-kDaysMs), WhoseClock::brokers, true},
    {"ahead of the server, as the agents are", about(kDaysMs), about(0), WhoseClock::servers, true},
    {"behind the server, as the agents are", about(-kDaysMs), about(0), WhoseClock::servers, true},
    {"ahead of the agents, as the server is", about(0), about(kDaysMs), WhoseClock::agents, true},
    {"between the two", about(kDaysMs), about(-kDaysMs), WhoseClock::servers, true},
    {"an answer that took long tells nothing",
     about(kDaysMs, kDaysMs),
     {},
     WhoseClock::nobodys,
     true},
    {"a word that took long tells nothing", about(0), about(kDaysMs, kDaysMs), WhoseClock::nobodys,
     true},
};

}  // namespace

TEST_CASE("a broker whose clock is days ahead of the server and of agents may not lead") {
  for (const WhoseRow& row : kWhoseRows) {
    INFO(row.what);
    CHECK(whose_clock({row.of_server, row.of_agents}, kLeastMs) == row.whose);
    CHECK(may_date_events({row.of_server, row.of_agents}) == row.may_lead);
  }
}

TEST_CASE("of many agents the clock in the middle counts, whatever one of them tells") {
  CHECK_FALSE(median({}));
  CHECK(median({about(5)}) == about(5));
  CHECK(median({about(0), about(kDaysMs), about(10)}) == about(10));
  CHECK(median({about(0), about(kDaysMs), about(-kDaysMs), about(7)}) == about(0));
}

TEST_CASE("no agent is accused of the clock of its broker") {
  LeaderView leader_view;
  SECTION("whose machine is ahead") {
    leader_view.ahead_of_server = about(kDaysMs);
  }
  SECTION("whose events are dated ahead, since one that led before was") {
    leader_view.dates_ahead_ms = kDaysMs;
    leader_view.ahead_of_server = about(0);
  }
  CHECK(own_difference(about(-kDaysMs), leader_view).surely_ms() == 0);
  CHECK(std::abs(own_difference(about(-2 * kDaysMs), leader_view).surely_ms()) > kDaysMs - 1'000);
}

TEST_CASE("an agent that is as its broker is not accused by a server whose clock is wrong") {
  LeaderView leader_view;
  leader_view.ahead_of_server = about(kDaysMs);
  CHECK(own_difference(about(0), leader_view).surely_ms() == 0);
}

}  // namespace leasehold
