// Course evaluates the plan of a site until nothing moves any more, and checks on the way what must
// hold of every evaluation.
#pragma once

#include <string>

#include "tests/demand/proof/plans/entitled.hpp"

namespace leasehold::demand_aware::proof::plans {

struct Course {
  int evaluations = 0;        // until it was known to be at rest
  int last_move = 0;          // the evaluation, from 1; 0: nothing moved
  bool ended = false;         // work ended for work of others
  bool left_unused = false;   // slots that came for work were not used, and its shape waited
  bool shrinks = false;       // slots were to come back only as work ends, which here never does
  bool restless = false;      // it never was at rest
  bool unused_stays = false;  // slots that came stayed unused for longer than they may be
  Starving starving = Starving::nobody;  // at rest
  std::string wrong;                     // what must not be; "": nothing
};

/// Work starts wherever it fits.
Course play(Site site);
/// Work never starts.
Course leave_unused(Site site);

/// True if one evaluation of each makes leaves due the same slots, host for host.
bool alike(Site one, Site two);

}  // namespace leasehold::demand_aware::proof::plans
