// WhoseClock: which clock is wrong among a broker's, its database server's and its agents': the one
// that differs from the two others. Pure; for a broker that would lead
// (broker/daemon/leadership/other_brokers.cpp) and for people.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/time/clock_difference.hpp"

namespace leasehold {

enum class WhoseClock : uint8_t {
  nobodys,
  brokers,
  servers,
  agents,  // most of the agents'
};

/// The time by which a broker's wall clock is ahead of others; nullopt: not known.
struct BrokerClock {
  std::optional<ClockDifference> of_server;
  std::optional<ClockDifference> of_agents;  // their median
};

/// Only differences that are surely larger than `least_ms` count.
WhoseClock whose_clock(const BrokerClock& ahead, int64_t least_ms);

/// Returns false if the broker's clock is ahead of both by more than two minutes, or of the
/// server's where no agent has reported its clock. Such a leader would date events later than the
/// next leader can.
bool may_date_events(const BrokerClock& ahead);

/// Returns the middle one of an odd number, the lower of the two middle ones of an even number;
/// nullopt where there is none.
std::optional<ClockDifference> median(const std::vector<ClockDifference>& differences);

}  // namespace leasehold
