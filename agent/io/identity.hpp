// Identity: where this agent runs and what it keeps its state in, as it tells its broker, who tells
// a copy of a state file from the file by it (schema/wire/README.md, hello).
#pragma once

#include <string>

#include "common/clock.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

/// `state`: the state file, which exists. The machine's own id leaves it as a hash only.
wire::Identity identity_of(const std::string& state, const TimeSource& time = machine_time());

}  // namespace leasehold::agent
