// MachineClock: the two clocks of one simulated machine. CLOCK_BOOTTIME never goes back but may
// drift and stop for a while; the wall clock may be wrong by any amount.
#pragma once

#include <algorithm>

#include "common/time/clock.hpp"
#include "tests/simulation/timeline.hpp"

namespace leasehold::simulation {

class MachineClock : public TimeSource {
 public:
  explicit MachineClock(const Timeline& time) : time_(time), runs_from_ms_(time.now_ms()) {}

  int64_t boottime_ms() const override {
    const int64_t passed_ms = std::max<int64_t>(0, time_.now_ms() - runs_from_ms_);
    return shown_ms_ + passed_ms + passed_ms * drift_ppm_ / kMillion;
  }
  Instant wall_time() const override { return {time_.now_ms() + wall_off_ms_}; }

  /// Returns when, in real time, the boottime clock will show this, if nothing changes.
  int64_t real_ms_at(int64_t boottime) const {
    if (boottime <= boottime_ms()) return time_.now_ms();
    const int64_t left_ms = boottime - boottime_ms();
    return std::max(time_.now_ms(), runs_from_ms_) + left_ms * kMillion / (kMillion + drift_ppm_) +
           1;
  }

  void drift(int64_t ppm) {
    go_on_from(std::max(time_.now_ms(), runs_from_ms_));
    drift_ppm_ = ppm;
  }
  void stand_still(int64_t for_ms) { go_on_from(time_.now_ms() + for_ms); }
  void set_wall_off(int64_t ms) { wall_off_ms_ = ms; }

 private:
  static constexpr int64_t kMillion = 1'000'000;

  void go_on_from(int64_t real_ms) {
    shown_ms_ = boottime_ms();
    runs_from_ms_ = real_ms;
  }

  const Timeline& time_;
  int64_t shown_ms_ = 1'000;
  int64_t runs_from_ms_ = 0;
  int64_t drift_ppm_ = 0;
  int64_t wall_off_ms_ = 0;
};

}  // namespace leasehold::simulation
