// What people are told of LSF besides its hosts and jobs.
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

/// Hosts with jobs in states that are not known (`states`, by job) are not up in the view.
void note_unknown(const std::vector<LsfHost>& hosts, const std::vector<WorkUnit>& units,
                  const LsfUnknown& states, UnknownWords& unknown, View& view);

/// Of jobs for whose reasons to wait nothing is known.
void note_reasons(const LsfNeedsOfJobs& needs, UnknownWords& unknown);

/// Hosts that cannot be leased, as they have no number of job slots: a sentence each.
std::vector<std::string> without_slots(const std::vector<LsfHost>& hosts);

/// Hosts of others that this agent closed stay so, a sentence each: nobody knows that their owner
/// is done with them.
std::vector<std::string> left_closed(const LsfSlots& slots, const HostOwners& owners);

}  // namespace leasehold::agent
