// CHECK: a programming error ends the program, also in release builds.
// Not for bad input or failed calls: those are values (result.hpp).
#pragma once

namespace leasehold {

/// Prints place, condition and `why` to stderr and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition, const char* why);

}  // namespace leasehold

#define LEASEHOLD_CHECK(condition, why) \
  ((condition) ? static_cast<void>(0)   \
               : ::leasehold::check_failed(__FILE__, __LINE__, #condition, why))
