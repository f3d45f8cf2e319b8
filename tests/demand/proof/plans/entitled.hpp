// Entitled finds jobs that a plan would give slots to and that would start on these, by every way
// there is to place them: independently of how the broker counts demand.
#pragma once

#include "tests/demand/proof/plans/site.hpp"

namespace leasehold::demand_aware::proof::plans {

/// A leaf's work starves if the plan would give it slots on which it would start: those that the
/// leaf has idle, those of nobody, and what others have above their quotas once the leaf wants just
/// these slots, and the others what they would start if they were alone; and above those that they
/// have if the others want what counts of their work in the end.
enum class Starving : uint8_t {
  nobody,
  beside_idle,  // work of leaves alone that have idle slots, which start nothing and count as well
  yes,
};
Starving starving(const Site& site);

}  // namespace leasehold::demand_aware::proof::plans
