// Book: every slot group that the agent knows, with its limits and the local names of its hosts. It
// joins the broker's configuration, the durable limits and a look at the workload manager (View)
// into the caps to enforce, the use of each group and the state to send. Pure: no clock, no file;
// its caller persists a group that changed before anything else follows.
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
  /// their fences say, but on no host below what is open there in all: what counts more is frozen.
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
  /// The longest that work on leased slots gets when its lease ends by itself.
  int64_t longest_grace_ms() const;

  const wire::Configuration& configuration() const { return configuration_; }
  /// In the order of attribution.
  const std::vector<LeasedGroup>& groups() const { return groups_; }
  size_t index_of(const LeasedGroup& group) const {
    return static_cast<size_t>(&group - groups_.data());
  }
  LeasedGroup* find(uint64_t generation);
  const LeasedGroup* find(uint64_t generation) const;
  /// Sets HostLimit::withheld of every host to 0 (reclaim/sets.hpp).
  void withhold_nothing();
  /// Local names of imported hosts, sorted, each once.
  std::vector<std::string> imported_hosts() const;

  /// Returns the caps to enforce, by host name. Hosts of ours without leased slots are not named.
  std::vector<HostCap> caps(const std::vector<wire::HostFacts>& own_hosts) const;
  /// One entry a group, in the order of groups().
  std::vector<GroupUse> use(const View& view) const;

  /// Freezes every group on the hosts where what is enforced differs from what should be. Without
  /// state: all of them. Returns how many hosts.
  int freeze_differing(const View& view, bool state_lost);
  /// Sets ever_used where a job ran; returns the generations that it changed.
  std::vector<uint64_t> note_use(const std::vector<GroupUse>& use);

  /// Appends one group. `unknown_too`: also hosts that the workload manager does not know; their
  /// slots are taken to be in use.
  void state_of(size_t index, const GroupUse& use, bool unknown_too, wire::StateBlock& block) const;
  /// `used` for an order: a host that is not known gives up nothing.
  static std::vector<int32_t> used_for_order(const LeasedGroup& group, const GroupUse& use);

 private:
  struct OnHost {
    uint32_t group = 0;
    uint32_t position = 0;
  };
  struct Site {  // a local host with the groups that have slots on it, in the order of attribution
    bool imported = false;
    std::vector<OnHost> leases;
  };

  using Owners = std::map<std::string, std::string>;  // local name -> "host@cluster"
  std::string place_of(const wire::ConfiguredGroup& group, const std::string& host, Owners& owners,
                       std::vector<std::string>& problems) const;
  std::vector<std::string> find_places(const std::vector<wire::HostFacts>& own_hosts);
  void index_sites();
  std::map<std::string, int32_t> open_beyond(const std::vector<HostCap>& found) const;
  static void close_unfenced(LeasedGroup& group, const std::vector<HostCap>& found,
                             std::map<std::string, int32_t>& open);
  void adopt_part(const HostCap& cap, const CapPart& part, size_t known, int32_t& open);
  HostCap cap_of(const std::string& name, const Site& site, int32_t slots) const;
  void add_part(const OnHost& lease, HostCap& cap) const;
  int32_t own_slots(const Site& site, int32_t slots) const;
  void use_site(const Site& site, const HostLoad& load, int32_t slots,
                std::vector<GroupUse>& use) const;

  HostNames names_;
  wire::Configuration configuration_;
  std::vector<LeasedGroup> groups_;
  std::map<std::string, Site> sites_;
};

/// Return exports and limit by the configuration, which may be ahead of the orders: exports that no
/// order has named yet are still used as the provider's own, so the limit in effect is that much
/// higher.
int32_t effective_exports(const LeasedGroup& group, size_t position);
int32_t effective_limit(const LeasedGroup& group, size_t position);
/// Returns the caps to enforce on hosts whose cap differs from what is wanted. Caps that are wanted
/// no longer are lifted (own hosts) or closed (imported hosts).
std::vector<HostCap> differences(const std::vector<HostCap>& wanted,
                                 const std::vector<HostCap>& found,
                                 const std::vector<wire::HostFacts>& own_hosts);

}  // namespace leasehold::agent
