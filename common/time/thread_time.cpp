#include "common/time/thread_time.hpp"

#include <ctime>

namespace leasehold {

int64_t thread_us() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1'000;
}

}  // namespace leasehold
