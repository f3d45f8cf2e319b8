#include "broker/lab/what_if/history.hpp"

#include <algorithm>

#include "broker/record/event_codec.hpp"
#include "broker/replay/rebuild.hpp"
#include "broker/store/log/follow_log.hpp"
#include "broker/store/log/history_times.hpp"

namespace leasehold {

namespace {

const std::string kFlipRow = record_token(RecordKind::flip);
const std::string kStartedRow = record_token(RecordKind::transfer_started);
const std::string kDoneRow = record_token(RecordKind::transfer_done);
const std::string kGrantedRow = record_token(RecordKind::transfer_granted);
const std::string kConsumerRow = record_token(RecordKind::consumer);

}  // namespace

RecordedHistory::RecordedHistory(FollowedLog log, std::vector<TimeSetBack> sets)
    : log_(std::make_unique<FollowedLog>(std::move(log))), sets_(std::move(sets)) {}
RecordedHistory::RecordedHistory(RecordedHistory&&) noexcept = default;
RecordedHistory::~RecordedHistory() = default;

const State& RecordedHistory::state() const {
  return log_->state();
}

Result<RecordedHistory> RecordedHistory::begin(Log& log, std::optional<Instant> since,
                                               std::optional<Instant> until) {
  if (since && until && *until <= *since) {
    return fail(ErrorCode::usage, "--until is not after --since");
  }
  Result<FollowedLog> oldest = FollowedLog::begin_oldest(log);
  if (!oldest) return tl::unexpected(oldest.error());
  Result<std::vector<TimeSetBack>> sets = log.times_set_back();
  if (!sets) return tl::unexpected(sets.error());
  RecordedHistory site(std::move(*oldest), std::move(*sets));
  if (Status found = site.find_begin(log, since); !found) return tl::unexpected(found.error());
  if (Status found = site.find_end(log, until); !found) return tl::unexpected(found.error());
  if (site.to_ <= site.from_) {
    return fail(ErrorCode::refused, "nothing is recorded from " + format_utc(site.from_) +
                                        " on until " + format_utc(site.to_) +
                                        ", where it ends; name an earlier time");
  }
  site.wants_.begin(site.state(), site.from_, site.to_);
  return site;
}

/// Finds the beginning of the kept log, or the requested one.
Status RecordedHistory::find_begin(Log& log, std::optional<Instant> since) {
  from_ = log_->state().now;
  if (since && *since > from_) {
    // Events of that very instant are still to be read.
    Result<LogAt> at = log_at(log, *since + -1);
    if (!at) return tl::unexpected(at.error());
    if (Status done = at->log->apply_until(at->last_event); !done) return done;
    at->log->go_on();
    log_ = std::move(at->log);
    from_ = *since;
  } else if (since && log_->base() && *since < from_) {
    return fail(ErrorCode::refused, "history goes back to " + format_utc(from_) + " only");
  }
  first_event_ = log_->last_event();
  return first_event_ == 0 ? begin_at_first(since) : Status{};
}

/// There is no state before the first event.
Status RecordedHistory::begin_at_first(std::optional<Instant> since) {
  const Result<bool> there = log_->read();
  if (!there) return tl::unexpected(there.error());
  if (!*there) return fail(ErrorCode::refused, "the database has no history");
  const Result<Instant> first = log_->body().time_of(0);
  if (!first) return tl::unexpected(first.error());
  from_ = std::max(*first, since.value_or(*first));
  log_->go_on();
  return {};
}

/// Finds the end of the kept log, or the requested one.
Status RecordedHistory::find_end(Log& log, std::optional<Instant> until) {
  const Result<std::optional<RowPlace>> last = log.row_by(INT64_MAX);
  if (!last) return tl::unexpected(last.error());
  if (!*last) return fail(ErrorCode::refused, "the database has no history");
  events_in_all_ = (*last)->first_event - first_event_;
  to_ = (*last)->time;
  if (until) to_ = std::min(to_, *until);
  if (!until) {
    last_event_ = INT64_MAX;
  } else if (const Result<int64_t> end = first_event_at(log, *until); !end) {
    return tl::unexpected(end.error());
  } else {
    last_event_ = *end - 1;
  }
  return {};
}

/// Caps an instant at the times that the clock was set back to after it, so that the excess of a
/// wrong clock counts for nothing.
Instant RecordedHistory::counted(Instant at) const {
  for (const TimeSetBack& set : sets_) {
    if (set.id > log_->next_event()) at = std::min(at, set.to);
  }
  return at;
}

Result<bool> RecordedHistory::next(Moment& moment, SiteMeter& meter) {
  moment.clear();
  reports_.clear();
  moved_.clear();
  const Result<bool> there = log_->read();
  if (!there || !*there || log_->row().first_event > last_event_) {
    return there ? Result<bool>(false) : there;
  }
  moment.now = counted(log_->row().time);
  if (Status done = take_events(moment); !done) return tl::unexpected(done.error());
  events_ = log_->row_end() - first_event_;
  if (Status done = log_->apply(); !done) return tl::unexpected(done.error());
  for (const HistoryRow& moved : moved_) take_move(moved, meter);
  meter.changed(log_->state(), moment.now);
  wants_.take(log_->state(), reports_, moment, meter);
  moment.answer_ms = transfers_.answer_ms();
  return true;
}

Status RecordedHistory::take_events(Moment& moment) {
  for (int64_t i = 0; i < log_->body().events(); ++i) {
    if (Status read = log_->body().event(i, row_); !read) return read;
    const Instant at = counted(row_.time);
    if (is_input(row_)) {
      if (Status taken = take_input(row_, moment, at); !taken) return taken;
    } else {
      take_record(row_, at);
    }
  }
  return {};
}

Status RecordedHistory::take_input(const HistoryRow& row, Moment& moment, Instant at) {
  Result<Event> event = decode_event(row.payload);
  if (!event) return tl::unexpected(event.error());
  if (auto* report = std::get_if<StateReported>(&*event)) {
    reports_.push_back({report->cluster, true, report->pending, false,
                        std::move(report->idle_elsewhere), std::move(report->demand)});
    return {};
  }
  if (const auto* hello = std::get_if<AgentHello>(&*event)) {
    reports_.push_back({hello->cluster, false, 0, true});
  }
  moment.inputs.push_back({at, std::move(*event)});
  return {};
}

void RecordedHistory::take_record(const HistoryRow& row, Instant at) {
  const bool flip = row.kind == kFlipRow;
  if (row.kind == kStartedRow || row.kind == kDoneRow || flip) transfers_.take(row);
  const bool moves = flip || row.kind == kGrantedRow || row.kind == kConsumerRow;
  if (!moves || row.slots.value_or(0) == 0) return;
  moved_.push_back(row);  // this commit may have made its slot group
  moved_.back().time = at;
}

void RecordedHistory::take_move(const HistoryRow& row, SiteMeter& meter) {
  if (row.kind == kConsumerRow) return take_plan_move(row, meter);
  const uint32_t group =
      find_slot_group(state(), static_cast<uint64_t>(row.generation.value_or(0)));
  if (group == kNoIndex) return;
  meter.moved(state(), group, *row.slots, row.kind == kFlipRow, row.time);
}

/// Everything that one evaluation gives and takes is one flip.
void RecordedHistory::take_plan_move(const HistoryRow& row, SiteMeter& meter) {
  const uint32_t plan = find_resource_group(state(), row.lease.substr(0, row.lease.find(':')));
  if (plan == kNoIndex) return;
  if (plan_flips_.size() <= plan) plan_flips_.resize(plan + 1, Instant{INT64_MIN});
  if (std::exchange(plan_flips_[plan], row.time) == row.time) return;
  meter.plan_flip(state(), plan, row.time);
}

void TransferTimes::take(const HistoryRow& row) {
  Begun& begun = begun_[row.generation.value_or(0)];
  if (row.kind == kStartedRow) {
    begun = {row.time, false};
  } else if (row.kind == kFlipRow) {
    begun.flipped = true;
  } else if (std::exchange(begun.flipped, false) && row.time >= begun.at) {
    ++count_;
    sum_ms_ += row.time - begun.at;
  }
}

Moment RecordedHistory::first(SiteMeter& meter) {
  meter.began(log_->state());
  Moment moment;
  moment.now = from_;
  wants_.first(log_->state(), moment, meter);
  return moment;
}

}  // namespace leasehold
