// lease-agent probes, or removes all fences, for an operator who asks no broker. Both read the
// agent's files and its workload manager.
#pragma once

#include <string>

#include "agent/core/limits/book.hpp"
#include "agent/io/settings.hpp"
#include "agent/io/state_file.hpp"

namespace leasehold::agent {

/// The text to print, and whether something is not as it should be: then the program exits with 1.
struct Found {
  std::string text;
  bool lacking = false;
};

/// Lists what would be reported and fenced, and which permissions are lacking. Changes nothing.
Result<Found> probe(const Settings& settings, bool as_json);

/// Takes away every fence of ours, whether the state knows it or not, and says which slots the
/// other side of each lease may still use: the scheduler here now uses them too. Refused while an
/// agent runs, and without `force` while slots are lent out or jobs here use others': then it says
/// which, and changes nothing. The state stays: an agent that starts again fences them again.
Result<Found> release(const Settings& settings, bool as_json, bool force);

/// The groups that the state, or where it is lost the fences, speak of.
Book known_groups(const SavedState& saved, const HostNames& names, const View& view);

/// Caps that take every one of these away. Own hosts that are not in sight keep theirs; they are
/// added to `kept`.
std::vector<HostCap> removals(const View& view, std::vector<std::string>& kept);

}  // namespace leasehold::agent
