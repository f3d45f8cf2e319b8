// These functions judge each number and word of an agent by itself (common/bounds.hpp).
// admission.hpp judges how they fit each other and the configuration.
#pragma once

#include <optional>
#include <string>

#include "common/bounds.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

/// No wall clock shows more.
inline constexpr int64_t kYear9999Ms = 253'370'764'800'000;

/// Returns why it cannot be, in words after the host's name; nullopt: it can.
std::optional<std::string> fault_of(const wire::HostState& host);
std::optional<std::string> fault_of(const wire::HostFacts& host);
/// Does the same for a whole message, in words of its own.
std::optional<std::string> fault_of(const wire::Report& report);
std::optional<std::string> fault_of(const wire::Hello& hello);
std::optional<std::string> fault_of(const wire::Demand& demand);
std::optional<std::string> fault_of(const wire::Ending& ending);
/// Checks the limits in all, and each breach.
std::optional<std::string> fault_of(const wire::StateBlock& block);
/// Checks wire::Report::lease_ms and wire::Hello::lease_ms.
std::optional<std::string> fault_of_lease_ms(int64_t lease_ms);

}  // namespace leasehold
