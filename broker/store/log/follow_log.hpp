// FollowedLog rebuilds the state from the log, one commit after the other: a base, and the images
// of the rows after it. It decides nothing, so that it reads what any core decided. It checks every
// hash that it reads.
#pragma once

#include "broker/record/images/images.hpp"
#include "broker/record/log_body.hpp"
#include "broker/store/log/log.hpp"

namespace leasehold {

class FollowedLog {
 public:
  /// Begins after the newest base that is not after event `last`, or before event 1. Refused: what
  /// was then is not kept any more.
  static Result<FollowedLog> begin(Log& log, int64_t last = INT64_MAX);
  /// Begins after the oldest state that the log still has.
  static Result<FollowedLog> begin_oldest(Log& log);

  /// Reads the next row, which body() then shows; false: there is none. Error (corrupt) also where
  /// the log is not the one from before go_on(): the caller begins again with begin().
  Result<bool> read();
  /// Puts the row's changes into the state. Contract: called once, after read() gave true.
  Status apply();
  /// Skips the row's changes, for a caller that only checks the chain.
  void pass_over() {
    last_event_ = row_end();
    batch_ = row_->batch;
    hash_ = row_->hash;
    seen_first_ = row_->first_event;
  }
  /// Lets read() see what was committed meanwhile, also after it found no more; nothing of the log
  /// is held until then. It begins with the row that was seen last, to check that the log still has
  /// it.
  void go_on() {
    if (at_start_) return;  // nothing was read since
    rows_->begin_at(seen_first_ == 0 ? next_event() : seen_first_);
    at_start_ = true;
  }
  /// Applies the rows up to the last one whose events are all at `last` or before.
  Status apply_until(int64_t last = INT64_MAX);

  const LogRow& row() const { return *row_; }
  const LogBody& body() const { return *body_; }
  /// Returns the last event of the row that was read last.
  int64_t row_end() const { return row_->first_event + body_->events() - 1; }

  const State& state() const { return state_; }
  State& state() { return state_; }
  /// Returns the last event that the state has seen; 0: none.
  int64_t last_event() const { return last_event_; }
  /// True if the state is that after some row, and no row was applied in part.
  bool is_whole() const { return whole_; }
  int64_t next_event() const { return last_event_ + 1; }
  /// Returns the number of the commit that it has seen last.
  int64_t batch() const { return batch_; }
  const Hash& hash() const { return hash_; }
  /// Returns the base it began with; its `state` is empty.
  const std::optional<Base>& base() const { return base_; }

 private:
  static Result<FollowedLog> after(Log& log, std::optional<Base> base);
  FollowedLog(Log& log, std::optional<Base> base, State state);

  Status forget_at_start();
  Result<bool> past_seen(Result<bool> there);
  Result<bool> ends_here();
  Result<bool> another() const;

  Log* log_;
  std::optional<Base> base_;
  State state_;
  int64_t last_event_ = 0;
  bool whole_ = true;
  int64_t batch_ = 0;
  std::unique_ptr<LogRows> rows_;
  bool at_start_ = true;         // rows_ was repositioned: its first row may be one that was passed
  int64_t seen_first_ = 0;       // first event of the row passed last; 0: none was yet
  std::unique_ptr<LogRow> row_;  // stays where it is: the body refers to it
  std::optional<LogBody> body_;
  Hash hash_{};
};

/// Returns the state as last committed; a fresh one of a log without a commit.
Result<State> load_state(Log& log);

}  // namespace leasehold
