// FollowedState: the state as the log has it, kept beside the loop by who answers and by who makes
// bases. It decides nothing and sees what is durable alone. One thread at a time catches up; what
// is known can be read beside it, since nothing is held while the log is waited for.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "broker/store/base_maker.hpp"
#include "broker/store/log/follow_log.hpp"

namespace leasehold {

class FollowedState {
 public:
  explicit FollowedState(std::string database) : database_(std::move(database)) {}

  /// To the log's end, but not beyond event `last`; from the beginning where the log is another
  /// than before. Error: it cannot be read; the next call begins anew. What was followed before
  /// stays known until one comes through.
  Status catch_up(int64_t last = INT64_MAX);

  using Held = std::unique_lock<std::mutex>;
  /// What is known stays as it is until it is let go.
  Held hold() const { return Held(memory_); }

  // While it is held, or of the thread that catches up:
  /// It is followed, and so far: false before the first catch_up() and after one that failed.
  bool reached(int64_t event) const { return is_current() && follow_->last_event() >= event; }
  /// Some catch_up() came through: there is a state.
  bool is_known() const { return is_current() || kept_; }

  // Of what is known:
  const State& state() const { return is_current() ? follow_->state() : kept_->state; }
  /// Of the last event.
  Instant time() const { return time_; }
  int64_t last_event() const {
    if (is_current()) return follow_->last_event();
    return kept_ ? kept_->last_event : 0;
  }
  /// Until `now` nothing more happened: evaluations that found nothing to do are in no log.
  void let_pass(Instant now);

  // Of the thread that catches up, after one without error, until the next:
  /// Of the row that ends with the last event.
  const Hash& hash() const { return follow_->hash(); }
  /// Of the connection that it is read by; nullptr: there is none.
  Log* log() { return log_.get(); }
  /// Of the state as it is, with what no log keeps of it.
  MadeBase base(const Unimaged& unimaged);
  void close() { forget(); }

 private:
  /// What a log that cannot be read any more has left.
  struct Kept {
    State state;
    int64_t last_event = 0;
  };

  Status open();
  Status apply_until(int64_t last);
  Status try_catch_up(int64_t last);
  void forget();
  bool is_current() const { return current_ && follow_->is_whole(); }

  const std::string database_;
  std::unique_ptr<Log> log_;
  mutable std::mutex memory_;          // of what follows
  std::optional<FollowedLog> follow_;  // of log_
  bool current_ = false;               // follow_ has come to the log's end once
  std::optional<Kept> kept_;           // until it has
  Instant time_;
};

}  // namespace leasehold
