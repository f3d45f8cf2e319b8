// Taker finds what waiting work can get on given idle slots, independently of the rule's own
// packing: by every way there is to place it.
#pragma once

#include "tests/demand/proof/site.hpp"

namespace leasehold::demand_aware::proof {

/// Puts one job tightly and takes its slots off. False: it fits nowhere.
bool place(const Shape& shape, Idle& idle);

/// The most slots of waiting work that can start on these.
int64_t most_started(const Queue& queue, const Idle& idle);

}  // namespace leasehold::demand_aware::proof
