// Rebuild: the State at any past instant, from a base and the images recorded after it: nothing is
// decided again, so that every version reads what any version decided. And the Ticks that were not
// recorded, for who decides again (verify.hpp).
//
// The rule that makes deciding again exact, kept by every caller of step() that records
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

/// One input as it was recorded.
struct RecordedInput {
  Instant now;
  Event event;
};

/// The log followed up to a base that is not after `at`, and the last event that had happened by
/// then: what came after the base is still to be read. Refused: `at` lies before what is kept.
struct LogAt {
  std::unique_ptr<FollowedLog> log;
  int64_t last_event = 0;
};
Result<LogAt> log_at(Log& log, Instant at);

/// The state at `at`, after all commits of which every event is of that instant or before; kNever:
/// after the last one. Refused: `at` lies before what retention has kept.
Result<State> state_at(Log& log, Instant at);

/// The state that what came since then follows upon, and the last event that it has seen, which may
/// be an earlier one: a commit that was under way is not in it. nullopt: the oldest that is kept.
struct StateFrom {
  State state;
  int64_t last_event = 0;
};
Result<StateFrom> state_from(Log& log, std::optional<Instant> since);

/// The last event that had happened by then.
Result<int64_t> last_event_by(Log& log, Instant at);

/// Makes the Ticks that were not recorded: one at each deadline before `until`. An Error tells that
/// one of them changed something, which history would have to know.
Status make_silent_ticks(State& state, Instant until, Effects& effects);
/// Those that lie between the events seen so far and `input`.
Status make_ticks_before(State& state, const RecordedInput& input, Effects& effects);

}  // namespace leasehold
