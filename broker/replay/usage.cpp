#include "broker/replay/usage.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/record/event_codec.hpp"
#include "broker/replay/rebuild.hpp"
#include "broker/store/log/follow_log.hpp"
#include "broker/store/log/history.hpp"
#include "broker/store/log/history_times.hpp"
#include "broker/store/log/log.hpp"
#include "broker/views/clusters/usage.hpp"
#include "broker/views/clusters/used_by.hpp"

namespace leasehold {

namespace {

/// Caps an instant at the times that the clock was set back to after it, so that the excess of a
/// wrong clock counts for nothing.
Instant counted_at(const std::vector<TimeSetBack>& sets, int64_t id, Instant at) {
  for (const TimeSetBack& set : sets) {
    if (set.id > id) at = std::min(at, set.to);
  }
  return at;
}

Result<Json> count_usage(Log& log, FollowedLog followed, Instant since,
                         std::optional<Instant> until) {
  UsageMeter meter(since);
  meter.changed(followed.state(), followed.state().now, true);
  const Result<std::vector<TimeSetBack>> sets = log.times_set_back();
  if (!sets) return tl::unexpected(sets.error());
  const Result<int64_t> end = until ? first_event_at(log, *until) : INT64_MAX;
  if (!end) return tl::unexpected(end.error());
  while (true) {
    const Result<bool> there = followed.read();
    if (!there) return tl::unexpected(there.error());
    if (!*there || followed.row_end() >= *end) break;
    if (Status done = followed.apply(); !done) return tl::unexpected(done.error());
    const Instant at = counted_at(*sets, followed.row_end(), followed.state().now);
    meter.changed(followed.state(), at, followed.row().clock_set);
  }
  return meter.rows(until.value_or(followed.state().now));
}

Status check_period(std::optional<Instant> since, std::optional<Instant> until) {
  if (!since || !until || *since <= *until) return {};
  return fail(ErrorCode::usage, "--until, which is now unless it is given, is before --since");
}

/// An agent tells when its stretch is over, by its own clock, which may be so much ahead.
constexpr int64_t kClockAheadMs = 3'600'000;
constexpr int64_t kRowsAPage = 100;

}  // namespace

Result<Json> used_by_rows(Log& log, const std::string& whose, std::optional<Instant> since,
                          std::optional<Instant> until) {
  const std::optional<Whose> by = from_token<Whose>(whose);
  if (!by) {
    return fail(ErrorCode::usage, "--by " + whose + "; " + any_token<Whose>() + " would be right");
  }
  if (Status right = check_period(since, until); !right) return tl::unexpected(right.error());
  UsedByMeter meter(*by, since.value_or(Instant{INT64_MIN}), until.value_or(kNever));
  HistoryFilter filter;
  if (since) filter.since = *since + -kClockAheadMs;
  filter.kinds = {input_token(SlotsUsed{})};
  filter.inputs = filter.payloads = true;
  filter.limit = kRowsAPage;
  while (true) {
    const Result<std::vector<HistoryRow>> rows = history(log, filter);
    if (!rows) return tl::unexpected(rows.error());
    for (const HistoryRow& row : *rows) {
      const Result<Event> event = decode_event(row.payload);
      if (!event) return tl::unexpected(event.error());
      if (const auto* used = std::get_if<SlotsUsed>(&*event)) meter.take(*used);
    }
    if (static_cast<int64_t>(rows->size()) < kRowsAPage) return meter.rows();
    filter.after_id = rows->back().id;
  }
}

Result<Json> usage_rows(Log& log, std::optional<Instant> since, std::optional<Instant> until) {
  if (Status right = check_period(since, until); !right) return tl::unexpected(right.error());
  const auto one_view = log.one_view();
  if (!one_view) return tl::unexpected(one_view.error());
  if (!since) {
    Result<FollowedLog> oldest = FollowedLog::begin_oldest(log);
    if (!oldest) return tl::unexpected(oldest.error());
    const Instant from = oldest->state().now;
    return count_usage(log, std::move(*oldest), from, until);
  }
  Result<LogAt> from = log_at(log, *since);
  if (!from) return tl::unexpected(from.error());
  return count_usage(log, std::move(*from->log), *since, until);
}

}  // namespace leasehold
