// The one bound of what C++ tests wait for: it ends what hangs, on whatever machine. How long
// something takes is not what they show.
#pragma once

#include <cstdint>

namespace leasehold::test {

inline constexpr int64_t kLastBoundMs = 1'800'000;

}  // namespace leasehold::test
