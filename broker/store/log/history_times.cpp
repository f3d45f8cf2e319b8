#include "broker/store/log/history_times.hpp"

#include <algorithm>

#include "broker/record/log_body.hpp"
#include "broker/store/log/ends.hpp"
#include "broker/store/log/log.hpp"

namespace leasehold {

namespace {

/// Events from `low` below `high`.
struct Stretch {
  int64_t low = 1;
  int64_t high = 1;
};

Result<Stretch> whole(Log& log) {
  const Result<int64_t> first = log.first_event();
  if (!first) return tl::unexpected(first.error());
  if (*first == 0) return Stretch{};
  const Result<LogEnd> end = read_end(log);
  if (!end) return tl::unexpected(end.error());
  return Stretch{*first, end->last_event + 1};
}

Result<Stretch> stretch_of(Log& log, Instant at) {
  Result<Stretch> stretch = whole(log);
  if (!stretch) return stretch;
  const Result<std::vector<TimeSetBack>> sets = log.times_set_back();
  if (!sets) return tl::unexpected(sets.error());
  for (const TimeSetBack& set : *sets) {
    if (set.to > at) {
      stretch->high = set.id;
      break;
    }
    stretch->low = set.id;
  }
  return stretch;
}

/// Returns the last row within the stretch that begins before `at`; 0: none. By halving: no index
/// on time is needed.
Result<int64_t> last_row_before(Log& log, Stretch stretch, Instant at) {
  int64_t found = 0;
  while (stretch.low < stretch.high) {
    const int64_t middle = stretch.low + (stretch.high - stretch.low) / 2;
    const Result<std::optional<RowPlace>> row = log.row_by(middle);
    if (!row) return tl::unexpected(row.error());
    if (*row && (*row)->time < at) {
      found = (*row)->first_event;
      stretch.low = middle + 1;
    } else {
      stretch.high = *row ? std::min(middle, (*row)->first_event) : middle;
    }
  }
  return found;
}

/// Returns the first event of a row with a time not below `at`, or the one behind the row.
Result<int64_t> event_in_row(Log& log, int64_t first_event, Instant at) {
  LogRow row;
  const Result<bool> there = log.rows(first_event, Order::oldest_first)->next(row);
  if (!there) return tl::unexpected(there.error());
  const Result<LogBody> body = LogBody::read(row);
  if (!body) return tl::unexpected(body.error());
  for (int64_t i = 0; i < body->events(); ++i) {
    const Result<Instant> time = body->time_of(i);
    if (!time) return tl::unexpected(time.error());
    if (*time >= at) return row.first_event + i;
  }
  return row.first_event + body->events();
}

}  // namespace

Result<int64_t> first_event_at(Log& log, Instant at) {
  const Result<Stretch> stretch = stretch_of(log, at);
  if (!stretch) return tl::unexpected(stretch.error());
  const Result<int64_t> before = last_row_before(log, *stretch, at);
  if (!before) return before;
  return *before == 0 ? stretch->low : event_in_row(log, *before, at);
}

}  // namespace leasehold
