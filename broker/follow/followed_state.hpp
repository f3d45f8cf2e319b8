// FollowedState: the state as the log has it, kept beside the loop by who answers and by who makes
// bases. It decides nothing and sees what is durable alone. One thread at a time uses an object.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "broker/store/base_maker.hpp"
#include "broker/store/log/follow_log.hpp"

namespace leasehold {

class FollowedState {
 public:
  explicit FollowedState(std::string database) : database_(std::move(database)) {}

  /// To the log's end, but not beyond event `last`; from the beginning where the log is another
  /// than before. Error: it cannot be read; the next call begins anew.
  Status catch_up(int64_t last = INT64_MAX);

  /// It is followed, and so far: false before the first catch_up() and after one that failed.
  bool reached(int64_t event) const { return follow_ && follow_->last_event() >= event; }

  // After that without error, until the next:
  const State& state() const { return follow_->state(); }
  /// Of the last event.
  Instant time() const { return time_; }
  int64_t last_event() const { return follow_ ? follow_->last_event() : 0; }
  /// Of the row that ends with it.
  const Hash& hash() const { return follow_->hash(); }
  /// Of the connection that it is read by.
  Log& log() { return *log_; }
  /// Until `now` nothing more happened: evaluations that found nothing to do are in no log.
  void let_pass(Instant now);
  /// Of the state as it is, with what no log keeps of it.
  MadeBase base(const Unimaged& unimaged);
  void close() { forget(); }

 private:
  Status open();
  Status try_catch_up(int64_t last);
  void forget();

  const std::string database_;
  std::unique_ptr<Log> log_;
  std::optional<FollowedLog> follow_;  // of log_
  Instant time_;
};

}  // namespace leasehold
