// Rooms: on which hosts waiting work could start, as they are or once some of what runs there has
// ended. It answers for a whole job at once: its slots in all, the least slots on each host, the
// least number of hosts, and whether it wants them for itself. Pure. Which work ends is
// preemption.hpp's; what else a job wants of a host is in WorkUnit::fits.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/work/work_unit.hpp"

namespace leasehold::agent {

/// Slots of one host.
struct Room {
  int64_t left = 0;    // usable and not in use; below 0: so many that are in use will not be usable
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
  /// Notes that work with so many slots ends there; below 0: that it goes on after all.
  void free(const std::string& host, int64_t slots);
  /// Returns the slots that the unit could have there: 0 if there are too few for it, or if a unit
  /// that wants whole hosts would share the host.
  int64_t usable(const WorkUnit& unit, const std::string& host) const;
  /// Returns how many of the unit's tasks could start together, at most `most`.
  int64_t startable(const WorkUnit& unit, int64_t most) const;
  /// Starts at most so many tasks of the unit, which take their slots, and returns how many.
  int64_t start(const WorkUnit& unit, int64_t most);

 private:
  std::vector<std::pair<std::string, int64_t>> usable(const WorkUnit& unit) const;
  bool start_one(const WorkUnit& unit);
  int64_t start_anywhere(const WorkUnit& unit, int64_t most);

  Hosts hosts_;
};

}  // namespace leasehold::agent
