// These functions write sentences for people: the rights that an agent lacks in a Slurm cluster,
// and cautions for the administrator who sets it up.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/workload/slurm/look/snapshot.hpp"
#include "agent/workload/slurm/settings.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "common/wire/horizon.hpp"

namespace leasehold::agent {

/// Returns a sentence for each right that is missing. `account` is the controller's record of this
/// process's user (SlurmClient::account_of).
std::vector<std::string> slurm_rights_lacking(const SlurmSnapshot& snapshot, SlurmFence mode,
                                              const std::string& account);

/// True if the user of this number has "AdminLevel=Operator", or more.
bool is_slurm_operator(std::string_view account, unsigned user);

/// Returns a sentence for each thing that works, but not as one may think.
std::vector<std::string> slurm_cautions(const SlurmSnapshot& snapshot, SlurmFence mode,
                                        const std::vector<std::string>& leased_partitions);

/// Returns the first reservation of others that begins later, for the broker; nullopt if there is
/// none.
std::optional<wire::Horizon> slurm_horizon(const SlurmHost& host);

/// Logs each reservation of others once per host. `logged` holds those that were logged before.
void log_slurm_reservations(const SlurmHost& host, std::set<std::string>& logged);

}  // namespace leasehold::agent
