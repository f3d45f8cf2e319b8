// HostCap: how many slots of one host the cluster's workload manager lets its jobs use now, and
// what that number was made from. Adapters enforce it and read it back (workload/workload.hpp). It
// is no limit: limits are durable at the agent and may be above what is enforced (limits.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace leasehold::agent {

/// The share of one slot group in a cap; kept beside the fence, so that an agent that has lost its
/// state can read back what it held.
struct CapPart {
  uint64_t generation = 0;
  uint32_t host = 0;     // position in the group
  int32_t limit = 0;     // of the group on this host
  int32_t exported = 0;  // own hosts: slots of the host that belong to the group
  bool operator==(const CapPart&) const = default;
};

/// An own host without a HostCap is not fenced; an imported host without one is closed. A HostCap
/// whose `parts` are empty, given to Workload::enforce(), removes the host's fence.
struct HostCap {
  std::string host;  // as the cluster's workload manager calls it
  bool imported = false;
  int32_t slots = 0;   // that may be used in all; nothing new starts at or above it
  int32_t own = 0;     // of these, slots that are not leased; imported: 0
  int64_t mem_mb = 0;  // own: withheld from the cluster; imported: what it may use
  int64_t swap_mb = 0;
  std::vector<CapPart> parts;  // by generation
  int64_t grace_ms = 0;        // imported: what work there gets when the lease ends by itself
  bool operator==(const HostCap&) const = default;
};

}  // namespace leasehold::agent
