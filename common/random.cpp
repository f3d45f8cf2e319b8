#include "common/random.hpp"

#include <sodium.h>

#include "common/check.hpp"

namespace leasehold {

uint64_t random_u64() {
  static const bool ready = sodium_init() >= 0;
  LEASEHOLD_CHECK(ready, "libsodium found no source of random numbers");
  uint64_t number = 0;
  while (number == 0) randombytes_buf(&number, sizeof number);
  return number;
}

}  // namespace leasehold
