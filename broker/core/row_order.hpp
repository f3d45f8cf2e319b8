// sort_rows: puts what an agent states of the hosts of each group in the order of the hosts, before
// step() takes it. An agent may name its rows in any order; what follows from them must not depend
// on it. Not for events that a database recorded: those are stepped as they were.
#pragma once

#include "common/wire/message.hpp"

namespace leasehold {

/// Costs one look at each row where the rows ascend already, as agents send them. The order of the
/// groups stays. Contract: no group of the block shares rows with another.
void sort_rows(wire::StateBlock& block);

}  // namespace leasehold
