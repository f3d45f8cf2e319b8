// Random numbers for ids that nobody may guess or meet twice. Not for pure code, not for simulated
// workloads (those are seeded).
#pragma once

#include <cstdint>

namespace leasehold {

/// From the system's generator (libsodium); never 0, which stands for "none" in messages.
uint64_t random_u64();

}  // namespace leasehold
