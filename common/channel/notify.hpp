// Notify: tells the service supervisor (systemd's NOTIFY_SOCKET protocol) how the program stands.
// Without a supervisor it does nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace leasehold {

/// "READY=1", "STOPPING=1", "STATUS=…"; several lines at once are one message. False: it was to be
/// told and could not be.
bool notify_supervisor(std::string_view state);

/// Tells the supervisor that the program lives, where it wants to hear so (WatchdogSec=): one that
/// has stood still for longer is ended and started again.
class Watchdog {
 public:
  /// By WATCHDOG_USEC and WATCHDOG_PID of the environment. A supervisor that would wait for less
  /// than `longest_work_ms` is told to wait so long: one piece of work may take it.
  explicit Watchdog(int64_t longest_work_ms = 0);
  /// At the most so long may pass between two alive(): half of what the supervisor waits.
  int64_t longest_wait_ms(int64_t otherwise_ms) const;
  /// To be called whenever the program has done something. `now_ms`: of a clock that is not set.
  void alive(int64_t now_ms);

 private:
  std::optional<int64_t> interval_ms_;
  int64_t told_ms_ = INT64_MIN / 2;
};

}  // namespace leasehold
