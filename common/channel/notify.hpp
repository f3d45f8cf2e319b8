// Reports the program's state to the service supervisor (systemd's NOTIFY_SOCKET protocol). Without
// a supervisor it does nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace leasehold {

/// Sends "READY=1", "STOPPING=1" or "STATUS=…"; several lines make one message. Returns false if
/// there is a supervisor and it could not be reached.
bool notify_supervisor(std::string_view state);

/// Reports to the supervisor that the program is alive, if it asks for that (WatchdogSec=). It ends
/// and restarts a program that has not reported for longer.
class Watchdog {
 public:
  /// Reads WATCHDOG_USEC and WATCHDOG_PID of the environment. If the supervisor's time is shorter
  /// than `longest_work_ms`, it is asked to wait that long, because one piece of work may take it.
  explicit Watchdog(int64_t longest_work_ms = 0);
  /// The longest time that may pass between two calls of alive(): half of the supervisor's time,
  /// and at most `otherwise_ms`.
  int64_t longest_wait_ms(int64_t otherwise_ms) const;
  /// Call this whenever the program has done something. `now_ms` is read from a clock that nobody
  /// sets.
  void alive(int64_t now_ms);

 private:
  std::optional<int64_t> interval_ms_;
  int64_t reported_ms_ = INT64_MIN / 2;
};

}  // namespace leasehold
