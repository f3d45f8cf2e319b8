// Completion of leasectl for shells, made from all that can be typed, so that no command or option
// is missing. Ids of leases, clusters, hosts, policies and consumers are asked of the broker when
// somebody completes them; without an answer within 300 ms nothing is offered.
#pragma once

#include <string>

#include "broker/ctl/command_line/parse.hpp"

namespace leasehold::ctl {

/// Return the script for each shell (`source <(leasectl completion bash)`).
std::string bash_completion(const ProgramHelp& program);
std::string zsh_completion(const ProgramHelp& program);
std::string fish_completion(const ProgramHelp& program);

}  // namespace leasehold::ctl
