// Finds what keeps the asked broker from taking over.
#include "broker/views/attention/needs.hpp"

namespace leasehold::attention {

void find_in_standing(Found& found) {
  const BrokerStanding& standing = found.liveness.standing;
  if (standing.cannot_lead.empty()) return;
  found.needs.push_back({Kind::cannot_lead, standing.name,
                         "it stands by and could not take over: " + standing.cannot_lead,
                         "leasectl doctor"});
}

}  // namespace leasehold::attention
