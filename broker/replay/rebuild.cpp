#include "broker/replay/rebuild.hpp"

#include <algorithm>

#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/step.hpp"
#include "broker/store/log/follow_log.hpp"
#include "broker/store/log/history_times.hpp"
#include "broker/store/log/log.hpp"

namespace leasehold {

Result<int64_t> last_event_by(Log& log, Instant at) {
  if (at == kNever) return INT64_MAX;
  const Result<int64_t> after = first_event_at(log, at + 1);
  if (!after) return after;
  return *after - 1;
}

Result<LogAt> log_at(Log& log, Instant at) {
  const Result<int64_t> last = last_event_by(log, at);
  if (!last) return tl::unexpected(last.error());
  Result<FollowedLog> from = FollowedLog::begin(log, *last);
  if (!from) return tl::unexpected(from.error());
  // An instant before everything that is kept finds the beginning of the log.
  if (from->last_event() == *last && at < from->state().now) {
    return fail(ErrorCode::refused, "history goes back to " + format_utc(from->state().now) +
                                        " only ([retention] removed what was before); name a "
                                        "later time");
  }
  return LogAt{std::make_unique<FollowedLog>(std::move(*from)), *last};
}

namespace {

StateFrom taken_from(FollowedLog& log) {
  clear_marks(log.state());
  return {std::move(log.state()), log.last_event()};
}

Result<StateFrom> rebuild(Log& log, Instant at) {
  const Result<LogAt> from = log_at(log, at);
  if (!from) return tl::unexpected(from.error());
  if (Status done = from->log->apply_until(from->last_event); !done) {
    return tl::unexpected(done.error());
  }
  return taken_from(*from->log);
}

Result<StateFrom> oldest(Log& log) {
  Result<FollowedLog> from = FollowedLog::begin_oldest(log);
  if (!from) return tl::unexpected(from.error());
  return taken_from(*from);
}

}  // namespace

Result<State> state_at(Log& log, Instant at) {
  Result<StateFrom> found = state_from(log, at);
  if (!found) return tl::unexpected(found.error());
  return std::move(found->state);
}

Result<StateFrom> state_from(Log& log, std::optional<Instant> since) {
  const auto one_view = log.one_view();
  if (!one_view) return tl::unexpected(one_view.error());
  return since ? rebuild(log, *since) : oldest(log);
}

Status make_silent_ticks(State& state, Instant until, Effects& effects) {
  for (Instant deadline = next_deadline(state); deadline < until; deadline = next_deadline(state)) {
    const Instant now = std::max(deadline, state.now);
    effects.clear();
    if (step(state, Tick{}, now, effects)) {
      return fail(ErrorCode::corrupt, "the history lacks what happened at " + format_utc(deadline) +
                                          ": a deadline then changes something; restore a backup");
    }
    if (next_deadline(state) <= deadline) {
      return fail(ErrorCode::corrupt, "the deadline at " + format_utc(deadline) + " does not pass");
    }
  }
  return {};
}

Status make_ticks_before(State& state, const RecordedInput& input, Effects& effects) {
  // Before a start no broker ran that could have made one.
  if (std::holds_alternative<BrokerStarted>(input.event)) return {};
  if (std::holds_alternative<ClockSet>(input.event)) return {};
  // A recorded Tick replaces all that were due since the last silent one.
  const Tick* tick = std::get_if<Tick>(&input.event);
  if (tick != nullptr && tick->silent == Instant{}) return {};
  const Instant until = tick == nullptr ? input.now : tick->silent + 1;
  return make_silent_ticks(state, until, effects);
}

}  // namespace leasehold
