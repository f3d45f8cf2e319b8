#include "common/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace leasehold {

void check_failed(const char* file, int line, const char* condition, const char* why) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s: %s\n", file, line, condition, why);
  std::abort();
}

}  // namespace leasehold
