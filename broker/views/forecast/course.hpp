// Course: one projected scenario: when the requested slots become available, and where each comes
// from. Each outlook has its own. For this folder only.
#pragma once

#include <algorithm>
#include <string>

#include "broker/core/model/state.hpp"
#include "broker/views/forecast/answer.hpp"
#include "broker/views/forecast/work.hpp"

namespace leasehold::forecasting {

struct Course {
  int64_t at_ms = kNotAtAll;  // when the slots are available; kNotAtAll: not as far as is known
  int64_t idle = 0;           // slots that were idle at the start
  int64_t in_transfer = 0;    // slots that came because they were on their way
  int64_t moved = 0;          // slots that came from `other_source` of add_times()
  int64_t lost = 0;           // slots of all these that left again
  int64_t ended = 0;          // slots that ending work there left
  int64_t taken = 0;          // slots that older waiting work took
};

/// Limits the steps of one course: times beyond them are not known.
inline constexpr int kStepsMost = 4096;
/// Times farther away are not known.
inline constexpr int64_t kHorizonMs = int64_t{60} * 86'400'000;

inline Outlook outlook_at(size_t at) {
  return static_cast<Outlook>(at);
}

/// Returns the next evaluation; kNever: there is none. The state may be older than `now`.
Instant next_evaluation(const Grid& grid, Instant now);

/// Returns the first evaluation at or after `at_ms`: one is due at `next_ms`, then every
/// `delay_ms`.
int64_t on_grid(int64_t next_ms, int64_t delay_ms, int64_t at_ms);

/// A freeze that an operator ordered for later: nothing is evaluated in it.
struct FreezeAhead {
  int64_t from_ms = kNotAtAll;
  int64_t until_ms = kNotAtAll;
  bool covers(int64_t at_ms) const { return from_ms <= at_ms && at_ms < until_ms; }
  int64_t behind(int64_t at_ms) const { return covers(at_ms) ? until_ms : at_ms; }
};
/// Also writes to `forecast` that it holds slots back.
FreezeAhead freeze_ahead(const State& state, Forecast& forecast);
/// Returns on_grid(), but never an instant that the freeze covers; kNotAtAll: it has no end.
int64_t on_grid_unless_frozen(int64_t next_ms, int64_t delay_ms, int64_t at_ms,
                              const FreezeAhead& freeze);
/// Returns until when the freeze in force holds, the one that replaces it included.
/// Contract: the leases are frozen.
Instant frozen_until(const State& state);

/// Completes a course that reaches the requested slots at `at_ms`, by the work of the asking
/// cluster. A slot counts once, however often it came and went: idle, in_transfer, moved and ended,
/// less taken, is what is idle then.
Course finish_course(Course course, int64_t at_ms, const Work& asked);

/// Adds the times of all courses in order, and what each rests on. `other_source` and
/// `source_name` say where moved slots came from, as a basis and in words: "east".
void add_times(Forecast& forecast, const std::array<Course, kOutlooks>& courses, Basis other_source,
               const std::string& source_name);

/// Adds three unknown times; `premise` says why.
void add_unknown(Forecast& forecast, const Premise& premise);

/// The slots are never had: work that needs them starts on no host, whatever is idle. `words` says
/// why.
void set_obstacle(Forecast& forecast, std::string words);

/// Returns the time left from `now` on; kNever: kNotAtAll.
int64_t ms_until(Instant at, Instant now);

/// Slots on hosts on which the asking cluster begins nothing from some instant on, because a
/// reservation of their owner's is to begin.
struct Reserved {
  int64_t closed = 0;  // since before
  int64_t later = 0;
  int64_t first_ms = kNotAtAll;  // when the first of those are
  int64_t last_ms = 0;           // and the last

  void add(int64_t at_ms, int64_t slots) {
    if (at_ms >= kNotAtAll) return;
    (at_ms == 0 ? closed : later) += slots;
    if (at_ms == 0) return;
    first_ms = std::min(first_ms, at_ms);
    last_ms = std::max(last_ms, at_ms);
  }
};
void note_reserved(Forecast& forecast, const Reserved& reserved);

/// These fill in what is computed: idle and most, what holds it back, and the times. forecast() has
/// set the other fields.
void forecast_lease(const State& state, const SlotGroup& group, Forecast& forecast);
/// `consumer` is a leaf, by position in Plan::consumers.
void forecast_leaf(const State& state, uint32_t plan, uint32_t consumer, Forecast& forecast);

}  // namespace leasehold::forecasting
