// LeaseEnd: the steps that follow when leases end (schema/wire/PROTOCOL.md, "Lost contact"): leased
// slots are closed, their fences are put up and take effect, and limits fall to what is in use. The
// workload manager closes leased slots by itself at that instant; these steps make the limits agree
// with that, so that only a new order opens anything again. Pure: all times are CLOCK_BOOTTIME.
// Agent carries the steps out; LeaseClock knows when leases end.
#pragma once

#include <cstdint>

namespace leasehold::agent {

class LeaseEnd {
 public:
  static constexpr int64_t kRetryMs = 1'000;

  /// Takes in whether leases have ended. True, once for each end: the caller closes the leased
  /// slots, and calls closed() if there were any.
  bool begins(bool ended);
  void closed() { step_ = Step::fence; }

  /// True: the caller puts up the fences now. It is true again after kRetryMs unless fenced() is
  /// called.
  bool try_fence(int64_t now_ms);
  void fenced(int64_t now_ms, int64_t delay_ms);

  /// True: the fences are in effect, and the caller lowers the limits now. It is true again after
  /// kRetryMs unless gave_up() is called.
  bool try_give_up(int64_t now_ms);
  void gave_up();

  /// Returns when the next step is taken if leases end at `ends_ms`; INT64_MAX: none is.
  int64_t next_ms(int64_t ends_ms) const;

 private:
  enum class Step : uint8_t { none, fence, give_up };

  bool over_ = false;  // the end was taken in
  Step step_ = Step::none;
  int64_t next_ms_ = INT64_MAX;
};

}  // namespace leasehold::agent
