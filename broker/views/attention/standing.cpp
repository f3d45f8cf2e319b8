// Finds what keeps the asked broker from taking over or from reading its configuration.
#include "broker/views/attention/needs.hpp"

namespace leasehold::attention {

void find_in_standing(Found& found) {
  const BrokerStanding& standing = found.liveness.standing;
  if (standing.configuration_stuck) {
    found.needs.push_back({Kind::configuration_not_read, standing.name,
                           "the file system that its configuration, or a file that this names, "
                           "lies on does not answer; what is in force stays, and reloads are "
                           "refused until it answers",
                           "df, as root on the broker's machine, to see which file system it is"});
  }
  if (standing.cannot_lead.empty()) return;
  found.needs.push_back({Kind::cannot_lead, standing.name,
                         "it stands by and could not take over: " + standing.cannot_lead,
                         "leasectl doctor"});
}

}  // namespace leasehold::attention
