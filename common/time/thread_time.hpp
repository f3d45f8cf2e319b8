// thread_us is how long a thread has worked. It is no instant of any clock (common/time/clock.hpp).
#pragma once

#include <cstdint>

namespace leasehold {

/// Microseconds of processor time that the calling thread has used. It does not advance while the
/// thread waits or others have the processor.
int64_t thread_us();

}  // namespace leasehold
