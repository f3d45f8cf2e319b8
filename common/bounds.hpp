// Which numbers a peer can rightly send at all, whichever side it is: what is bounded here can be
// added up over as many hosts, groups and clusters as there are without an overflow. Both doors go
// by the same bounds (broker/core/bounds.hpp, agent/core/bounds.hpp), so that neither side takes
// what the other could never state. Not whether numbers fit each other or the configuration. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leasehold {

/// Slots of a host, of a cluster, wanted or in use: more than any site has.
inline constexpr int32_t kSlotsMax = 1'000'000'000;
inline constexpr int64_t kLongestMs = int64_t{10} * 365 * 24 * 3600 * 1000;
inline constexpr int64_t kMebibytesMax = int64_t{1} << 40;
inline constexpr uint64_t kNumberMax = uint64_t{1} << 62;  // counters: + 1 is a number too

/// Asked of each number of each report: what can be costs nothing.
/// Why it cannot be, in words that begin with `what`; nullopt: it can.
std::optional<std::string> out_of(std::string_view what, int64_t value, int64_t least,
                                  int64_t most);
/// The same of a counter.
std::optional<std::string> above(std::string_view what, uint64_t value);

}  // namespace leasehold
