// LeaseEnd: what follows on the end of leases (schema/wire/PROTOCOL.md, "Lost contact"), step by
// step: leased slots are closed, their fences are put up and settle, and limits fall to what is in
// use. The workload manager closes leased slots by itself at that instant; these steps keep the
// limits in accord, so that nothing opens again but by a new order. Pure: all times are
// CLOCK_BOOTTIME. Agent carries the steps out; when leases end LeaseClock knows.
#pragma once

#include <cstdint>

namespace leasehold::agent {

class LeaseEnd {
 public:
  static constexpr int64_t kRetryMs = 1'000;

  /// Takes in whether leases have ended. True, once for each end: leased slots are to be closed,
  /// and closed() to be called if there were any.
  bool begins(bool ended);
  void closed() { step_ = Step::fence; }

  /// True: fences are to be put up now. If that fails it is tried again after kRetryMs.
  bool try_fence(int64_t now_ms);
  void fenced(int64_t now_ms, int64_t settle_ms);

  /// True: fences have settled, and limits fall now. If that fails it is tried again after
  /// kRetryMs.
  bool try_give_up(int64_t now_ms);
  void gave_up();

  /// When a step is due, where leases end at `ends_ms`; INT64_MAX: none is.
  int64_t next_ms(int64_t ends_ms) const;

 private:
  enum class Step : uint8_t { none, fence, give_up };

  bool over_ = false;  // the end was taken in
  Step step_ = Step::none;
  int64_t due_ms_ = INT64_MAX;
};

}  // namespace leasehold::agent
