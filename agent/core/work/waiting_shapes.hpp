// WaitingShape: waiting work of one session that wants its slots in the same way, on the same
// hosts. Work that is kept back belongs to no shape. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/core/work/work_session.hpp"

namespace leasehold::agent {

/// Identifies a shape from look to look. The hosts that would do are not part of it.
struct ShapeKey {
  std::string session = {};    // WorkSession::key
  int32_t slots = 0;           // of one task
  int32_t slots_per_host = 1;  // and so on: as WorkUnit has them
  int32_t hosts_wanted = 1;
  bool whole_hosts = false;
  auto operator<=>(const ShapeKey&) const = default;
};
/// "8 slots, 4 on each host, on 2 hosts, whole hosts", for people.
std::string describe(const ShapeKey& shape);

struct WaitingShape {
  ShapeKey key;
  size_t session = 0;
  size_t unit = 0;    // position of its oldest unit, which stands for all of them
  int64_t tasks = 0;  // of all its units
};

/// Returns the shapes, those of the oldest units first.
std::vector<WaitingShape> waiting_shapes(std::span<const WorkUnit> units,
                                         const WorkSessions& sessions);

}  // namespace leasehold::agent
