#include "broker/what_if/history.hpp"

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
  for (const Cluster& cluster : site.state().clusters) site.pending_.push_back(cluster.pending);
  site.begin_elsewhere();
  return site;
}

/// Earlier reports are kept by the leases that use them.
void RecordedHistory::begin_elsewhere() {
  elsewhere_.resize(state().clusters.size());
  for (const SlotGroup& group : state().slot_groups) {
    if (!group.demand || group.phase == Phase::closed) continue;
    for (const uint32_t m : {0U, 1U}) {
      elsewhere_[group.members[m].cluster] = group.demand->elsewhere[m];
    }
  }
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
  heard_.clear();
  moved_.clear();
  const Result<bool> there = log_->read();
  if (!there || !*there || log_->row().first_event > last_event_) {
    return there ? Result<bool>(false) : there;
  }
  moment.now = counted(log_->row().time);
  if (Status done = take_events(moment); !done) return tl::unexpected(done.error());
  events_ = log_->row_end() - first_event_;
  if (Status done = log_->apply(); !done) return tl::unexpected(done.error());
  if (pending_.size() < state().clusters.size()) pending_.resize(state().clusters.size(), 0);
  for (const HistoryRow& moved : moved_) take_move(moved, meter);
  meter.changed(log_->state(), moment.now);
  for (const Heard& heard : heard_) hear(heard, moment, meter);
  moment.answer_ms = transfers_ == 0 ? 0 : transfers_ms_ / transfers_ / 2;
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
    heard_.push_back({report->cluster, true, report->pending, false,
                      std::move(report->idle_elsewhere), std::move(report->demand)});
    return {};
  }
  if (const auto* hello = std::get_if<AgentHello>(&*event)) {
    heard_.push_back({hello->cluster, false, 0, true});
  }
  moment.inputs.push_back({at, std::move(*event)});
  return {};
}

void RecordedHistory::take_record(const HistoryRow& row, Instant at) {
  const bool flip = row.kind == kFlipRow;
  if (row.kind == kStartedRow || row.kind == kDoneRow || flip) time_transfer(row);
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
  const bool planned = state().slot_groups[group].resource_group != kNoIndex;
  if (planned == (row.kind == kGrantedRow)) {
    meter.moved(state(), group, *row.slots, !planned, row.time);
  }
}

/// Everything that one evaluation gives and takes is one flip.
void RecordedHistory::take_plan_move(const HistoryRow& row, SiteMeter& meter) {
  const uint32_t plan = find_resource_group(state(), row.lease.substr(0, row.lease.find(':')));
  if (plan == kNoIndex) return;
  if (plan_flips_.size() <= plan) plan_flips_.resize(plan + 1, Instant{INT64_MIN});
  if (std::exchange(plan_flips_[plan], row.time) == row.time) return;
  meter.plan_flip(state(), plan, row.time);
}

/// A flip takes an order and its answer twice: both are timed together.
void RecordedHistory::time_transfer(const HistoryRow& row) {
  Begun& begun = begun_[row.generation.value_or(0)];
  if (row.kind == kStartedRow) {
    begun = {row.time, false};
  } else if (row.kind == kFlipRow) {
    begun.flipped = true;
  } else if (std::exchange(begun.flipped, false) && row.time >= begun.at) {
    ++transfers_;
    transfers_ms_ += row.time - begun.at;
  }
}

/// Work that waits although slots are idle is too wide for them, or may not run there.
Want RecordedHistory::want_of(uint32_t cluster, Instant at) {
  Want want;
  want.cluster = state().clusters[cluster].name;
  want.slots = pending_[cluster];
  want.degraded = state().clusters[cluster].degraded;
  want.demand = state().clusters[cluster].demand;
  want.ending = state().clusters[cluster].ending;
  want.elsewhere = elsewhere_[cluster];
  int64_t idle = 0;
  for (const uint32_t index : state().clusters[cluster].slot_groups) {
    const SlotGroup& group = state().slot_groups[index];
    if (group.phase == Phase::closed) continue;
    const uint32_t m = member_of(group, cluster);
    for (size_t row = 0; row < group.hosts.size(); ++row) {
      const Holding& holding = group.at(row, m);
      want.used += holding.used;
      if (holding.up) idle += std::max(0, holding.held - holding.used);
    }
  }
  want.slots += want.used;
  want.needs = needs_of(cluster, idle);
  want.run_time_ms = run_time(cluster, want.used, at);
  return want;
}

