// Follower: a thread of a broker that keeps the readable tables at most 2 s behind the log. It
// shares only two flags with the event loop, and reads the log by itself. A failure is written to
// the program's log and affects no lease. It answers no questions: people query the file.
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
    std::string file;  // the file of the tables
    /// With less free space the tables are not written, so that the log can go on.
    int64_t least_free_bytes = int64_t{256} << 20;
    int64_t interval_ms = 500;
    int64_t look_ms = 1'000;   // looks for a deleted or replaced file, and retries after a failure
    int64_t last_ms = 20'000;  // time at the end; the rest is done after the next start
    int64_t news_ms = 60'000;  // the least time between two news
  };

  explicit Follower(Options options);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  /// Brings the tables to the log's end, and stops the thread.
  ~Follower();

  /// Says that the log has new rows. Any thread may call it; it does not block.
  void committed() { committed_.store(true, std::memory_order_relaxed); }

  /// Returns once that the tables fail, and once, as an empty text, that they are written again; at
  /// most every news_ms. For one other thread; it blocks for no long operation.
  std::optional<std::string> take_news();

 private:
  using Time = std::chrono::steady_clock::time_point;

  void run();
  bool wait();  // returns false at the end
  void catch_up(Time until);
  void tell(const Status& outcome);

  const Options options_;
  LogToTables tables_;
  bool failing_ = false;
  std::atomic<bool> fails_{false};  // a copy of failing_ for the other thread
  std::string why_;                 // protected by mutex_
  std::atomic<bool> committed_{true};
  std::atomic<bool> ends_{false};
  std::mutex mutex_;
  std::condition_variable end_;
  bool news_fails_ = false;  // as reported last to the other thread
  Time news_at_{};
  std::thread thread_;
};

}  // namespace leasehold
