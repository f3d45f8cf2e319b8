// Rebuild: the State at any past instant, from a snapshot and the inputs recorded after it.
// Not the broker's own restart, which loads the current tables.
//
// The rule that makes it exact, kept by every caller of step() that records (broker/README.md,
// "What is recorded"): before an input at T is given to the core, every deadline before T has had
// its Tick, at or after the deadline and before the input. An input at the very instant of a
// deadline comes before the Tick.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "common/result.hpp"

namespace leasehold {

class SqliteStore;

/// One input as it was recorded.
struct RecordedInput {
  int64_t id = 0;
  Instant now;
  Event event;
};

/// The inputs with id > after_id, one after the other.
class InputReader {
 public:
  InputReader(SqliteStore& store, int64_t after_id);
  ~InputReader();
  /// nullopt: there is no further one.
  Result<std::optional<RecordedInput>> next();

 private:
  struct Query;
  std::unique_ptr<Query> query_;
};

/// A state and the id of the last event that it has seen.
struct StartPoint {
  State state;
  int64_t event_id = 0;
};

/// The newest snapshot not after `at` (kNever: the newest of all), or the empty state if history
/// begins there. Refused: `at` lies before what retention has kept; another core's history.
Result<StartPoint> start_point(SqliteStore& store, Instant at);
/// The oldest state that history still has.
Result<StartPoint> first_point(SqliteStore& store);

/// The state at `at`, after everything recorded up to and including that instant.
Result<State> state_at(SqliteStore& store, Instant at);

/// Makes the Ticks that were not recorded: one at each deadline before `until`. An Error tells that
/// one of them changed something, which history would have to know.
Status make_silent_ticks(State& state, Instant until, Effects& effects);
/// Those that lie between the events seen so far and `input`.
Status make_ticks_before(State& state, const RecordedInput& input, Effects& effects);

/// Refuses a start of a broker with another core; `numbers` as its row has them.
Status check_core(const Event& event, const std::string& numbers);

}  // namespace leasehold
