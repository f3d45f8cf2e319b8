// StallTimeout shuts down a connection whose server has answered nothing for too long. libpq waits
// for an answer without end, and a socket's options help only where the other machine is gone: the
// machine of a server that stands still goes on acknowledging bytes. It has one thread, which
// sleeps.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace leasehold {

class StallTimeout {
 public:
  /// Uses a descriptor of its own: the owner of `socket` may close it at any time.
  explicit StallTimeout(int socket);
  StallTimeout(const StallTimeout&) = delete;
  StallTimeout& operator=(const StallTimeout&) = delete;
  ~StallTimeout();

  /// Returns false if no descriptor was to be had, and nothing will be ended.
  bool works() const { return socket_ >= 0; }
  /// Watches the socket until end(): it is shut down once nothing has come in for `limit`, and a
  /// caller that waits on it gets an error. A Unix socket does not show what came in: there `limit`
  /// is for the whole answer.
  void begin(std::chrono::milliseconds limit);
  /// Ends the watch. True: the socket was shut down.
  bool end();

 private:
  using Clock = std::chrono::steady_clock;
  void work();
  Clock::time_point silent_since() const;

  const int socket_;
  std::mutex mutex_;
  std::condition_variable earlier_;
  std::chrono::milliseconds limit_{};
  std::optional<Clock::time_point> deadline_;  // nullopt: nobody waits for an answer
  std::optional<Clock::time_point> wakes_;     // nullopt: not by itself
  bool hung_up_ = false;
  bool ends_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace leasehold
