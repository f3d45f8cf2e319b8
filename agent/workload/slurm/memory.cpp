#include "agent/workload/slurm/memory.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "agent/workload/slurm/division.hpp"
#include "agent/workload/slurm/printed/words.hpp"

namespace leasehold::agent {

namespace {

constexpr int32_t kHostsOfAJobMost = 100'000;

/// Returns the most that a CPU may have in one of the partitions; 0: there is no limit.
int64_t memory_of_cpu(const SlurmSnapshot& snapshot, const std::string& partitions) {
  int64_t most = 0;
  for (const SlurmPartition& one : snapshot.partitions) {
    if (!lists_word(partitions, one.name)) continue;
    if (one.memory_per_node) return 0;
    const int64_t each = one.memory_per_cpu_mb.value_or(snapshot.controller.memory_per_cpu_mb);
    if (each <= 0) return 0;
    most = std::max(most, each);
  }
  return most;
}

/// Returns the CPUs of the smallest host that is in one of the partitions.
int64_t smallest_host(const SlurmSnapshot& snapshot, const std::string& partitions) {
  int64_t cpus = 0;
  for (const SlurmHost& host : snapshot.hosts) {
    const auto& names = host.node.partitions;
    const bool in = std::any_of(names.begin(), names.end(), [&partitions](const std::string& one) {
      return lists_word(partitions, one);
    });
    const int64_t here = int64_t{host.node.cores} * host.node.threads;
    if (in && (cpus == 0 || here < cpus)) cpus = here;
  }
  return cpus;
}

struct OfPartitions {
  int64_t memory_of_cpu = 0;
  int64_t smallest_host = 0;
};

}  // namespace

void add_cpus_for_memory(SlurmSnapshot& snapshot) {
  if (!gives_out_memory(snapshot.controller)) return;
  std::map<std::string, OfPartitions> known;  // of many tasks of an array they are the same
  for (SlurmJob& job : snapshot.jobs) {
    const auto wants = snapshot.wants.find(job.id);
    if (job.phase != SlurmPhase::pending || wants == snapshot.wants.end()) continue;
    const int64_t mem_mb = wants->second.mem_mb_per_host;
    const auto [of, fresh] = known.try_emplace(job.partitions);
    if (fresh) {
      of->second = {memory_of_cpu(snapshot, job.partitions),
                    smallest_host(snapshot, job.partitions)};
    }
    const int64_t each = of->second.memory_of_cpu;
    if (each == 0 || (mem_mb == 0 && !wants->second.all_memory)) continue;
    const int64_t cpus = wants->second.all_memory ? of->second.smallest_host
                                                  : std::min<int64_t>((mem_mb + each - 1) / each,
                                                                      INT32_MAX / kHostsOfAJobMost);
    const auto on_each = static_cast<int32_t>(cpus);
    job.cpus_together = std::max(job.cpus_together, on_each);
    job.cpus = std::max<int32_t>(
        job.cpus, on_each * std::clamp<int32_t>(job.nodes_wanted, 1, kHostsOfAJobMost));
  }
}

}  // namespace leasehold::agent
