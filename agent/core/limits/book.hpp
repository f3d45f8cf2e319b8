// Book: every slot group that the agent knows, with its limits and the local names of its hosts. It
// joins the broker's configuration and the durable limits; beside a look at the workload manager it
// gives what is to be enforced, and what is used (book_use.hpp). Pure: no clock, no file; its
// caller persists a group that changed before anything else follows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/limits/host_names.hpp"
#include "agent/core/limits/limits.hpp"
#include "agent/core/limits/view.hpp"

namespace leasehold::agent {

struct LeasedGroup {
  wire::ConfiguredGroup configured;
  GroupLimits limits;
  std::vector<std::string> places;  // by host position: the local name; "" = not known or refused

  /// Returns "" also for a position that the configuration does not have; a fence may have it.
  const std::string& place(size_t position) const {
    static const std::string nowhere;
    return position < places.size() ? places[position] : nowhere;
  }
};

/// Use of one group, by host position.
struct GroupUse {
  std::vector<int32_t> used;  // up to the limit
  std::vector<int32_t> used_peak;
  std::vector<bool> known;  // the workload manager knows the host
  std::vector<bool> up;
  int32_t breach = 0;                          // slots above every limit on hosts of the group
  std::vector<wire::Division> divisions = {};  // of imported hosts
};

class Book {
 public:
  explicit Book(HostNames names) : names_(std::move(names)) {}

  /// Restores the last configuration and the limits as they were saved. Limits of groups that the
  /// configuration does not name are dropped.
  void restore(const wire::Configuration& configuration, const std::vector<GroupLimits>& limits,
               const std::vector<wire::HostFacts>& own_hosts);
  /// Adds groups that the state does not know, because it was lost or is an older copy: their
  /// limits, exports and places come from the fences found. Limits of known groups fall to what
  /// their fences say, except for slots of the host that are open and that no limit would then
  /// count: a limit that keeps such slots is frozen on that host.
  /// `closing`: hosts of which more may be open than the fences found say.
  void adopt_fences(const std::vector<HostCap>& found, const std::set<std::string>& closing = {});

  struct Adoption {
    std::vector<uint64_t> changed;  // generations whose limits are to be persisted
    std::vector<uint64_t> dropped;
    std::vector<std::string> problems;  // imported hosts whose local name is taken
  };
  /// Applies a configuration. `state_lost`: it is the first one since the state was lost; nobody
  /// knows the limits of groups and hosts that it names and no fence did, so none is assumed.
  Adoption adopt(const wire::Configuration& configuration, bool state_lost,
                 const std::vector<wire::HostFacts>& own_hosts);

  /// Closes all borrowed slots for new work, as leases have ended by themselves (limits.hpp,
  /// close_all). False: no group borrows any.
  bool close_leased();
  /// Returns the longest grace that work on leased slots gets when its lease ends by itself.
  int64_t longest_grace_ms() const;

  const wire::Configuration& configuration() const { return configuration_; }
  /// Returns the groups in the order of attribution.
  const std::vector<LeasedGroup>& groups() const { return groups_; }
  size_t index_of(const LeasedGroup& group) const {
    return static_cast<size_t>(&group - groups_.data());
  }
  LeasedGroup* find(uint64_t generation);
  const LeasedGroup* find(uint64_t generation) const;
  /// Sets HostLimit::withheld of every host to 0 (reclaim/sets.hpp).
  void withhold_nothing();
  /// Returns the local names of imported hosts, sorted, each once.
  std::vector<std::string> imported_hosts() const;

  /// Sets ever_used where a job ran; returns the generations that it changed.
  std::vector<uint64_t> note_use(const std::vector<GroupUse>& use);

  struct OnHost {
    uint32_t group = 0;
    uint32_t position = 0;
  };
  struct LeasedHost {  // with the groups that have slots on it, in the order of attribution
    bool imported = false;
    std::vector<OnHost> leases;
  };
  /// Returns the hosts of all groups, by local name.
  const std::map<std::string, LeasedHost>& hosts() const { return hosts_; }
  /// Freezes every group that has slots there.
  void freeze_all(const LeasedHost& host);

 private:
  using Owners = std::map<std::string, std::string>;  // local name -> "host@cluster"
  std::string place_of(const wire::ConfiguredGroup& group, const std::string& host, Owners& owners,
                       std::vector<std::string>& problems) const;
  std::vector<std::string> find_places(const std::vector<wire::HostFacts>& own_hosts);
  void index_hosts();
  std::map<std::string, int32_t> open_beyond(const std::vector<HostCap>& found) const;
  static void close_unfenced(LeasedGroup& group, const std::vector<HostCap>& found,
                             std::map<std::string, int32_t>& open);
  void adopt_part(const HostCap& cap, const CapPart& part, size_t known, int32_t& open);

  HostNames names_;
  wire::Configuration configuration_;
  std::vector<LeasedGroup> groups_;
  std::map<std::string, LeasedHost> hosts_;
};

}  // namespace leasehold::agent