/// Work that waits and does not start between two reports needs more slots than were idle
/// meanwhile; it does so until some of it starts.
int64_t RecordedHistory::needs_of(uint32_t cluster, int64_t idle) {
  if (waits_.size() <= cluster) waits_.resize(cluster + 1);
  Waits& known = waits_[cluster];
  const int64_t pending = pending_[cluster];
  const bool started = pending < known.pending;
  if (started || pending == 0) {
    known.needs = 0;
  } else if (known.pending > 0) {
    known.needs = std::max(known.needs, std::min(known.idle, idle) + 1);
  }
  known = {pending, idle, known.needs};
  return std::min(known.needs, pending);
}

/// Slots that came into use and left it between two reports are not seen, so the true time is
/// rather shorter.
int64_t RecordedHistory::run_time(uint32_t cluster, int64_t used, Instant at) {
  if (used_.size() <= cluster) used_.resize(cluster + 1, {0, from_, 0, 0});
  Used& known = used_[cluster];
  if (at > known.since) known.sum += SlotMs{known.slots} * (at - known.since);
  known.started += std::max<int64_t>(0, used - known.slots);
  known.slots = used;
  known.since = at;
  return known.started < 20 ? 0 : static_cast<int64_t>(known.sum / known.started);
}

void RecordedHistory::hear(const Heard& heard, Moment& moment, SiteMeter& meter) {
  const uint32_t cluster = find_cluster(state(), heard.cluster);
  if (cluster == kNoIndex) return;
  if (elsewhere_.size() <= cluster) elsewhere_.resize(cluster + 1);
  if (heard.anew) elsewhere_[cluster].reset();
  if (heard.elsewhere) elsewhere_[cluster] = heard.elsewhere;
  if (heard.reported) {
    pending_[cluster] = heard.pending;
    meter.waits(state(), cluster, heard.pending, moment.now);
  }
  note_telling(cluster, moment.now);
  moment.wants.push_back(want_of(cluster, moment.now));
  if (moment.wants.back().demand) moment.wants.back().passing = take_passing(heard.cluster);
  note_hosts(moment, cluster);
}

/// Work that came and started within one commit waited in between.
std::vector<wire::Demand> RecordedHistory::take_passing(const std::string& cluster) {
  std::vector<wire::Demand> passing;
  for (Heard& heard : heard_) {
    if (heard.cluster != cluster || !heard.demand) continue;
    passing.push_back(std::move(*heard.demand));
    heard.demand.reset();
  }
  if (!passing.empty()) passing.pop_back();  // the last one is what the commit left
  return passing;
}

/// Counts the time up to now under what was reported before.
void RecordedHistory::note_telling(uint32_t cluster, Instant at) {
  if (tellings_.size() <= cluster) tellings_.resize(cluster + 1, {from_});
  Telling& known = tellings_[cluster];
  const Instant until = std::min(at, to_);
  if (const int64_t past_ms = until - known.since; known.waits && past_ms > 0) {
    told_.waited_ms += past_ms;
    if (known.shapes) told_.with_shapes_ms += past_ms;
    if (known.elsewhere) told_.with_elsewhere_ms += past_ms;
  }
  const bool shapes = state().clusters[cluster].demand.has_value();
  known = {std::max(until, known.since), pending_[cluster] > 0, shapes,
           shapes && elsewhere_[cluster].has_value()};
}

ShapesTold RecordedHistory::shapes() {
  for (uint32_t c = 0; c < tellings_.size(); ++c) note_telling(c, to_);
  return told_;
}

/// Notes the hosts of others that the cluster reports down, or up again.
void RecordedHistory::note_hosts(Moment& moment, uint32_t cluster) {
  for (const uint32_t index : state().clusters[cluster].slot_groups) {
    const SlotGroup& group = state().slot_groups[index];
    const uint32_t provider = group.members[kProvider].cluster;
    const uint32_t m = member_of(group, cluster);
    if (group.phase == Phase::closed || provider == cluster || !group.members[m].reported) continue;
    for (size_t row = 0; row < group.hosts.size(); ++row) {
      const HostKey key{cluster, provider, group.hosts[row].host};
      const bool up = group.at(row, m).up;
      const bool changed = up ? down_.erase(key) > 0 : down_.insert(key).second;
      if (!changed) continue;
      moment.hosts.push_back({state().clusters[cluster].name, state().clusters[provider].name,
                              group.hosts[row].host, up});
    }
  }
}

Moment RecordedHistory::first(SiteMeter& meter) {
  meter.began(log_->state());
  Moment moment;
  moment.now = from_;
  for (uint32_t c = 0; c < state().clusters.size(); ++c) {
    note_telling(c, from_);
    moment.wants.push_back(want_of(c, from_));
    meter.waits(state(), c, pending_[c], from_);
    note_hosts(moment, c);
  }
  return moment;
}

}  // namespace leasehold
