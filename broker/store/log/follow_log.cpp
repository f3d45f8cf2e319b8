#include "broker/store/log/follow_log.hpp"

#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/model/turn/restart.hpp"
#include "broker/record/event_codec.hpp"
#include "broker/record/state_bytes.hpp"
#include "broker/store/log/ends.hpp"

namespace leasehold {

namespace {

tl::unexpected<Error> broken(const std::string& what) {
  return fail(ErrorCode::corrupt, "the log is damaged: " + what + "; restore a backup of it");
}

/// Finds the start by the event's kind: an operator or a cluster may bear that name.
Result<std::optional<BrokerStarted>> start_of(const LogBody& body) {
  constexpr const char* kStart = "input-broker-started";
  if (!body.names(kStart)) return std::nullopt;
  HistoryRow row;
  for (int64_t i = 0; i < body.events(); ++i) {
    if (!body.event(i, row) || row.kind != kStart) continue;
    const Result<Event> event = decode_event(row.payload);
    if (!event) return tl::unexpected(event.error());
    const auto* started = std::get_if<BrokerStarted>(&*event);
    if (started == nullptr) {
      return broken("event " + std::to_string(row.id) + " should be a start of the broker");
    }
    return *started;
  }
  return std::nullopt;
}

}  // namespace

FollowedLog::FollowedLog(Log& log, std::optional<Base> base, State state)
    : log_(&log),
      base_(std::move(base)),
      state_(std::move(state)),
      last_event_(base_ ? base_->last_event : 0),
      batch_(base_ ? base_->batch : 0),
      rows_(log.rows(last_event_ + 1, Order::oldest_first)),
      row_(std::make_unique<LogRow>()),
      hash_(base_ ? base_->log_hash : Hash{}) {
  if (base_) base_->state.clear();
}

Result<FollowedLog> FollowedLog::after(Log& log, std::optional<Base> base) {
  if (!base) return FollowedLog(log, std::nullopt, State{});
  Result<State> state = decode_state(base->state);
  if (!state) return tl::unexpected(state.error());
  return FollowedLog(log, std::move(base), std::move(*state));
}

Result<FollowedLog> FollowedLog::begin(Log& log, int64_t last) {
  Result<std::optional<Base>> base = newest_base(log, last);
  if (!base) return tl::unexpected(base.error());
  const Result<int64_t> first = log.first_event();
  if (!first) return tl::unexpected(first.error());
  if (*base || *first <= 1) return after(log, std::move(*base));
  base = oldest_base(log);
  if (!base) return tl::unexpected(base.error());
  if (!*base) return broken("the state that it begins with is missing");
  return fail(ErrorCode::refused, "history goes back to " + format_utc((*base)->time) +
                                      " only ([retention] removed what was before); name a later "
                                      "time");
}

Result<FollowedLog> FollowedLog::begin_oldest(Log& log) {
  const Result<int64_t> first = log.first_event();
  if (!first) return tl::unexpected(first.error());
  if (*first == 1) return after(log, std::nullopt);
  Result<std::optional<Base>> base = oldest_base(log);
  if (!base) return tl::unexpected(base.error());
  if (!*base && *first != 0) return broken("the state that it begins with is missing");
  return after(log, std::move(*base));
}

/// The error where a server took over without its last commits, or a copy was put back.
Result<bool> FollowedLog::another() const {
  return fail(ErrorCode::corrupt, "the log was replaced, or is damaged: event " +
                                      std::to_string(last_event_) + " is not what was read before");
}

/// Checks the end where no row is left, because nothing has happened for so long: then there is a
/// base.
Result<bool> FollowedLog::ends_here() {
  if (last_event_ == 0) return false;
  const Result<std::vector<BasePlace>> bases = log_->bases();
  if (!bases) return tl::unexpected(bases.error());
  const bool based = !bases->empty() && bases->back().last_event == last_event_;
  return based ? Result<bool>(false) : another();
}

/// Skips the row that was seen last, if it is still there. If retention has removed it, the next
/// row's hash checks the same.
Result<bool> FollowedLog::past_seen(Result<bool> there) {
  if (!there) return there;
  if (!*there) return ends_here();
  if (row_->first_event > last_event_) return there;
  if (row_->hash != hash_) return another();
  seen_first_ = row_->first_event;
  return rows_->next(*row_);
}

Result<bool> FollowedLog::read() {
  body_.reset();
  Result<bool> there = rows_->next(*row_);
  if (std::exchange(at_start_, false)) there = past_seen(std::move(there));
  if (!there || !*there) return there;
  const std::string place = "event " + std::to_string(row_->first_event);
  if (row_->first_event != last_event_ + 1) {
    return broken("what is before " + place + " is missing");
  }
  if (chain_hash(hash_, *row_) != row_->hash) {
    return broken("the hash of " + place + " is not that of its row");
  }
  Result<LogBody> body = LogBody::read(*row_);
  if (!body) return tl::unexpected(body.error());
  body_.emplace(std::move(*body));
  return true;
}

/// Forgets what a start forgets: images do not say it, because it is the same at each start.
Status FollowedLog::forget_at_start() {
  const Result<std::optional<BrokerStarted>> started = start_of(*body_);
  if (!started) return tl::unexpected(started.error());
  if (!*started) return {};
  forget_process(state_, is_warm(**started));
  state_.dirty_clusters = true;
  for (Cluster& cluster : state_.clusters) cluster.dirty = true;
  for (uint32_t g = 0; g < state_.slot_groups.size(); ++g) {
    SlotGroup& group = state_.slot_groups[g];
    if (group.phase == Phase::closed || std::exchange(group.dirty, true)) continue;
    state_.dirty_groups.push_back(g);
  }
  return {};
}

Status FollowedLog::apply() {
  whole_ = false;
  if (Status begun = forget_at_start(); !begun) return begun;
  if (Status done = apply_images(body_->images(), state_); !done) return done;
  const Result<Instant> now = body_->time_of(body_->events() - 1);
  if (!now) return tl::unexpected(now.error());
  state_.now = *now;
  for (Grid& grid : state_.grids) grid.next = next_on_grid(grid, state_.now);
  pass_over();
  whole_ = true;
  return {};
}

Status FollowedLog::apply_until(int64_t last) {
  while (true) {
    const Result<bool> there = read();
    if (!there) return tl::unexpected(there.error());
    if (!*there || row_end() > last) return {};
    if (Status done = apply(); !done) return done;
  }
}

Result<State> load_state(Log& log) {
  const auto one_view = log.one_view();
  if (!one_view) return tl::unexpected(one_view.error());
  Result<FollowedLog> followed = FollowedLog::begin(log);
  if (!followed) return tl::unexpected(followed.error());
  if (Status done = followed->apply_until(); !done) return tl::unexpected(done.error());
  clear_marks(followed->state());
  return std::move(followed->state());
}

}  // namespace leasehold
