// WhoseClock: whose clock is wrong of a broker's, its database server's and its agents': of three
// the one that the two others are at odds with. Pure; for whoever would lead
// (broker/daemon/others.cpp) and for people.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/clock_difference.hpp"

namespace leasehold {

enum class WhoseClock : uint8_t {
  nobodys,
  brokers,
  servers,
  agents,  // most of them
};

/// What a broker's wall clock is ahead of; nullopt: not known.
struct BrokerClock {
  std::optional<ClockDifference> of_server;
  std::optional<ClockDifference> of_agents;  // their median
};

/// Of what differs surely by more than `least_ms`.
WhoseClock whose_clock(const BrokerClock& ahead, int64_t least_ms);

/// False: it is ahead of both by more than two minutes, or of the server where no agent has told
/// its clock: who led by it would date events later than whoever leads next can.
bool may_date_events(const BrokerClock& ahead);

/// Of an odd number the middle one, of an even one the lower of the two; nullopt: of none.
std::optional<ClockDifference> median(const std::vector<ClockDifference>& differences);

}  // namespace leasehold
