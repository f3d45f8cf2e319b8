// Forecast: when N slots can be had on one side of a lease, or by a leaf of a plan: when work that
// needs them could start if it were handed in now. What is there now, then as soon as, most likely
// and at the latest, each with what it rests on (broker/views/forecast/README.md). A pure function
// of the state as views see it; nothing is decided by it, nothing is kept.
//
// Contract: earliest <= likely <= latest, none before `now`; what nothing bounds is absent, and so
// is whatever comes after it. More slots are never had sooner than fewer.
#pragma once

#include <cstdint>
#include <string>

#include "broker/core/model/state.hpp"
#include "broker/views/forecast/answer.hpp"
#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold::forecasting {

struct Question {
  std::string
      id;  // a lease; a consumer's path; a cluster that is one leaf, or imports by one lease
  int64_t slots = 1;
  bool provider_side = false;
  Instant now;
};

/// Errors: `unknown` for an id that nobody knows (naming the nearest), `usage` for one that means
/// several, or a side that there is not.
Result<Forecast> forecast(const State& state, const Question& question);

/// As schema/json/forecast.schema.json says.
Json forecast_json(const Forecast& forecast);

}  // namespace leasehold::forecasting
