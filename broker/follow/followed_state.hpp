// FollowedState: the state as the log has it, kept beside the event loop by the thread that answers
// questions and by the one that makes bases. It decides nothing and sees only what is durable. One
// thread at a time may catch up; others can read the known state meanwhile, because the lock is not
// held while the log is waited for.
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

  /// Reads to the log's end, but not beyond event `last`; from the beginning if the log is another
  /// than before. Error: it cannot be read; the next call begins again. The state that was known
  /// stays readable until a call succeeds.
  Status catch_up(int64_t last = INT64_MAX);

  using Held = std::unique_lock<std::mutex>;
  /// Locks the known state, so that it does not change.
  Held hold() const { return Held(memory_); }

  // The next ones are for the holder of the lock, and for the thread that catches up.
  /// True if the state is followed and contains that event; false before the first catch_up() and
  /// after one that failed.
  bool reached(int64_t event) const { return is_current() && follow_->last_event() >= event; }
  /// True if a catch_up() has succeeded: there is a state.
  bool is_known() const { return is_current() || kept_; }

  // The following read the known state.
  const State& state() const { return is_current() ? follow_->state() : kept_->state; }
  /// Returns the time of the last event.
  Instant time() const { return time_; }
  int64_t last_event() const {
    if (is_current()) return follow_->last_event();
    return kept_ ? kept_->last_event : 0;
  }
  /// Advances the state to `now` without events: evaluations that found nothing to do are in no
  /// log.
  void let_pass(Instant now);

  // The following are for the thread that catches up, after a success and until the next call.
  /// Returns the hash of the row that ends with the last event.
  const Hash& hash() const { return follow_->hash(); }
  /// Returns the connection by which the log is read; nullptr: there is none.
  Log* log() { return log_.get(); }
  /// Makes a base of the present state, together with what no log keeps of it.
  MadeBase base(const Unimaged& unimaged);
  void close() { forget(); }

 private:
  /// The state that is left of a log that cannot be read any more.
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
  mutable std::mutex memory_;          // protects what follows
  std::optional<FollowedLog> follow_;  // reads log_
  bool current_ = false;               // follow_ has reached the log's end once
  std::optional<Kept> kept_;           // set until `current_` is true again
  Instant time_;
};

}  // namespace leasehold
