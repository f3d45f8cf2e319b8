// Checks which caps can be right at all (common/bounds.hpp). Whoever reads caps from a file or from
// a program asks here first: a Book is as large as the positions in them, and adds their slots up.
// Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "agent/core/limits/cap.hpp"
#include "common/bounds.hpp"

namespace leasehold::agent {

/// The most hosts that all groups together can have: more than any site has.
inline constexpr uint32_t kGroupHostsMax = 1'000'000;

/// New exports are added to a limit, so it may be twice what a broker may order.
inline constexpr int32_t kCapLimitMax = 2 * kSlotsMax;
/// The most memory that the groups of one host can have together.
inline constexpr int64_t kCapMebibytesMax = int64_t{1} << 52;

/// Returns why these caps cannot be right together, or nullopt if they can. Contract: each number
/// was checked by itself before.
std::optional<std::string> fault_of(std::span<const HostCap> caps);

}  // namespace leasehold::agent
