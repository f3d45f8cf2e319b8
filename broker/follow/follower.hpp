// Follower: a thread of a broker that keeps the readable tables beside the log, at most 2 s behind.
// It shares nothing with the loop but two flags, and reads the log by itself: what it cannot do is
// told in the program's log, and touches no lease. Not an answer to any question: people ask the
// file.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "broker/follow/log_to_tables.hpp"

namespace leasehold {

class Follower {
 public:
  struct Options {
    std::string log;
    std::string file;  // of the tables
    /// Below it the tables stand still, so that the log can go on.
    int64_t least_free_bytes = int64_t{256} << 20;
    int64_t interval_ms = 500;
    int64_t look_ms = 1'000;   // for a file that was deleted or replaced, and after a failure
    int64_t last_ms = 20'000;  // at the end; what is left is done after the next start
    int64_t news_ms = 60'000;  // no more often anything is news
  };

  explicit Follower(Options options);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  /// Brings the tables to the log's end, and ends.
  ~Follower();

  /// There is more in the log. Of any thread; waits for nothing.
  void committed() { committed_.store(true, std::memory_order_relaxed); }

  /// That the tables fail, or, an empty text, that they follow again: once, and not more often than
  /// each news_ms. Of one other thread; waits for nothing that takes long.
  std::optional<std::string> take_news();

 private:
  using Time = std::chrono::steady_clock::time_point;

  void run();
  bool wait();  // false: it is the end
  void catch_up(Time until);
  void tell(const Status& outcome);

  const Options options_;
  LogToTables tables_;
  bool failing_ = false;
  std::atomic<bool> fails_{false};  // as failing_, for the other thread
  std::string why_;                 // under mutex_
  std::atomic<bool> committed_{true};
  std::atomic<bool> ends_{false};
  std::mutex mutex_;
  std::condition_variable end_;
  bool news_fails_ = false;  // as was told last, to the other thread
  Time news_at_{};
  std::thread thread_;
};

}  // namespace leasehold
