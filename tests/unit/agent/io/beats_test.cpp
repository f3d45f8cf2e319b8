// Heartbeats while the loop waits for a program; every wait here is for a condition.
#include "agent/io/beats.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <thread>
#include <utility>

#include "common/time/clock.hpp"
#include "tests/unit/agent/io/played_site.hpp"

namespace leasehold::agent {
namespace {

constexpr int64_t kPatienceMs = 60'000;

/// False: it did not come about.
bool wait_until(const std::function<bool()>& is) {
  const int64_t until_ms = boottime_ms() + kPatienceMs;
  while (!is() && boottime_ms() < until_ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
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
      kPatienceMs, 1);
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
  std::atomic<int> said = 0;
  Beats beats([&] { ++said; }, 200, 1);
  const auto speaks = [&](const std::function<bool()>& is) {
    return beats.aside([&] { return wait_until(is); });
  };
  int before = -1;
  // It falls silent while the program is still waited for.
  CHECK(speaks([&] {
    const int now = said;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return std::exchange(before, now) == now && now == said;
  }));
  before = said;
  CHECK(said == before);
  beats.turned();
  CHECK(speaks([&] { return said > before; }));
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
    stage.agent().beat(stage.now_ms + waited_ms + 1);  // the next one is not due
    CHECK(stage.next<wire::Heartbeat>().look_age_ms == waited_ms);
    CHECK(stage.none<wire::Heartbeat>());
  }
}

}  // namespace
}  // namespace leasehold::agent
