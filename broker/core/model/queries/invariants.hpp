// Invariants: what must always hold of the state (schema/wire/PROTOCOL.md, "What always holds").
// The unit tests and the fault simulation ask after every step, a broker once when it has read its
// database.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Returns one sentence a violation; empty: all hold.
std::vector<std::string> violations(const State& state);

}  // namespace leasehold
