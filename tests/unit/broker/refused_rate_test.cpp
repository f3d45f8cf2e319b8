// RefusedRate limits the refused attempts in the history.
#include "broker/ports/operators/refused_rate.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;

TEST_CASE("the first refused attempts stand one by one, then one a minute with their count") {
  RefusedRate rate;
  const Instant now{1'000'000};
  for (int64_t i = 0; i < RefusedRate::kInARow; ++i) CHECK(rate.count("bob", now) == 1);
  CHECK_FALSE(rate.count("bob", now));
  CHECK_FALSE(rate.count("bob", now + 59'999));
  CHECK(rate.count("ana", now) == 1);  // others have their own
  CHECK(rate.count("bob", now + 60'000) == 3);
  CHECK_FALSE(rate.count("bob", now + 60'001));
}

TEST_CASE("a thousand names of askers fill no memory and no history") {
  RefusedRate rate;
  int64_t rows = 0;
  for (int i = 0; i < 1000; ++i) {
    rows += rate.count("asker" + std::to_string(i), Instant{5}) ? 1 : 0;
  }
  CHECK(rows == static_cast<int64_t>(RefusedRate::kAskersMax) + RefusedRate::kInARow);
}
