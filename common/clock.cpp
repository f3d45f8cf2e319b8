#include "common/clock.hpp"

#include <ctime>

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

Clock::Clock(Instant not_before)
    : wall_minus_boottime_ms_(wall_time().ms - boottime_ms()), not_before_(not_before) {}

Instant Clock::now() const {
  const Instant at{boottime_ms() + wall_minus_boottime_ms_};
  return at < not_before_ ? not_before_ : at;
}

}  // namespace leasehold
