// Completion of leasectl for shells, made of what can be typed: no command or option is missed.
// Ids of leases, clusters, hosts, policies and consumers are asked of the broker when somebody
// completes them; without an answer within 300 ms nothing is offered.
#pragma once

#include <string>

#include "broker/ctl/parse.hpp"

namespace leasehold::ctl {

/// What each shell reads (`source <(leasectl completion bash)`).
std::string bash_completion(const ProgramHelp& program);
std::string zsh_completion(const ProgramHelp& program);
std::string fish_completion(const ProgramHelp& program);

}  // namespace leasehold::ctl
