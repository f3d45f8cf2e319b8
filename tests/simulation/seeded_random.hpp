// Makes the random numbers that the programs draw (sessions, incarnations, state ids) come from a
// seed: libsodium lets its source be replaced.
#pragma once

#include <cstdint>

namespace leasehold::simulation {

void seed_random(uint64_t seed);

}  // namespace leasehold::simulation
