#include "tests/simulation/seeded_random.hpp"

#include <sodium.h>

#include <cstring>

#include "tests/simulation/chance.hpp"
#include "tests/support/disk/simulated_disk.hpp"

namespace leasehold::simulation {

namespace {

Chance source(0);

uint32_t draw() {
  return static_cast<uint32_t>(source.next());
}

void fill(void* const to, const size_t size) {
  auto* bytes = static_cast<uint8_t*>(to);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(source.next());
}

}  // namespace

void seed_random(uint64_t seed) {
  static randombytes_implementation seeded{[] { return "seeded"; }, draw, [] {}, nullptr, fill,
                                           [] { return 0; }};
  randombytes_set_implementation(&seeded);
  source = Chance(seed ^ 0x5eedU);
  test::SimulatedDisk::seed_sqlite(seed);
}

}  // namespace leasehold::simulation
