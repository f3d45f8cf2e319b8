#include "broker/follow/followed_state.hpp"

#include <exception>

#include "broker/core/model/turn/deadlines.hpp"
#include "broker/record/state_bytes.hpp"
#include "broker/store/database.hpp"
#include "common/version.hpp"

namespace leasehold {

void FollowedState::forget() {
  std::unique_ptr<Log> gone;  // its connection is closed after the lock is released
  const Held held = hold();
  const bool newest = follow_ && (!kept_ || follow_->last_event() >= kept_->last_event);
  if (newest && follow_->is_whole()) {
    if (!current_) time_ = follow_->state().now;
    kept_.emplace(Kept{std::move(follow_->state()), follow_->last_event()});
  }
  current_ = false;
  follow_.reset();  // before its connection
  gone = std::move(log_);
}

Status FollowedState::open() {
  if (log_ && !log_->is_in_place()) forget();
  if (log_) return {};
  auto opened = open_log(database_);
  if (!opened) return tl::unexpected(opened.error());
  auto begun = FollowedLog::begin(**opened);
  if (!begun) return tl::unexpected(begun.error());
  const Held held = hold();
  follow_.emplace(std::move(*begun));
  log_ = std::move(*opened);
  return {};
}

/// The followed rows may no longer be in the log: a database server that did not have all of them
/// may have taken over. The log is then read again from the beginning, which succeeds or says what
/// is missing.
Status FollowedState::catch_up(int64_t last) {
  const bool followed = follow_.has_value();
  Status done = try_catch_up(last);
  const bool another = !done && done.error().code == ErrorCode::corrupt;
  return followed && another ? try_catch_up(last) : done;
}

/// The lock is not held while a row is waited for.
Status FollowedState::apply_until(int64_t last) {
  follow_->go_on();
  while (true) {
    const Result<bool> there = follow_->read();
    if (!there) return tl::unexpected(there.error());
    if (!*there || follow_->row_end() > last) break;
    const Held held = hold();
    if (Status done = follow_->apply(); !done) return done;
    if (current_) time_ = follow_->state().now;
  }
  follow_->go_on();
  return {};
}

Status FollowedState::try_catch_up(int64_t last) {
  try {
    if (Status opened = open(); !opened) return opened;
    Status done = apply_until(last);
    if (!done) return forget(), done;
    const Held held = hold();
    if (!current_) time_ = follow_->state().now;
    current_ = true;
    clear_marks(follow_->state());
    kept_.reset();
    return done;
  } catch (const std::exception& error) {
    forget();
    return fail(ErrorCode::io, error.what());
  }
}

void FollowedState::let_pass(Instant now) {
  State& state = is_current() ? follow_->state() : kept_->state;
  state.now = std::max(state.now, now);
  for (Grid& grid : state.grids) grid.next = next_on_grid(grid, state.now);
}

MadeBase FollowedState::base(const Unimaged& unimaged) {
  const Held held = hold();
  State& state = follow_->state();
  put_back(unimaged, state);
  Base base{last_event(), follow_->batch(), state.now, kCoreVersion, follow_->hash(), {}};
  encode_state(state, base.state);
  return {base.last_event, base.time, chunks_of(base)};
}

}  // namespace leasehold
