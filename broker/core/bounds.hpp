// Which numbers of an agent can be right at all (common/bounds.hpp), and how long its words are.
// Not whether they fit each other or the configuration: that is asked in admission.hpp.
#pragma once

#include <optional>
#include <string>

#include "common/bounds.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

/// No wall clock shows more.
inline constexpr int64_t kYear9999Ms = 253'370'764'800'000;

/// Why it cannot be, in words after the host's name; nullopt: it can.
std::optional<std::string> fault_of(const wire::HostState& host);
std::optional<std::string> fault_of(const wire::HostFacts& host);
/// The same of a whole message, in words of its own.
std::optional<std::string> fault_of(const wire::Report& report);
std::optional<std::string> fault_of(const wire::Hello& hello);
std::optional<std::string> fault_of(const wire::Demand& demand);
std::optional<std::string> fault_of(const wire::Ending& ending);
/// Limits in all, and each breach.
std::optional<std::string> fault_of(const wire::StateBlock& block);
/// Checks wire::Report::lease_ms and wire::Hello::lease_ms.
std::optional<std::string> fault_of_lease_ms(int64_t lease_ms);

}  // namespace leasehold
