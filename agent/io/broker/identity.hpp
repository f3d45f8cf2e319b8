// Identity: the machine, the process and the state file of this agent, which it sends to its
// broker. By it the broker distinguishes a copy of a state file from the file
// (schema/wire/README.md, hello).
#pragma once

#include <string>

#include "common/time/clock.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

/// `state`: the state file, which exists. The machine's own id leaves it as a hash only.
wire::Identity identity_of(const std::string& state, const TimeSource& time = machine_time());

}  // namespace leasehold::agent
