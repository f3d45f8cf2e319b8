// Forecast: when N slots can be had on one side of a lease, or by a leaf of a plan; that is, when
// work that needs them could start if it were submitted now. It says what is idle now, then the
// earliest, the likely and the latest time, each with what it rests on
// (broker/views/forecast/README.md). It is a pure function of the state as views see it: it decides
// nothing and keeps nothing.
//
// Contract: earliest <= likely <= latest, and none is before `now`. A time that nothing bounds is
// absent, and so are all after it. More slots are never available sooner than fewer, but where work
// goes by hosts (README.md), or the rule is demand-aware.
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

/// Errors: `unknown` for an id that is not known (it names the nearest), `usage` for one that means
/// several, or for a side that does not exist.
Result<Forecast> forecast(const State& state, const Question& question);

/// Returns the same as the JSON of schema/json/forecast.schema.json. Errors: those above, and
/// `usage` for a question that names nothing or wants a number of slots that nobody can have.
Result<Json> view_forecast(const State& state, const Question& question);

}  // namespace leasehold::forecasting
