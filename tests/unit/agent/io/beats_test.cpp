// Heartbeats while the loop waits for a program; every wait here is for a condition.
#include "agent/io/broker/beats.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <thread>

#include "common/time/clock.hpp"
#include "tests/support/last_bound.hpp"
#include "tests/unit/agent/io/played_site.hpp"

namespace leasehold::agent {
namespace {

using test::kLastBoundMs;

/// False: it did not come about.
bool wait_until(const std::function<bool()>& is) {
  const int64_t until_ms = boottime_ms() + kLastBoundMs;
  while (!is() && boottime_ms() < until_ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return is();
}

TEST_CASE("while a program is waited for the thread speaks, and never beside the loop") {
  std::atomic<int> said = 0;
  std::atomic<bool> lent = false;
  std::atomic<bool> beside = false;
  Beats beats(
      [&] {
        beside = beside || !lent;
        ++said;
      },
      kLastBoundMs, 1);
  CHECK(beats.aside([&] {
    lent = true;
    const bool spoke = wait_until([&] { return said >= 3; });
    lent = false;
    return spoke;
  }));
  const int before = said;
  for (int turn = 0; turn < 1'000; ++turn) beats.turned();
  CHECK(said <= before + 1);
  CHECK(said >= 3);
}

TEST_CASE("for a loop that has not turned for too long nothing is said, until it turns again") {
  constexpr int64_t kStuckMs = 200;
  std::atomic<int> said = 0;
  std::atomic<int> said_late = 0;
  std::atomic<int> said_beside = 0;
  std::atomic<int64_t> stuck_from_ms = INT64_MAX;
  Beats beats(
      [&] {
        ++said;
        if (boottime_ms() > stuck_from_ms) ++said_late;
      },
      kStuckMs, 1);
  stuck_from_ms = boottime_ms() + kStuckMs;
  Beats others([&] { ++said_beside; }, kLastBoundMs, 1);  // of a loop that is not stuck
  const auto others_go_on = [&, from = -1]() mutable {
    if (boottime_ms() <= stuck_from_ms) return false;
    if (from < 0) from = said_beside;
    return said_beside >= from + 50;
  };
  CHECK(beats.aside([&] { return others.aside([&] { return wait_until(others_go_on); }); }));
  CHECK(said_late <= 1);  // which was begun before
  const int before = said;
  CHECK(beats.aside([&] {
    return wait_until([&] {
      beats.turned();  // again and again: the thread may look late
      return said > before;
    });
  }));
}

TEST_CASE("while the manager is waited for heartbeats go on, with the age of the last look") {
  PlayedSite stage;
  stage.shake();
  stage.agent().beat(stage.now_ms + 60'000);  // before there is a session no beat is sent
  stage.configure({});
  stage.next<wire::Report>();
  CHECK(stage.next<wire::Heartbeat>().look_age_ms == 0);  // the first of the session
  for (const int64_t waited_ms : {6'000, 12'000}) {
    stage.agent().beat(stage.now_ms + waited_ms);
    stage.agent().beat(stage.now_ms + waited_ms + 1);  // it is not yet time for the next one
    CHECK(stage.next<wire::Heartbeat>().look_age_ms == waited_ms);
    CHECK(stage.none<wire::Heartbeat>());
  }
}

}  // namespace
}  // namespace leasehold::agent
