// What an operator or a job asks of lease-agent without a broker: a probe, the removal of all
// fences, the time that an interrupted job has left. Read from the agent's files and its workload
// manager; nothing is sent to anybody.
#pragma once

#include <string>

#include "agent/core/limits/book.hpp"
#include "agent/io/settings.hpp"
#include "agent/io/state_file.hpp"

namespace leasehold::agent {

/// What is printed, and whether something was found that is not as it should be: exit 1.
struct Found {
  std::string text;
  bool lacking = false;
};

/// What would be reported and fenced, and which permissions lack. Changes nothing.
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
