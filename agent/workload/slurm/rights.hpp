// What an agent may not do in a Slurm cluster and would have to, and what whoever sets it up should
// know, in sentences for people.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/workload/slurm/scene.hpp"
#include "agent/workload/slurm/settings.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "common/wire/horizon.hpp"

namespace leasehold::agent {

/// `account`: what the controller has of this process's user (SlurmClient::account_of).
std::vector<std::string> slurm_rights_lacking(const SlurmScene& scene, SlurmFence mode,
                                              const std::string& account);

/// True: "AdminLevel=Operator", or more, of the user of this number.
bool is_slurm_operator(std::string_view account, unsigned user);

/// What works, and not as one may think: a sentence each.
std::vector<std::string> slurm_cautions(const SlurmScene& scene, SlurmFence mode,
                                        const std::vector<std::string>& leased_partitions);

/// What the broker is told of reservations of others that begin later. nullopt: there is none.
std::optional<wire::Horizon> slurm_horizon(const SlurmHost& host);

/// In the log, each reservation of others once: `told` are those that it was said of.
void tell_slurm_reservations(const SlurmHost& host, std::set<std::string>& told);

}  // namespace leasehold::agent
