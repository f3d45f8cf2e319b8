// Sentences for people on LSF besides its hosts and jobs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/core/limits/view.hpp"
#include "agent/workload/lsf/needs.hpp"
#include "agent/workload/lsf/slots.hpp"
#include "agent/workload/lsf/text.hpp"
#include "agent/workload/support/host_owners.hpp"
#include "agent/workload/support/unknown_words.hpp"

namespace leasehold::agent {

/// Marks hosts with jobs in unknown states (`states`, by job) as not up in the view, and notes
/// those states.
void note_unknown(const std::vector<LsfHost>& hosts, const std::vector<WorkUnit>& units,
                  const LsfUnknown& states, UnknownWords& unknown, View& view);

/// Notes hosts that jobs have and bhosts does not list, as it may for one that was just taken away.
void note_unlisted(const std::vector<LsfHost>& hosts, const std::vector<WorkUnit>& units,
                   UnknownWords& unknown);

/// Notes jobs whose reasons to wait are all unknown.
void note_reasons(const LsfNeedsOfJobs& needs, UnknownWords& unknown);

/// Returns a sentence for each host that cannot be leased because it has no number of job slots.
std::vector<std::string> without_slots(const std::vector<LsfHost>& hosts);

/// Returns a sentence for each host of others that this agent closed. It stays closed, because its
/// owner may still use it.
std::vector<std::string> left_closed(const LsfSlots& slots, const HostOwners& owners);

}  // namespace leasehold::agent
