// Random numbers that the programs draw for themselves (sessions, incarnations, state ids), made to
// come from a seed: libsodium lets its source be replaced.
#pragma once

#include <cstdint>

namespace leasehold::simulation {

void seed_random(uint64_t seed);

}  // namespace leasehold::simulation
