#include "common/bounds.hpp"

namespace leasehold {

std::optional<std::string> out_of(std::string_view what, int64_t value, int64_t least,
                                  int64_t most) {
  if (value >= least && value <= most) return std::nullopt;
  return std::string(what) + " is " + std::to_string(value) + "; " + std::to_string(least) +
         " to " + std::to_string(most) + " can be right";
}

std::optional<std::string> above(std::string_view what, uint64_t value) {
  if (value <= kNumberMax) return std::nullopt;
  return std::string(what) + " is " + std::to_string(value) + "; at most " +
         std::to_string(kNumberMax) + " can be right";
}

}  // namespace leasehold
