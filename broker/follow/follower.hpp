// Follower: a thread of a broker that keeps the readable tables beside the log, at most 2 s behind.
// It shares nothing with the loop but two flags, and reads the log by itself: what it cannot do is
// told in the program's log, and touches no lease. Not an answer to any question: people ask the
// file.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "broker/follow/log_to_tables.hpp"

namespace leasehold {

class Follower {
 public:
  struct Options {
    std::string log;
    /// Below it the tables stand still, so that the log can go on.
    int64_t least_free_bytes = int64_t{256} << 20;
    int64_t interval_ms = 500;
    int64_t look_ms = 1'000;   // for a file that was deleted or replaced, and after a failure
    int64_t last_ms = 20'000;  // at the end; what is left is done after the next start
  };

  explicit Follower(Options options);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  /// Brings the tables to the log's end, and ends.
  ~Follower();

  /// There is more in the log. Of any thread; waits for nothing.
  void committed() { committed_.store(true, std::memory_order_relaxed); }

 private:
  using Time = std::chrono::steady_clock::time_point;

  void run();
  bool wait();  // false: it is the end
  void catch_up(Time until);
  void tell(const Status& outcome);

  const Options options_;
  LogToTables tables_;
  bool failing_ = false;
  std::atomic<bool> committed_{true};
  std::atomic<bool> ends_{false};
  std::mutex mutex_;
  std::condition_variable end_;
  std::thread thread_;
};

}  // namespace leasehold
