// PeerRates: how many messages a peer may send; no peer pays for another.
#include "broker/ports/peer_rates.hpp"

#include <catch2/catch.hpp>

namespace leasehold {

namespace {

using Verdict = PeerRates::Verdict;

/// How many of `count` messages of `bytes` are taken at `now_ms`.
int taken(PeerRates& rates, const char* peer, int count, int64_t now_ms, size_t bytes = 100) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += rates.take(peer, bytes, now_ms) == Verdict::taken ? 1 : 0;
  return sum;
}

}  // namespace

TEST_CASE("a peer may send at its rate for ever and saves up ten seconds' worth") {
  const struct {
    int64_t per_second;
    int64_t after_ms;
    int taken;
  } rows[] = {
      {200, 0, 0},      {200, 1, 0},       {200, 5, 1},         {200, 999, 199},
      {200, 1000, 200}, {200, 7000, 1400}, {200, 10'000, 2000}, {200, 3'600'000, 2000},
  };
  for (const auto& row : rows) {
    PeerRates rates(row.per_second);
    CHECK(taken(rates, "a", 5'000, 1'000) == 2'000);  // all that was saved
    INFO(row.after_ms);
    CHECK(taken(rates, "a", 5'000, 1'000 + row.after_ms) == row.taken);
  }
  PeerRates steady(100);
  for (int64_t ms = 0; ms < 100'000; ms += 10) CHECK(taken(steady, "a", 1, ms) == 1);
  CHECK(steady.dropped() == 0);
}

TEST_CASE("one peer's flood takes nothing from another") {
  PeerRates rates(200);
  CHECK(taken(rates, "loud", 1'000'000, 0) == 2'000);
  CHECK(rates.dropped() == 998'000);
  CHECK(taken(rates, "good", 100, 0) == 100);
}

TEST_CASE("a row of dropped messages is told once, the next row again") {
  PeerRates rates(200);
  taken(rates, "a", 2'000, 0);
  CHECK(rates.take("a", 1, 0) == Verdict::first_dropped);
  CHECK(rates.take("a", 1, 0) == Verdict::dropped);
  CHECK(taken(rates, "a", 2, 5) == 1);  // it keeps its rate now and then: still the same series
  CHECK(rates.take("a", 1, 6) == Verdict::dropped);
  CHECK(taken(rates, "a", 2'000, 5'000) == 999);
  CHECK(rates.take("a", 1, 5'000) == Verdict::dropped);
  CHECK(taken(rates, "b", 2'000, 0) == 2'000);
  CHECK(rates.take("b", 1, 0) == Verdict::first_dropped);
}

TEST_CASE("a long message counts as several, and the longest can still be sent") {
  const struct {
    size_t bytes;
    int taken;  // messages taken from a full bucket of 1,024
  } rows[] = {{0, 1024},     {1, 1024},     {65'536, 1024}, {65'537, 512},
              {1 << 20, 64}, {16 << 20, 4}, {1 << 30, 1}};
  for (const auto& row : rows) {
    PeerRates rates(10);
    INFO(row.bytes);
    CHECK(taken(rates, "a", 2'000, 0, row.bytes) == row.taken);
  }
}

TEST_CASE("no limit limits nothing and remembers nobody") {
  PeerRates rates(0);
  CHECK(taken(rates, "a", 100'000, 0, 1 << 30) == 100'000);
  CHECK(rates.size() == 0);
}

TEST_CASE("peers that come and go fill no memory") {
  PeerRates rates(100);
  for (int i = 0; i < 200'000; ++i) {
    static_cast<void>(rates.take("peer" + std::to_string(i), 1, i));
  }
  CHECK(rates.size() < 2'100);
}

TEST_CASE("a clock that goes back fills no bucket and empties none") {
  PeerRates rates(200);
  CHECK(taken(rates, "a", 2'001, 1'000) == 2'000);
  CHECK(taken(rates, "a", 10, 0) == 0);
  CHECK(taken(rates, "a", 500, 2'000) == 200);
}

}  // namespace leasehold
