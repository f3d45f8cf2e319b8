// CHECK ends the program at a programming error, in release builds too. Bad input and failed calls
// are values instead (result.hpp).
#pragma once

namespace leasehold {

/// Prints place, condition and `why` to stderr and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition, const char* why);

}  // namespace leasehold

#define LEASEHOLD_CHECK(condition, why) \
  ((condition) ? static_cast<void>(0)   \
               : ::leasehold::check_failed(__FILE__, __LINE__, #condition, why))
