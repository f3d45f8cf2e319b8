#include "agent/workload/slurm/demand.hpp"

#include <algorithm>
#include <string_view>

namespace leasehold::agent {

namespace {

/// Of the partitions that a job names, separated by commas, one is leased.
bool in_partition(const std::string& named, const std::vector<std::string>& leased) {
  if (leased.empty()) return true;
  return std::any_of(leased.begin(), leased.end(), [&named](const std::string& partition) {
    return ("," + named + ",").find("," + partition + ",") != std::string::npos;
  });
}

/// A list that is not understood is taken to name none of them.
bool asks_for(const std::string& requested, const std::set<std::string>& leased) {
  if (requested.empty() || leased.empty()) return true;
  const Result<std::vector<std::string>> nodes = expand_slurm_nodes(requested);
  return nodes && std::any_of(nodes->begin(), nodes->end(),
                              [&leased](const std::string& node) { return leased.contains(node); });
}

/// Cores of the largest leased host; of the largest there is while none is leased.
int32_t whole_host(const SlurmScene& scene, const std::set<std::string>& leased) {
  int32_t cores = 0;
  for (const SlurmHost& host : scene.hosts)
    if (leased.empty() || leased.contains(host.node.name)) cores = std::max(cores, host.node.cores);
  return cores;
}

}  // namespace

int64_t slurm_pending(const SlurmScene& scene, const SlurmLeased& leased) {
  int32_t threads = INT32_MAX;
  for (const SlurmHost& host : scene.hosts) threads = std::min(threads, host.node.threads);
  const int32_t whole_cores = whole_host(scene, leased.hosts);
  int64_t slots = 0;
  for (const SlurmJob& job : scene.jobs) {
    if (job.phase != SlurmPhase::pending || !in_partition(job.partitions, leased.partitions) ||
        !asks_for(job.requested, leased.hosts))
      continue;
    const int64_t cores = (job.cpus + threads - 1) / threads;
    const bool whole = scene.takes_whole_hosts(job);
    slots += whole ? std::max(cores, int64_t{job.nodes_wanted} * whole_cores) : cores;
  }
  return slots;
}

wire::HostFacts slurm_facts(const SlurmNode& node, bool up) {
  wire::HostFacts facts;
  facts.name = node.name;
  facts.type = node.arch;
  facts.slots = node.cores;
  facts.mem_mb = node.mem_mb;
  facts.booleans = node.features;
  facts.up = up;
  return facts;
}

}  // namespace leasehold::agent
