// How long a job that polls has, from what the agent's state kept.
#include "agent/io/by_hand/interrupts.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

SavedState saved_with(int64_t left_ms) {
  SavedState saved;
  saved.reclaims_boot = "boot-1";
  saved.reclaims.push_back({"7", Instant{1}, 30'000, left_ms, 1'000, true, false});
  return saved;
}

TEST_CASE("seconds count down from what was saved, are rounded down and never below 0") {
  const auto [now_ms, seconds] = GENERATE(table<int64_t, int64_t>(
      {{1'000, 20}, {1'001, 19}, {2'000, 19}, {20'999, 0}, {21'000, 0}, {90'000, 0}}));
  CAPTURE(now_ms);
  CHECK(seconds_left(saved_with(20'000), "7", "boot-1", now_ms) == seconds);
}

TEST_CASE("a time that was over when it was saved is over") {
  CHECK(seconds_left(saved_with(-5'000), "7", "boot-1", 1'000) == 0);
}

TEST_CASE("in another boot of the machine the time left when it was saved holds") {
  CHECK(seconds_left(saved_with(20'000), "7", "boot-2", 900'000) == 20);
}

TEST_CASE("a clock that reads earlier than what was saved gives no more time") {
  CHECK(seconds_left(saved_with(20'000), "7", "boot-1", 500) == 20);
}

TEST_CASE("a job is found by its whole id; others are not known") {
  CHECK(seconds_left(saved_with(20'000), "77", "boot-1", 1'000) == std::nullopt);
  CHECK(seconds_left(saved_with(20'000), "", "boot-1", 1'000) == std::nullopt);
  CHECK(seconds_left(SavedState{}, "7", "boot-1", 1'000) == std::nullopt);
}

TEST_CASE("a state that was saved is read while its agent has it open") {
  const Scratch scratch;
  Settings settings;
  settings.state = scratch.file("agent.db");
  CHECK(seconds_left(settings, "7").value() == std::nullopt);
  StateFile file = StateFile::open(settings.state).value();
  const int64_t now_ms = boottime_ms();
  REQUIRE(file.save_reclaims({{"7", Instant{1}, 90'000, 90'000, now_ms, true, false}}));
  const auto seconds = seconds_left(settings, "7");
  REQUIRE(seconds);
  REQUIRE(*seconds);
  CHECK(**seconds <= 90);
  CHECK(**seconds > 60);
}

TEST_CASE("what is printed for scripts") {
  CHECK(interrupts_json("7", 12) == R"({"job":"7","interrupted":true,"seconds_left":12})");
  CHECK(interrupts_json("7", std::nullopt) ==
        R"({"job":"7","interrupted":false,"seconds_left":null})");
}

}  // namespace
}  // namespace leasehold::agent
