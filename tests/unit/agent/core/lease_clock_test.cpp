#include "agent/core/lease_clock.hpp"

#include <catch2/catch.hpp>

namespace leasehold::agent {
namespace {

constexpr int64_t kTtl = 100'000;

LeaseClock greeted(int64_t now_ms) {
  LeaseClock clock;
  clock.set_ttl(kTtl);
  clock.begin_session(now_ms);
  clock.answered(0);
  return clock;
}

TEST_CASE("without a ttl leases never end") {
  LeaseClock clock = greeted(5);
  clock.set_ttl(0);
  CHECK(clock.ends_ms() == INT64_MAX);
  CHECK_FALSE(clock.ended(INT64_MAX - 1));
}

TEST_CASE("the time runs from the sending of the heartbeat that was answered") {
  LeaseClock clock = greeted(1'000);
  CHECK(clock.ends_ms() == 1'000 + kTtl);  // the hello is number 0
  clock.sent(1, 6'000);
  CHECK(clock.ends_ms() == 1'000 + kTtl);  // to send is not enough
  clock.sent(2, 11'000);
  CHECK(clock.answered(1));  // whenever its answer comes
  CHECK(clock.ends_ms() == 6'000 + kTtl);
  CHECK_FALSE(clock.ended(6'000 + kTtl - 1));
  CHECK(clock.ended(6'000 + kTtl));
}

TEST_CASE("an answer renews by its own heartbeat, and only once") {
  LeaseClock clock = greeted(0);
  clock.sent(1, 5'000);
  clock.sent(2, 10'000);
  CHECK(clock.answered(2));
  CHECK_FALSE(clock.answered(1));  // late: what it says is older
  CHECK_FALSE(clock.answered(2));  // doubled
  CHECK_FALSE(clock.answered(3));  // never sent
  CHECK(clock.ends_ms() == 10'000 + kTtl);
}

TEST_CASE("answers to an earlier session renew nothing") {
  LeaseClock clock = greeted(0);
  clock.sent(1, 5'000);
  clock.begin_session(6'000);
  CHECK_FALSE(clock.answered(1));
  CHECK(clock.ends_ms() == kTtl);
  CHECK(clock.answered(0));
  CHECK(clock.ends_ms() == 6'000 + kTtl);
}

TEST_CASE("heartbeats that nobody answered are not kept for ever") {
  LeaseClock clock = greeted(0);
  for (uint64_t beat = 1; beat <= 100; ++beat) clock.sent(beat, static_cast<int64_t>(beat) * 5'000);
  CHECK_FALSE(clock.answered(79));  // 100 s before the last: it renews no more
  CHECK(clock.answered(81));
}

TEST_CASE("a process that was not renewed yet goes by what its workload manager was told") {
  LeaseClock clock;
  clock.set_ttl(kTtl);
  clock.resume(42'000);
  CHECK(clock.ends_ms() == 42'000);
  clock.begin_session(50'000);
  clock.answered(0);
  CHECK(clock.ends_ms() == 50'000 + kTtl);
}

}  // namespace
}  // namespace leasehold::agent
