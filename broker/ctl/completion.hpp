// Completion of leasectl for shells, made of what can be typed: no command or option is missed.
// Ids of leases, clusters and hosts are asked of the broker when somebody completes them.
#pragma once

#include <string>

#include "broker/ctl/parse.hpp"

namespace leasehold::ctl {

/// What bash reads (`source <(leasectl completion bash)`).
std::string bash_completion(const ProgramHelp& program);

}  // namespace leasehold::ctl
