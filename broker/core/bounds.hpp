// Which numbers of an agent can be right at all: what is bounded here can be added up over as many
// hosts, groups and clusters as there are without an overflow. Not whether they fit each other or
// the configuration: that is asked in reduce.hpp.
#pragma once

#include <optional>
#include <string>

#include "common/wire/message.hpp"

namespace leasehold {

/// Slots of a host, of a cluster, wanted or in use: more than any site has.
inline constexpr int32_t kSlotsMax = 1'000'000'000;

/// Why it cannot be, in words after the host's name; nullopt: it can.
std::optional<std::string> fault_of(const wire::HostState& host);
std::optional<std::string> fault_of(const wire::HostFacts& host);
/// The same of a whole message, in words of its own.
std::optional<std::string> fault_of(const wire::Report& report);
std::optional<std::string> fault_of(const wire::Hello& hello);
/// Limits in all, and each breach.
std::optional<std::string> fault_of(const wire::StateBlock& block);
/// Of wire::Report::lease_ms and wire::Hello::lease_ms.
std::optional<std::string> fault_of_lease_ms(int64_t lease_ms);

}  // namespace leasehold
