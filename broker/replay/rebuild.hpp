// Rebuild: the State at any past instant, from a base and the images recorded after it. Nothing is
// decided again, so every version reads what any version decided. It also makes the Ticks that were
// not recorded, for verify.hpp, which does decide again.
//
// One rule makes deciding again exact, and every caller of step() that records keeps it
// (broker/replay/README.md, "What the history must keep"): before an input at T is given to the
// core, every deadline before T has had its Tick, at or after the deadline and before the input. An
// input at the very instant of a deadline comes before the Tick.
#pragma once

#include <memory>
#include <optional>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "common/result.hpp"

namespace leasehold {

class FollowedLog;
class Log;
struct Effects;

struct RecordedInput {
  Instant now;
  Event event;
};

/// The log, followed up to a base that is not after `at`, and the last event that had happened by
/// then: the rows after the base are still to be read. Refused: `at` is before what is kept.
struct LogAt {
  std::unique_ptr<FollowedLog> log;
  int64_t last_event = 0;
};
Result<LogAt> log_at(Log& log, Instant at);

/// Returns the state at `at`, after all commits whose every event is of that instant or before;
/// kNever: after the last one. Refused: `at` is before what retention has kept.
Result<State> state_at(Log& log, Instant at);

/// A state from which the history since then can be read on, and the last event it contains. That
/// event may be earlier than `since`: a commit that was then being made is not in the state.
/// nullopt: the oldest state that is kept.
struct StateFrom {
  State state;
  int64_t last_event = 0;
};
Result<StateFrom> state_from(Log& log, std::optional<Instant> since);

/// Returns the last event that had happened by then.
Result<int64_t> last_event_by(Log& log, Instant at);

/// Makes the Ticks that were not recorded: one at each deadline before `until`. Returns an Error if
/// one of them changed something, which history should have recorded.
Status make_silent_ticks(State& state, Instant until, Effects& effects);
/// Makes the Ticks between the events seen so far and `input`.
Status make_ticks_before(State& state, const RecordedInput& input, Effects& effects);

}  // namespace leasehold
