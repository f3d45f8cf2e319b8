// HostDivisions: which hosts of the queue two cells could not use side by side, because the cell
// gives out memory or devices of theirs, and another one would give out the same. Whether jobs are
// bound to cores it cannot know: each job says that for itself.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/workload/gridengine/cell.hpp"
#include "agent/workload/gridengine/hosts.hpp"
#include "common/wire/division.hpp"

namespace leasehold::agent {

class HostDivisions {
 public:
  explicit HostDivisions(const GridEngineCell& cell) : cell_(cell) {}

  /// Begins a look; the cell is asked in about one of 120, and where a host is new. What hosts have
  /// stays as last known where the cell does not tell. A host whose resources the cell never listed
  /// counts as having every consumable resource of memory and devices.
  Status refresh(const QueueHosts& hosts);
  /// `unsaid`: nothing is known that speaks against it.
  wire::Division of(const std::string& host) const;
  /// Adds a sentence for each kind of host that is lent whole, with the setting, and one where the
  /// cell does not tell.
  void add_to(std::vector<std::string>& cautions) const;

 private:
  struct Given {
    wire::Division division = wire::Division::unsaid;
    std::string resources;
  };
  using Resources = std::set<std::string>;

  void ask_hosts(const std::vector<std::string>& names);
  Resources there_on(const std::string& host, const GridEngineResources& known,
                     const GridEngineQueue& queue) const;

  const GridEngineCell& cell_;
  int looks_to_asking_ = 0;
  std::map<std::string, Resources> resources_;  // of each host that the cell showed
  std::string failure_;                 // of the last question for hosts' resources; "": none
  std::map<std::string, Given> given_;  // by host
};

}  // namespace leasehold::agent
