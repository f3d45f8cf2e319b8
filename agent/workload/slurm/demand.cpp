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

/// Some leased host would do; while none is leased any host of the cluster.
bool would_start(const SlurmVerdict& verdict, const std::set<std::string>& leased) {
  const std::vector<std::string>& hosts = *verdict.hosts;
  if (leased.empty()) return !hosts.empty();
  return std::any_of(hosts.begin(), hosts.end(),
                     [&leased](const std::string& host) { return leased.contains(host); });
}

/// Cores of the largest leased host; of the largest there is while none is leased.
int32_t whole_host(const SlurmScene& scene, const std::set<std::string>& leased) {
  int32_t cores = 0;
  for (const SlurmHost& host : scene.hosts)
    if (leased.empty() || leased.contains(host.node.name)) cores = std::max(cores, host.node.cores);
  return cores;
}

std::set<std::string> types_of(const SlurmScene& scene) {
  std::set<std::string> types;
  for (const SlurmHost& host : scene.hosts) types.insert(host.node.arch);
  return types;
}

/// Of the hosts that a job must have. None: it may have any, or they are of all the types there
/// are.
std::vector<std::string> types_asked(const SlurmScene& scene, const std::string& requested,
                                     const std::set<std::string>& all) {
  if (requested.empty()) return {};
  const Result<std::vector<std::string>> nodes = expand_slurm_nodes(requested);
  if (!nodes) return {};
  std::set<std::string> types;
  for (const std::string& node : *nodes) {
    if (const SlurmHost* host = scene.find(node)) types.insert(host->node.arch);
  }
  if (types == all) return {};
  return {types.begin(), types.end()};
}

/// How a job wants its slots: cores, `whole_cores` of the largest host that could be leased.
void shape(WaitingWork& work, const SlurmJob& job, int32_t threads, int32_t whole_cores) {
  const SlurmShape wanted = slurm_shape(job, threads, whole_cores);
  work.hosts = wanted.hosts;
  work.slots = (int64_t{job.cpus} + threads - 1) / threads;
  work.slots_per_host = wanted.per_host;
}

bool is_fence(const SlurmScene& scene, const SlurmJob& job) {
  const SlurmHost* host = scene.find(job.nodes);
  return host != nullptr &&
         std::any_of(host->fences.begin(), host->fences.end(),
                     [&job](const SlurmFenceFound& fence) { return fence.name == job.id; });
}

}  // namespace

std::vector<WaitingWork> slurm_waiting(const SlurmScene& scene, const SlurmLeased& leased,
                                       const SlurmVerdicts& verdicts) {
  const int32_t threads = least_threads(scene);
  const int32_t whole_cores = whole_host(scene, leased.hosts);
  const std::set<std::string> types = types_of(scene);
  std::vector<WaitingWork> waiting;
  for (const SlurmJob& job : scene.jobs) {
    const auto verdict = verdicts.find(job.id);
    if (job.phase != SlurmPhase::pending || verdict == verdicts.end() ||
        !in_partition(job.partitions, leased.partitions) ||
        !would_start(verdict->second, leased.hosts))
      continue;
    WaitingWork& work = waiting.emplace_back();
    shape(work, job, threads, whole_cores);
    work.whole = scene.takes_whole_hosts(job);
    if (job.limit_s) set_limit(work, *job.limit_s * 1000);
    work.submitted = {job.submitted_s * 1000};
    work.host_types = types_asked(scene, job.requested, types);
  }
  return waiting;
}

int64_t slurm_pending(const SlurmScene& scene, const SlurmLeased& leased,
                      const std::vector<WaitingWork>& waiting) {
  return slots_wanted(waiting, whole_host(scene, leased.hosts));
}

std::vector<RunningWork> slurm_running(const SlurmScene& scene) {
  const int32_t threads = least_threads(scene);
  std::vector<RunningWork> running;
  for (const SlurmJob& job : scene.jobs) {
    if (job.phase != SlurmPhase::holds || is_fence(scene, job)) continue;
    RunningWork& work = running.emplace_back();
    work.id = job.id;
    work.slots = (int64_t{job.cpus} + threads - 1) / threads;
    work.started = {(job.started_s > 0 ? job.started_s : scene.controller.now_s) * 1000};
    if (job.until_s > 0) work.until = {job.until_s * 1000};
  }
  return running;
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
