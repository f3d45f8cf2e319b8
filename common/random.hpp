// Random numbers for ids that nobody can guess and that do not repeat. Pure code and simulated
// workloads do not use it (those are seeded).
#pragma once

#include <cstdint>

namespace leasehold {

/// Draws from the system's generator (libsodium). It is never 0, which means "none" in messages.
uint64_t random_u64();

}  // namespace leasehold
