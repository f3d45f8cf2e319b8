// thread_us: how long a thread has worked. Not an instant of any clock (common/clock.hpp).
#pragma once

#include <cstdint>

namespace leasehold {

/// Microseconds of processor time that the calling thread has had. It stands still while the thread
/// waits, or while others have the processor.
int64_t thread_us();

}  // namespace leasehold
