// Rooms: on which hosts waiting work could start, as they are or once some of what runs there has
// ended. It answers for a whole job at once: so many slots in all, at least so many on each of at
// least so many hosts, hosts of its own. Pure. Not which work ends (preemption.hpp), and not what
// else a job wants of a host: that stands in WorkUnit::fits.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/reclaim/work_unit.hpp"

namespace leasehold::agent {

/// Slots of one host.
struct Room {
  int64_t left = 0;    // that may be used and are not; below 0: so many in use must not come back
  int64_t in_use = 0;  // by work that runs, or starts
  bool operator==(const Room&) const = default;
};

class Rooms {
 public:
  using Hosts = std::map<std::string, Room>;

  Rooms() = default;
  explicit Rooms(Hosts hosts) : hosts_(std::move(hosts)) {}

  const Hosts& all() const { return hosts_; }
  Room of(const std::string& host) const;
  /// Work ends there; below 0: it goes on after all.
  void free(const std::string& host, int64_t slots);
  /// Slots that the unit could have there: 0 where it has too few for it, or where a unit that
  /// wants hosts of its own would have company.
  int64_t usable(const WorkUnit& unit, const std::string& host) const;
  /// How many of the unit's tasks could start together, at most `most`.
  int64_t startable(const WorkUnit& unit, int64_t most) const;
  /// They take their slots.
  int64_t start(const WorkUnit& unit, int64_t most);

 private:
  std::vector<std::pair<std::string, int64_t>> usable(const WorkUnit& unit) const;
  bool start_one(const WorkUnit& unit);
  int64_t start_anywhere(const WorkUnit& unit, int64_t most);

  Hosts hosts_;
};

}  // namespace leasehold::agent
