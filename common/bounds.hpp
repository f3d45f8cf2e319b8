// The range of every number that a peer can rightly send, agent or broker. Bounded numbers can be
// added up over as many hosts, groups and clusters as there are without an overflow. Broker and
// agent check against the same bounds (broker/core/bounds.hpp, agent/core/bounds.hpp), so neither
// accepts what the other could never state. Whether numbers fit each other or the configuration is
// checked elsewhere. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leasehold {

/// The most slots that a host or a cluster can have, want or use: more than any site has.
inline constexpr int32_t kSlotsMax = 1'000'000'000;
inline constexpr int64_t kLongestMs = int64_t{10} * 365 * 24 * 3600 * 1000;
inline constexpr int64_t kMebibytesMax = int64_t{1} << 40;
inline constexpr uint64_t kNumberMax = uint64_t{1} << 62;  // counters: one more still fits

/// Returns why `value` cannot be right, in words that begin with `what`, or nullopt if it can. It
/// is called for each number of each report, so the good case allocates nothing.
std::optional<std::string> out_of(std::string_view what, int64_t value, int64_t least,
                                  int64_t most);
/// Does the same for a counter, which has no lower bound.
std::optional<std::string> above(std::string_view what, uint64_t value);

}  // namespace leasehold
