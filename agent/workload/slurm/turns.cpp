// This part of SlurmLook counts the cores of jobs that take turns on them.
#include <algorithm>

#include "agent/workload/slurm/snapshot.hpp"

namespace leasehold::agent {

namespace {

/// The sum of the jobs' cores is enough where nothing is fenced and the sum is no more than the
/// host has.
bool must_be_exact(const SlurmHost& host) {
  return host.jobs_take_turns && (host.holds > host.node.cores || !host.fences.empty());
}

bool is_fence(const SlurmHost& host, const SlurmJob& job) {
  return std::any_of(host.fences.begin(), host.fences.end(),
                     [&job](const SlurmFenceFound& one) { return one.name == job.id; });
}

}  // namespace

std::set<int32_t> SlurmHost::cores_of(const SlurmShare& share) const {
  std::set<int32_t> cores;
  for (const int32_t cpu : share.cpus) cores.insert(cpu / node.numbered);
  return cores;
}

/// A call for each job would take minutes where many started at once, or the agent did. If the
/// answer about all jobs is not certain for a job, Slurm is asked about the job itself.
Result<std::vector<SlurmShare>> SlurmLook::ask_shares(const SlurmJob& job,
                                                      const std::vector<std::string>& nodes,
                                                      int32_t numbered) {
  if (asks_left_ == 0 && !lines_) {
    Result<SlurmJobLines> all = client_.job_lines();
    lines_ = all ? *std::move(all) : SlurmJobLines{};
  }
  if (lines_)
    if (const auto line = lines_->find(job.id); line != lines_->end() && !line->second.empty())
      return parse_slurm_shares(line->second, nodes, job.cpus, numbered);
  if (asks_left_ > 0) --asks_left_;
  return client_.shares(job, nodes, numbered);
}

/// A job stays on the cores that it was given.
Result<const std::vector<SlurmShare>*> SlurmLook::shares_of(const SlurmSnapshot& snapshot,
                                                            const SlurmJob& job,
                                                            const std::vector<std::string>& nodes) {
  Spread& spread = spreads_[job.id];
  const bool same = spread.nodes == job.nodes && spread.cpus == job.cpus &&
                    spread.started_s == job.started_s && spread.asked;
  if (same) return &spread.shares;
  const SlurmHost* first = nullptr;
  for (size_t i = 0; i < nodes.size() && first == nullptr; ++i) first = snapshot.find(nodes[i]);
  const int32_t numbered = first == nullptr ? 1 : first->node.numbered / first->node.threads;
  Result<std::vector<SlurmShare>> shares = ask_shares(job, nodes, numbered);
  if (!shares) return tl::unexpected(shares.error());
  spread = {job.nodes, job.cpus, job.started_s, true, *std::move(shares)};
  return &spread.shares;
}

Status SlurmLook::count_cores(SlurmSnapshot& snapshot, const std::vector<SlurmJob>& jobs) {
  std::map<std::string, SharedHost> shared;
  for (const SlurmHost& host : snapshot.hosts)
    if (must_be_exact(host)) shared[host.node.name];
  if (shared.empty()) return {};
  for (const SlurmJob& job : jobs)
    if (job.phase == SlurmPhase::holds)
      if (Status counted = count_cores_of(snapshot, job, shared); !counted) return counted;
  for (const auto& [name, cores] : shared) {
    SlurmHost& host = *snapshot.find(name);
    host.holds = cores.jobs.count();
    host.in_reserved = cores.in_reserved.count();
  }
  return {};
}

Status SlurmLook::count_cores_of(const SlurmSnapshot& snapshot, const SlurmJob& job,
                                 std::map<std::string, SharedHost>& shared) {
  const bool reserved = reserved_jobs_.contains(job.id);
  const auto on = [&](const std::string& node) -> Cores* {
    const auto found = shared.find(node);
    if (found == shared.end() || is_fence(*snapshot.find(node), job)) return nullptr;
    return reserved ? &found->second.in_reserved : &found->second.jobs;
  };
  std::vector<std::string> nodes{job.nodes};
  if (snapshot.find(job.nodes) == nullptr) {
    Result<std::vector<std::string>> all = expand_slurm_nodes(job.nodes);
    if (!all) return tl::unexpected(all.error());
    nodes = *std::move(all);
  }
  if (std::none_of(nodes.begin(), nodes.end(), on)) return {};
  const auto shares = shares_of(snapshot, job, nodes);
  if (!shares) return tl::unexpected(shares.error());
  const int32_t others = static_cast<int32_t>(nodes.size()) - 1;
  if ((*shares)->empty())
    for (const std::string& node : nodes)
      if (Cores* cores = on(node))
        cores->unknown += snapshot.find(node)->slots_of(std::max(1, job.cpus - others));
  for (const SlurmShare& share : **shares)
    if (Cores* cores = on(share.node))
      cores->held.merge(snapshot.find(share.node)->cores_of(share));
  return {};
}

}  // namespace leasehold::agent
