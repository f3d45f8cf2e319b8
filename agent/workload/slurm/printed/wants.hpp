// SlurmWants holds what a waiting job wants of its hosts besides cores: features, memory, devices,
// a reservation.
// verdicts.hpp finds the hosts that have it. Pure: text in, values out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/result.hpp"

namespace leasehold::agent {

/// A device that a node has, or that a job wants.
struct SlurmDevice {
  std::string name;  // "gpu"
  std::string type;  // "tesla"; "" of a job: any
  int64_t count = 0;
  bool operator==(const SlurmDevice&) const = default;
};

struct SlurmWants {
  /// Memory for each host, or for each CPU; 0 if the job asks for none, or for all that a host has
  /// (`--mem=0`).
  int64_t mem_mb_per_host = 0;
  int64_t mem_mb_per_cpu = 0;
  std::vector<SlurmDevice> devices = {};  // on each of its hosts, at least
  std::string features = {};              // as `sbatch -C` takes them; "": none
  /// A sentence that says what is not understood; then it is unknown where the job could start.
  std::string unknown = {};
  bool all_memory = false;       // it asks for all memory of each host
  std::string reservation = {};  // it must start in; "": none
  bool operator==(const SlurmWants&) const = default;
};

/// The format for `squeue -h -a -r -t pending -O`. Features come last: they may hold the separator.
inline constexpr const char* kSlurmWantsFormat =
    "JobID:|,MinMemory:|,tres-alloc:|,tres-per-node:|,tres-per-socket:|,tres-per-task:|,"
    "tres-per-job:|,Reservation:|,Feature:|";
/// Reads the wants by the job's number; tasks of an array want the same. Output that is cut off is
/// refused as a whole; `unknown` of a job says what of it is not understood.
Result<std::unordered_map<std::string, SlurmWants>> parse_slurm_wants(std::string_view text);

/// Reads `Gres` of a node: "gpu:tesla:2(S:0-1),fpga:1".
std::vector<SlurmDevice> parse_slurm_devices(std::string_view gres);

/// Returns whether a host with these features has what the expression asks of a host: "a&b", "a|b",
/// "[a|b]", "a*2", from left to right as Slurm does; nullopt if it is not understood.
std::optional<bool> slurm_features_fit(std::string_view expression,
                                       const std::vector<std::string>& features);

}  // namespace leasehold::agent
