#include "agent/workload/slurm/demand.hpp"

#include <algorithm>
#include <unordered_map>

#include "agent/workload/slurm/fence/power.hpp"
#include "agent/workload/slurm/printed/words.hpp"
#include "agent/workload/slurm/rights.hpp"

namespace leasehold::agent {

namespace {

/// True if one of the partitions that the job names, separated by commas, is leased.
bool in_partition(const std::string& named, const std::vector<std::string>& leased) {
  if (leased.empty()) return true;
  return std::any_of(leased.begin(), leased.end(), [&named](const std::string& partition) {
    return lists_word(named, partition);
  });
}

/// True if some leased host would do; while none is leased, any host of the cluster.
bool would_start(const std::vector<std::string>& hosts, const std::set<std::string>& leased) {
  if (leased.empty()) return !hosts.empty();
  return std::any_of(hosts.begin(), hosts.end(),
                     [&leased](const std::string& host) { return leased.contains(host); });
}

/// Returns the cores of the largest leased host; while none is leased, of the largest host.
int32_t whole_host(const SlurmSnapshot& snapshot, const std::set<std::string>& leased) {
  int32_t cores = 0;
  for (const SlurmHost& host : snapshot.hosts) {
    if (leased.empty() || leased.contains(host.node.name)) cores = std::max(cores, host.node.cores);
  }
  return cores;
}

std::set<std::string> types_of(const SlurmSnapshot& snapshot) {
  std::set<std::string> types;
  for (const SlurmHost& host : snapshot.hosts) types.insert(host.node.arch);
  return types;
}

/// Returns the types of the hosts that a job must have. The list is empty if the job may have any
/// host, or if those hosts are of all the types there are.
std::vector<std::string> types_asked(const SlurmSnapshot& snapshot, const std::string& requested,
                                     const std::set<std::string>& all) {
  if (requested.empty()) return {};
  const Result<std::vector<std::string>> nodes = expand_slurm_nodes(requested);
  if (!nodes) return {};
  std::set<std::string> types;
  for (const std::string& node : *nodes) {
    if (const SlurmHost* host = snapshot.find(node)) types.insert(host->node.arch);
  }
  if (types == all) return {};
  return {types.begin(), types.end()};
}

/// Sets how a job wants its slots: cores, `whole_cores` of the largest host that could be leased.
void shape(WaitingWork& work, const SlurmJob& job, int32_t threads, int32_t whole_cores) {
  const SlurmShape wanted = slurm_shape(job, threads, whole_cores);
  work.hosts = wanted.hosts;
  work.slots = (int64_t{job.cpus} + threads - 1) / threads;
  work.slots_per_host = wanted.per_host;
}

/// True if the job has a host of another cluster, or if its hosts are not understood.
bool has_imported(const SlurmSnapshot& snapshot, const SlurmJob& job,
                  const std::set<std::string>& imported) {
  if (imported.empty()) return true;
  if (snapshot.find(job.nodes) != nullptr) return imported.contains(job.nodes);
  const Result<std::vector<std::string>> nodes = expand_slurm_nodes(job.nodes);
  return !nodes || would_start(*nodes, imported);
}

bool is_fence(const SlurmSnapshot& snapshot, const SlurmJob& job) {
  const SlurmHost* host = snapshot.find(job.nodes);
  return host != nullptr &&
         std::any_of(host->fences.begin(), host->fences.end(),
                     [&job](const SlurmFenceFound& fence) { return fence.name == job.id; });
}

}  // namespace

std::vector<WaitingWork> slurm_waiting(const SlurmSnapshot& snapshot, const SlurmLeased& leased,
                                       const SlurmVerdicts& verdicts) {
  const int32_t threads = least_threads(snapshot);
  const int32_t whole_cores = whole_host(snapshot, leased.hosts);
  const std::set<std::string> types = types_of(snapshot);
  struct Starts {
    bool leased = false;
    bool imported = false;
  };
  std::unordered_map<const void*, Starts> known;  // by the list of hosts, which many jobs share
  const auto starts = [&](const SlurmVerdict& verdict) {
    const auto [list, first] = known.try_emplace(verdict.hosts.get());
    if (first) {
      list->second = {would_start(*verdict.hosts, leased.hosts),
                      would_start(*verdict.hosts, leased.imported)};
    }
    return list->second;
  };
  std::unordered_map<std::string_view, std::vector<std::string>> asked;  // types, by hosts
  std::vector<WaitingWork> waiting;
  for (const SlurmJob& job : snapshot.jobs) {
    if (job.phase != SlurmPhase::pending || !in_partition(job.partitions, leased.partitions)) {
      continue;
    }
    const auto verdict = verdicts.find(job.id);
    if (verdict == verdicts.end()) continue;
    const Starts where = starts(verdict->second);
    if (!where.leased) continue;
    WaitingWork& work = waiting.emplace_back();
    work.on_imported = where.imported;
    shape(work, job, threads, whole_cores);
    work.whole = snapshot.takes_whole_hosts(job);
    if (job.limit_s) set_limit(work, *job.limit_s * 1000);
    work.submitted = {job.submitted_s * 1000};
    const auto [hosts, first] = asked.try_emplace(job.requested);
    if (first) hosts->second = types_asked(snapshot, job.requested, types);
    work.host_types = hosts->second;
  }
  return waiting;
}

int64_t slurm_pending(const SlurmSnapshot& snapshot, const SlurmLeased& leased,
                      const std::vector<WaitingWork>& waiting) {
  return slots_wanted(waiting, whole_host(snapshot, leased.hosts));
}

std::vector<RunningWork> slurm_running(const SlurmSnapshot& snapshot, const SlurmLeased& leased) {
  const int32_t threads = least_threads(snapshot);
  std::vector<RunningWork> running;
  for (const SlurmJob& job : snapshot.jobs) {
    if (job.phase != SlurmPhase::holds || is_fence(snapshot, job)) continue;
    RunningWork& work = running.emplace_back();
    work.id = job.id;
    work.slots = (int64_t{job.cpus} + threads - 1) / threads;
    work.started = {(job.started_s > 0 ? job.started_s : snapshot.controller.now_s) * 1000};
    if (job.until_s > 0) work.until = {job.until_s * 1000};
    work.on_imported = has_imported(snapshot, job, leased.imported);
  }
  return running;
}

WorkShapes slurm_shapes(const SlurmSnapshot& snapshot, const SlurmLeased& leased,
                        const SlurmVerdicts& verdicts) {
  return {{snapshot.controller.now_s * 1000},
          slurm_waiting(snapshot, leased, verdicts),
          slurm_running(snapshot, leased)};
}

wire::HostFacts slurm_facts(const SlurmHost& host, const HostLoad& load) {
  const SlurmNode& node = host.node;
  wire::HostFacts facts;
  facts.name = node.name;
  facts.type = node.arch;
  facts.slots = node.cores;
  facts.mem_mb = node.mem_mb;
  facts.booleans = node.features;
  facts.up = load.up;
  facts.division = load.division;
  facts.horizon = slurm_horizon(host);
  const bool kept_down = host.node.up && host.foreign.empty() && host.unknown.empty();
  facts.not_up = !load.up && kept_down ? wire::NotUp::not_now : slurm_not_up(host);
  return facts;
}

}  // namespace leasehold::agent
