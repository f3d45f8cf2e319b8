#include "common/time/clock.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>

#include "common/check.hpp"

namespace leasehold {

namespace {

int64_t read_ms(clockid_t id) {
  timespec time{};
  LEASEHOLD_CHECK(clock_gettime(id, &time) == 0, "Linux has both clocks");
  return static_cast<int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1'000'000;
}

}  // namespace

int64_t boottime_ms() {
  return read_ms(CLOCK_BOOTTIME);
}

Instant wall_time() {
  return {read_ms(CLOCK_REALTIME)};
}

int64_t TimeSource::boottime_ms() const {
  return leasehold::boottime_ms();
}
Instant TimeSource::wall_time() const {
  return leasehold::wall_time();
}

std::string TimeSource::boot_id() const {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

const TimeSource& machine_time() {
  static const TimeSource source;
  return source;
}

std::optional<BothClocks> read_both(const TimeSource& source) {
  constexpr int kTries = 10;
  constexpr int64_t kRoundedMs = 1;  // two readings of one moment may differ by this much
  for (int i = 0; i < kTries; ++i) {
    const int64_t before_ms = source.boottime_ms();
    const Instant wall = source.wall_time();
    if (source.boottime_ms() - before_ms <= kRoundedMs) return BothClocks{before_ms, wall};
  }
  return std::nullopt;
}

Clock::Clock(Instant not_before, const TimeSource& source)
    : source_(&source),
      shown_minus_boottime_ms_(std::max(source.wall_time(), not_before).ms - source.boottime_ms()) {
}

Instant Clock::now() const {
  return {source_->boottime_ms() + shown_minus_boottime_ms_};
}

}  // namespace leasehold
