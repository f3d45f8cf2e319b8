// Course: how one outlook thinks that things go on until so many slots are had, and what of them
// came whence. For this folder only.
#pragma once

#include "broker/core/model/state.hpp"
#include "broker/views/forecast/answer.hpp"
#include "broker/views/forecast/work.hpp"

namespace leasehold::forecasting {

struct Course {
  int64_t at_ms = kNotAtAll;  // when the slots are had; kNotAtAll: never, as far as it is known
  int64_t idle = 0;           // slots that were idle at the start
  int64_t in_transfer = 0;    // that came because they were under way
  int64_t moved = 0;          // that came from elsewhere
  int64_t lost = 0;           // of all of these, that went elsewhere
  int64_t ended = 0;          // that work there left
  int64_t taken = 0;          // that older waiting work took
};

/// Steps of one course: what is not reached by then is not known.
inline constexpr int kStepsMost = 4096;
/// Nothing is said of what is farther away.
inline constexpr int64_t kHorizonMs = int64_t{60} * 86'400'000;

inline Outlook outlook_at(size_t at) {
  return static_cast<Outlook>(at);
}

/// The next evaluation; kNever: none is due. Contract: the state may be of some time ago.
Instant next_evaluation(const Grid& grid, Instant now);

/// The first evaluation at `at_ms` or after it: one is due at `next_ms`, then every `delay_ms`.
int64_t on_grid(int64_t next_ms, int64_t delay_ms, int64_t at_ms);

/// The course that has come to what was asked at `at_ms`, by the work of who asks. A slot counts
/// once, however often it came and went: idle, in_transfer, moved and ended, less taken, is what is
/// idle then.
Course had(Course course, int64_t at_ms, const Work& asked);

/// The times of all courses, in order, and what each rests on. `elsewhere`: whence slots that moved
/// came, as a basis and in words: "east".
void add_times(Forecast& forecast, const std::array<Course, kOutlooks>& courses, Basis elsewhere,
               const std::string& whence);

/// Nothing is known of when: `ground` says why.
void add_unknown(Forecast& forecast, const Ground& ground);

/// Fill in all but id and side.
void forecast_lease(const State& state, const SlotGroup& group, Forecast& forecast);
/// `consumer`: a leaf, in Plan::consumers.
void forecast_leaf(const State& state, uint32_t plan, uint32_t consumer, Forecast& forecast);

}  // namespace leasehold::forecasting
