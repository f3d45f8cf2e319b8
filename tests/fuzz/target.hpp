// Common parts of the fuzz targets: counting of allocations, files for readers that want a path. A
// property that does not hold is a LEASEHOLD_CHECK: it aborts, and libFuzzer keeps the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/check.hpp"
#include "common/result.hpp"

namespace leasehold::fuzz {

using Input = std::span<const uint8_t>;

inline std::string_view text_of(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

/// Bytes that this program has asked of the allocator since it began, those given back included:
/// a bound on the difference bounds memory and the work of filling it.
uint64_t allocated_bytes();

/// A folder of the target's own, in memory where the system has a place for that, removed at the
/// end.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  /// Writes the file, over an earlier one of the name; gives its path.
  std::string write(const std::string& name, std::string_view contents) const;

 private:
  std::string path_;
};

/// Checks that an error has words, and a place that can be in a text of `bytes`.
void check_error(const Error& error, size_t bytes);

}  // namespace leasehold::fuzz
