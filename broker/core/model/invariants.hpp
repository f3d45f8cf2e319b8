// Invariants: what must always hold of the state (schema/wire/PROTOCOL.md, "What always holds").
// Asked after every step by tests, the fault simulation and replay.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// One sentence a violation; empty: all hold.
std::vector<std::string> violations(const State& state);

}  // namespace leasehold
