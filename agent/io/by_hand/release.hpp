// lease-agent --probe and --release, for an operator, without a broker. Both read the agent's files
// and ask its workload manager.
#pragma once

#include <string>

#include "agent/core/limits/book.hpp"
#include "agent/io/settings/settings.hpp"
#include "agent/io/state/state_file.hpp"

namespace leasehold::agent {

/// The text to print, and whether something is lacking: then the program exits with 1.
struct Found {
  std::string text;
  bool lacking = false;
};

/// Lists what would be reported and fenced, and which permissions are lacking. Changes nothing.
Result<Found> probe(const Settings& settings, bool as_json);

/// Removes every fence of ours, whether the state knows it or not, and says which slots the other
/// side of each lease may still use: the scheduler here now uses them too. It is refused while an
/// agent runs. Without `force`, while slots are lent out or jobs here use slots of others, it says
/// which and changes nothing. The state stays: an agent that starts again fences them again.
Result<Found> release(const Settings& settings, bool as_json, bool force);

/// Returns the groups that the state knows; if the state is lost, those that the fences name.
Book known_groups(const SavedState& saved, const HostNames& names, const View& view);

/// Returns caps that remove every fence of the look. Own hosts that the look does not list keep
/// theirs and are added to `kept`.
std::vector<HostCap> removals(const View& view, std::vector<std::string>& kept);

}  // namespace leasehold::agent
