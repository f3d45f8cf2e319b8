// Off hosts: what an agent is told, with the answer to a heartbeat, of its own hosts that are not
// up: those that it may switch on for waiting work of others, and those that nobody else uses
// (schema/wire/PROTOCOL.md, "Hosts that are down", "Hosts that are asleep"). Reads only: no slot
// moves by it.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/state.hpp"

namespace leasehold {

inline constexpr size_t kOffHostsMost = 64;

/// Names of the cluster's hosts, at most so many of each.
struct OffHosts {
  std::vector<std::string> wake;
  std::vector<std::string> unused;
};

/// Costs a look at the cluster's hosts where all are up, else at its groups and their plans.
OffHosts off_hosts(const State& state, uint32_t cluster);

}  // namespace leasehold
