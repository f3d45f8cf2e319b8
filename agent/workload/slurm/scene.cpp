#include "agent/workload/slurm/scene.hpp"

#include <algorithm>

#include "agent/workload/slurm/words.hpp"

namespace leasehold::agent {

namespace {

tl::unexpected<Error> nobody_knows(const std::string& what, const std::string& host) {
  return fail(ErrorCode::io, what + " is on host " + host + ", which Slurm does not list");
}

void add(SlurmHost& host, SlurmPhase phase, int32_t cpus) {
  const int32_t slots = host.slots_of(cpus);
  if (phase == SlurmPhase::holds) host.holds += slots;
  if (phase == SlurmPhase::completing) host.completing += slots;
  if (phase == SlurmPhase::ended) host.ended_peak = std::max(host.ended_peak, slots);
}

}  // namespace

int64_t SlurmHost::next_number() const {
  int64_t highest = 0;
  for (const SlurmFenceFound& fence : fences) highest = std::max(highest, fence.number);
  return highest + 1;
}

/// From 26.05 on, "NO" means that nobody else may use its cores, not its hosts.
bool SlurmScene::takes_whole_hosts(const SlurmJob& job) const {
  if (controller.select == "select/linear") return true;
  if (job.shares == "NO" && controller.version < "26.05") return true;
  return std::any_of(partitions.begin(), partitions.end(), [&job](const SlurmPartition& one) {
    const std::string name = "," + one.name + ",";
    return one.whole_hosts && ("," + job.partitions + ",").find(name) != std::string::npos;
  });
}

bool SlurmScene::jobs_take_turns() const {
  const std::string& mode = controller.preempt_mode;
  return mode.find("SUSPEND") != mode.npos || mode.find("GANG") != mode.npos;
}

SlurmHost* SlurmScene::find(const std::string& name) {
  const auto found = places.find(name);
  return found == places.end() ? nullptr : &hosts[found->second];
}

const SlurmHost* SlurmScene::find(const std::string& name) const {
  const auto found = places.find(name);
  return found == places.end() ? nullptr : &hosts[found->second];
}

Result<SlurmScene> SlurmLook::take(int64_t ended_since_s) {
  SlurmScene scene;
  Result<SlurmController> controller = client_.controller();
  if (!controller) return tl::unexpected(controller.error());
  scene.controller = *std::move(controller);
  Result<std::vector<SlurmNode>> nodes = client_.nodes();
  if (!nodes) return tl::unexpected(nodes.error());
  for (SlurmNode& node : *nodes) {
    scene.places.emplace(node.name, scene.hosts.size());
    scene.hosts.emplace_back().node = std::move(node);
  }
  Result<std::vector<SlurmPartition>> partitions = client_.partitions();
  if (!partitions) return tl::unexpected(partitions.error());
  scene.partitions = *std::move(partitions);
  for (SlurmHost& host : scene.hosts) host.jobs_take_turns = scene.jobs_take_turns();
  if (Status placed = place_fences(scene); !placed) return tl::unexpected(placed.error());
  if (Status counted = count_jobs(scene, ended_since_s); !counted)
    return tl::unexpected(counted.error());
  const Result<SlurmController> after = client_.controller();
  if (!after) return tl::unexpected(after.error());
  if (after->boot != scene.controller.boot)
    return fail(ErrorCode::io, "Slurm's controller was started again while it was looked at");
  return scene;
}

Status SlurmLook::place_fences(SlurmScene& scene) const {
  const Result<std::vector<SlurmReservation>> made = client_.reservations();
  if (!made) return tl::unexpected(made.error());
  for (const SlurmReservation& one : *made) {
    SlurmFenceFound fence = read_fence_name(one.name);
    const bool ours = mode_ == SlurmFence::reservation && !fence.host.empty() &&
                      one.nodes.size() == 1 && one.nodes.front() == fence.host;
    for (const std::string& node : one.nodes) {
      SlurmHost* host = scene.find(node);
      if (host == nullptr) return nobody_knows("reservation " + one.name, node);
      if (!ours) host->foreign = one.name;
    }
    if (!ours) continue;
    fence.cores = one.cores;
    fence.whole = one.whole;
    fence.start_s = one.start_s;
    scene.find(fence.host)->fences.push_back(std::move(fence));
  }
  return mode_ == SlurmFence::hold_job ? place_hold_jobs(scene) : Status{};
}

Status SlurmLook::place_hold_jobs(SlurmScene& scene) const {
  Result<std::vector<SlurmFenceFound>> held = client_.hold_jobs();
  if (!held) return tl::unexpected(held.error());
  for (SlurmFenceFound& fence : *held) {
    SlurmHost* host = scene.find(fence.host);
    if (host == nullptr) return nobody_knows("job " + fence.name, fence.host);
    fence.cores = host->slots_of(fence.cores);
    host->fences.push_back(std::move(fence));
  }
  return {};
}

Status SlurmLook::count_jobs(SlurmScene& scene, int64_t ended_since_s) {
  Result<std::vector<SlurmJob>> jobs = client_.jobs();
  if (!jobs) return tl::unexpected(jobs.error());
  for (SlurmHost& host : scene.hosts) host.holds = host.completing = 0;
  std::map<std::string, Spread> known = std::move(spreads_);
  spreads_.clear();
  for (const SlurmJob& job : *jobs)
    if (const auto spread = known.find(job.id); spread != known.end())
      spreads_.insert(known.extract(spread));
  for (const SlurmJob& job : *jobs)
    if (Status counted = count(scene, job, ended_since_s); !counted) return counted;
  scene.jobs = *std::move(jobs);
  return {};
}

Status SlurmLook::count(SlurmScene& scene, const SlurmJob& job, int64_t ended_since_s) {
  if (job.phase == SlurmPhase::pending || job.phase == SlurmPhase::waits) return {};
  if (job.phase == SlurmPhase::ended && (job.ended_s < ended_since_s || job.nodes.empty()))
    return {};
  if (SlurmHost* host = scene.find(job.nodes)) {
    const bool fence =
        std::any_of(host->fences.begin(), host->fences.end(),
                    [&job](const SlurmFenceFound& one) { return one.name == job.id; });
    if (!fence) add(*host, job.phase, job.cpus);
    return {};
  }
  const Result<std::vector<std::string>> nodes = expand_slurm_nodes(job.nodes);
  if (!nodes) return tl::unexpected(nodes.error());
  for (const std::string& node : *nodes)
    if (scene.find(node) == nullptr) return nobody_knows("job " + job.id, node);
  return count_spread(scene, job, *nodes);
}

/// Where it cannot be told how a job's CPUs lie on its hosts, each may have all but one of every
/// other.
Status SlurmLook::count_spread(SlurmScene& scene, const SlurmJob& job,
                               const std::vector<std::string>& nodes) {
  if (job.phase == SlurmPhase::ended) {
    for (const std::string& node : nodes) add(*scene.find(node), job.phase, 1);
    return {};
  }
  Spread& spread = spreads_[job.id];
  if (spread.nodes != job.nodes || spread.cpus != job.cpus || spread.shares.empty()) {
    Result<std::vector<SlurmShare>> shares = client_.shares(job, nodes);
    if (!shares) return tl::unexpected(shares.error());
    spread = {job.nodes, job.cpus, *std::move(shares)};
  }
  for (const SlurmShare& share : spread.shares) add(*scene.find(share.node), job.phase, share.cpus);
  if (!spread.shares.empty()) return {};
  const int32_t others = static_cast<int32_t>(nodes.size()) - 1;
  for (const std::string& node : nodes) {
    SlurmHost& host = *scene.find(node);
    add(host, job.phase,
        std::min(std::max(1, job.cpus - others), host.node.cores * host.node.threads));
  }
  return {};
}

}  // namespace leasehold::agent
