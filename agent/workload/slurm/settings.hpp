// SlurmSettings holds the keys of [workload.slurm].
#pragma once

#include <string>

#include "common/config/keys/reference.hpp"

namespace leasehold::agent {

enum class SlurmFence : uint8_t { reservation, hold_job };
constexpr auto tokens_of(SlurmFence) {
  using enum SlurmFence;
  return tokens<SlurmFence>({{reservation, "reservation"}, {hold_job, "hold-job"}});
}

enum class SlurmPowerRisk : uint8_t { refuse, accept };
constexpr auto tokens_of(SlurmPowerRisk) {
  using enum SlurmPowerRisk;
  return tokens<SlurmPowerRisk>({{refuse, "refuse"}, {accept, "accept"}});
}

struct SlurmSettings {
  std::string conf = "/etc/slurm/slurm.conf";
  std::string bin_dir;  // "": programs are looked for in PATH
  SlurmFence fence = SlurmFence::reservation;
  SlurmPowerRisk power_risk = SlurmPowerRisk::refuse;
};

/// Reads [workload.slurm] by its table of keys. Mistakes are added to the table's file.
void read_settings(const ConfigTable& table, SlurmSettings& settings);
/// Adds the keys to `reference`, for --describe-config.
void describe_keys(const SlurmSettings& plain, KeyReference& reference);

/// Checks that the files and programs of the settings exist; adds an error to the table at the key.
void check_named_files(const ConfigTable& table, const SlurmSettings& settings);

}  // namespace leasehold::agent
