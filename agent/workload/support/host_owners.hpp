// HostOwners: answers whose host it is, for every adapter whose manager knows hosts by names of its
// own. A host is surely another cluster's if [hosts] map names it, if an order named it, or if the
// rule could have made its name and it was found fenced by us, or without slots and work of this
// cluster's own; such a finding is kept durably. A host of which only the rule speaks, and which
// has slots or work, is unclear: it is neither lent nor closed, and is reported by its name.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "agent/core/limits/host_names.hpp"
#include "agent/workload/support/cap_journal.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

/// A host as a look shows it.
struct HostSeen {
  std::string name;
  int32_t slots = 0;   // open to work of this cluster
  bool works = false;  // work of this cluster is there
  bool fenced = false;
};

class HostOwners {
 public:
  /// Refuses a rule whose names own hosts could have, too. It asks nothing of the manager.
  static Status check(const HostNames& names);
  /// Opens the file; a missing one is empty. `read_only`: nothing is kept.
  static Result<HostOwners> open(const HostNames& names, const std::string& path, bool read_only);

  const HostNames& names() const { return names_; }
  /// Finds the owners by a look. Hosts found to be another's are durable when it returns
  /// (unless read-only), before anything is done with them.
  Status learn(std::span<const HostSeen> seen, const CapJournal& journal);
  /// True if the host is surely another cluster's.
  bool others(const std::string& host) const { return others_.contains(host); }
  /// True if only the rule calls it another's, and it has slots or work.
  bool unclear(const std::string& host) const { return unclear_.contains(host); }
  /// Returns an error that names the unclear hosts, with what to do. ErrorCode::usage.
  Status refused() const;
  /// Returns the slots that were open on it when it was found to be another's; 0: it was closed.
  int32_t slots_before(const std::string& host) const;

 private:
  bool in_map(const std::string& host) const;
  bool is_others(const HostSeen& seen, const CapJournal& journal) const;
  Status keep(std::map<std::string, int32_t> found);

  HostNames names_;
  std::string path_;
  bool read_only_ = false;
  std::map<std::string, int32_t> kept_;  // hosts found to be others', with their slots before
  std::set<std::string> others_;         // of the last look, like the next
  std::set<std::string> unclear_;
};

/// True if the rule could have made this name, in letters of either case.
bool made_by_rule(const std::string& rule, const std::string& name);

}  // namespace leasehold::agent
