#include "agent/workload/slurm/look/look.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace leasehold::agent {

namespace {

constexpr int kPasses = 2;  // the second one after a restart of the controller

/// Returns the cores that a reservation has of the host; nullopt: all, or it is not known how many.
/// Of one on several nodes that is known only where Slurm prints cores by node.
std::optional<int32_t> part_of(const SlurmHost& host, const SlurmReservation& one) {
  if (one.whole) return std::nullopt;
  if (const auto on = one.cores_on.find(host.node.name); on != one.cores_on.end()) {
    return on->second;
  }
  return one.nodes.size() == 1 && one.cores > 0 ? std::optional(one.cores) : std::nullopt;
}

/// Notes a reservation of somebody else, and returns true if it has only a part of the host. One
/// that has all of it stays the host's horizon until it ends: what others run there is reported
/// so long.
bool note_reserved(SlurmHost& host, const SlurmReservation& one) {
  if (!one.unknown.empty()) {
    host.unknown = "reservation " + one.name + " is in the unknown state '" + one.unknown + "'";
  }
  const std::optional<int32_t> cores = one.begins_later ? std::nullopt : part_of(host, one);
  if (cores && host.reserved + *cores < host.node.cores) {
    host.reserved += *cores;
    return true;
  }
  if (!host.horizon || one.start_s < host.horizon->start_s) host.horizon = one;
  if (!one.begins_later) host.foreign = one.name;
  return false;
}

void add(SlurmHost& host, SlurmPhase phase, int32_t slots, bool reserved) {
  const bool runs = phase == SlurmPhase::holds;
  if (runs) (reserved ? host.in_reserved : host.holds) += slots;
  if (phase == SlurmPhase::completing) host.completing += slots;
  if (phase == SlurmPhase::ended) host.ended_peak = std::max(host.ended_peak, slots);
}

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

/// The jobs are counted by the PreemptMode that the controller had last: if it has changed
/// meanwhile, they are counted once more, as after a restart.
Result<SlurmSnapshot> SlurmLook::take(int64_t ended_since_s, SlurmWaiting waiting) {
  if (Status up = client_.answers(); !up) return tl::unexpected(up.error());
  if (!last_) {
    Result<SlurmController> first = client_.controller();
    if (!first) return tl::unexpected(first.error());
    last_ = *std::move(first);
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    Result<SlurmSnapshot> snapshot = look(ended_since_s, waiting);
    if (!snapshot) return snapshot;
    const SlurmController before = *std::exchange(last_, snapshot->controller);
    if (before.boot == last_->boot && before.preempt_mode == last_->preempt_mode) return snapshot;
  }
  return fail(ErrorCode::io,
              "slurmctld was restarted while the agent read from it; the agent reads again");
}

/// Fences are read before the jobs, and the controller after them: so a fence that is found stood
/// when the jobs were listed, and nothing comes from another life of the controller.
Result<SlurmSnapshot> SlurmLook::look(int64_t ended_since_s, SlurmWaiting waiting) {
  const int64_t began_ms = time_.boottime_ms();
  SlurmSnapshot snapshot;
  snapshot.controller = *last_;
  Result<SlurmInventory> inventory = client_.inventory();
  if (!inventory) return tl::unexpected(inventory.error());
  for (SlurmNode& node : inventory->nodes) {
    snapshot.places.emplace(node.name, snapshot.hosts.size());
    SlurmHost& host = snapshot.hosts.emplace_back();
    if (!node.unknown.empty()) {
      host.unknown = "host " + node.name + " is in the unknown state '" + node.unknown + "'";
    }
    host.node = std::move(node);
  }
  snapshot.partitions = std::move(inventory->partitions);
  if (Status placed = place_fences(snapshot, inventory->reservations); !placed) {
    return tl::unexpected(placed.error());
  }
  if (Status counted = count_jobs(snapshot, ended_since_s); !counted) {
    return tl::unexpected(counted.error());
  }
  if (Status done = finish(snapshot, waiting); !done) return tl::unexpected(done.error());
  snapshot.controller.now_s -= (time_.boottime_ms() - began_ms + 999) / 1'000;
  return snapshot;
}

Status SlurmLook::finish(SlurmSnapshot& snapshot, SlurmWaiting waiting) const {
  const bool any = waiting == SlurmWaiting::asked &&
                   std::any_of(snapshot.jobs.begin(), snapshot.jobs.end(), [](const SlurmJob& job) {
                     return job.phase == SlurmPhase::pending;
                   });
  if (any) {
    auto both = client_.controller_and_wants();
    if (!both) return tl::unexpected(both.error());
    std::tie(snapshot.controller, snapshot.wants) = *std::move(both);
    return {};
  }
  Result<SlurmController> controller = client_.controller();
  if (!controller) return tl::unexpected(controller.error());
  snapshot.controller = *std::move(controller);
  return {};
}

Status SlurmLook::place_fences(SlurmSnapshot& snapshot,
                               const std::vector<SlurmReservation>& made) const {
  for (const SlurmReservation& one : made) {
    SlurmFenceFound fence = read_fence_name(one.name);
    const bool ours = mode_ == SlurmFence::reservation && !fence.host.empty() &&
                      one.nodes.size() == 1 && one.nodes.front() == fence.host;
    for (const std::string& node : one.nodes) {
      SlurmHost* host = snapshot.find(node, "reservation " + one.name);
      if (host == nullptr) continue;
      if (ours || !note_reserved(*host, one)) continue;
      std::vector<std::string>& parts = snapshot.parts_reserved;
      if (parts.empty() || parts.back() != one.name) parts.push_back(one.name);
    }
    if (!ours || snapshot.find(fence.host) == nullptr) continue;
    fence.cores = one.cores;
    fence.whole = one.whole;
    fence.start_s = one.start_s;
    snapshot.find(fence.host)->fences.push_back(std::move(fence));
  }
  return mode_ == SlurmFence::hold_job ? place_hold_jobs(snapshot) : Status{};
}

Status SlurmLook::place_hold_jobs(SlurmSnapshot& snapshot) const {
  Result<std::vector<SlurmFenceFound>> held = client_.hold_jobs();
  if (!held) return tl::unexpected(held.error());
  for (SlurmFenceFound& fence : *held) {
    SlurmHost* host = snapshot.find(fence.host, "a job of ours");
    if (host == nullptr) continue;
    fence.cores = host->slots_of(fence.cores);
    host->fences.push_back(std::move(fence));
  }
  return {};
}

Status SlurmLook::count_jobs(SlurmSnapshot& snapshot, int64_t ended_since_s) {
  Result<std::vector<SlurmJob>> jobs = client_.jobs();
  if (!jobs) return tl::unexpected(jobs.error());
  if (Status known = learn_reserved_jobs(snapshot); !known) return known;
  for (SlurmHost& host : snapshot.hosts) host.holds = host.completing = host.in_reserved = 0;
  spreads_.begin(*jobs);
  for (SlurmHost& host : snapshot.hosts) host.jobs_take_turns = snapshot.jobs_take_turns();
  for (const SlurmJob& job : *jobs) {
    if (Status counted = count(snapshot, job, ended_since_s); !counted) return counted;
  }
  if (Status counted = count_cores(snapshot, *jobs); !counted) return counted;
  // Cores that are reserved for others count as held, used or not.
  for (SlurmHost& host : snapshot.hosts) {
    host.holds = std::min(std::max(host.node.cores, host.holds),
                          host.holds + std::max(host.in_reserved, host.reserved));
  }
  snapshot.jobs = *std::move(jobs);
  return {};
}

/// This runs after the jobs were listed: a job that is not in both lists counts as outside.
Status SlurmLook::learn_reserved_jobs(const SlurmSnapshot& snapshot) {
  reserved_jobs_.clear();
  for (const std::string& name : snapshot.parts_reserved) {
    Result<std::set<std::string>> jobs = client_.jobs_of(name);
    if (!jobs) return tl::unexpected(jobs.error());
    reserved_jobs_.merge(*jobs);
  }
  return {};
}

Status SlurmLook::count(SlurmSnapshot& snapshot, const SlurmJob& job, int64_t ended_since_s) {
  if (job.phase == SlurmPhase::pending || job.phase == SlurmPhase::waits) return {};
  if (job.phase == SlurmPhase::ended && (job.ended_s < ended_since_s || job.nodes.empty())) {
    return {};
  }
  const std::string unknown =
      job.unknown.empty() ? "" : "job " + job.id + " is in the unknown state '" + job.unknown + "'";
  if (SlurmHost* host = snapshot.find(job.nodes)) {
    if (!unknown.empty()) host->unknown = unknown;
    const bool fence =
        std::any_of(host->fences.begin(), host->fences.end(),
                    [&job](const SlurmFenceFound& one) { return one.name == job.id; });
    if (fence) return {};
    add(*host, job.phase, host->slots_of(job.cpus), reserved_jobs_.contains(job.id));
    // A job that was suspended once, and whose cores are known since, may share them when it runs.
    const bool turns = job.suspended || spreads_.known(job.id);
    host->jobs_take_turns = host->jobs_take_turns || turns;
    return {};
  }
  const Result<std::vector<std::string>> nodes = expand_slurm_nodes(job.nodes);
  if (!nodes) return tl::unexpected(nodes.error());
  for (const std::string& node : *nodes) {
    if (SlurmHost* host = snapshot.find(node, "a job"); host != nullptr && !unknown.empty()) {
      host->unknown = unknown;
    }
  }
  return count_spread(snapshot, job, *nodes);
}

/// If Slurm does not print how a job's CPUs lie on its hosts, each host counts with all CPUs but
/// one for each other host.
Status SlurmLook::count_spread(SlurmSnapshot& snapshot, const SlurmJob& job,
                               const std::vector<std::string>& nodes) {
  if (job.phase == SlurmPhase::ended) {
    for (const std::string& node : nodes) {
      if (SlurmHost* host = snapshot.find(node)) add(*host, job.phase, 1, false);
    }
    return {};
  }
  const auto shares = spreads_.of(snapshot, job, nodes);
  if (!shares) return tl::unexpected(shares.error());
  const bool reserved = reserved_jobs_.contains(job.id);
  std::unordered_map<std::string_view, const SlurmShare*> by_node;
  for (const SlurmShare& share : **shares) by_node.emplace(share.node, &share);
  const int32_t others = static_cast<int32_t>(nodes.size()) - 1;
  for (const std::string& node : nodes) {
    SlurmHost* host = snapshot.find(node);
    if (host == nullptr) continue;
    host->jobs_take_turns = host->jobs_take_turns || job.suspended;
    const auto share = by_node.find(node);
    const int32_t slots = share != by_node.end()
                              ? static_cast<int32_t>(host->cores_of(*share->second).size())
                              : host->slots_of(std::max(1, job.cpus - others));
    add(*host, job.phase, std::min(slots, host->node.cores), reserved);
  }
  return {};
}

Status SlurmLook::count_cores(SlurmSnapshot& snapshot, const std::vector<SlurmJob>& jobs) {
  std::map<std::string, SharedHost> shared;
  for (const SlurmHost& host : snapshot.hosts) {
    if (must_be_exact(host)) shared[host.node.name];
  }
  if (shared.empty()) return {};
  for (const SlurmJob& job : jobs) {
    if (job.phase == SlurmPhase::holds) {
      if (Status counted = count_cores_of(snapshot, job, shared); !counted) return counted;
    }
  }
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
  const auto shares = spreads_.of(snapshot, job, nodes);
  if (!shares) return tl::unexpected(shares.error());
  const int32_t others = static_cast<int32_t>(nodes.size()) - 1;
  if ((*shares)->empty()) {
    for (const std::string& node : nodes) {
      if (Cores* cores = on(node)) {
        cores->unknown += snapshot.find(node)->slots_of(std::max(1, job.cpus - others));
      }
    }
  }
  for (const SlurmShare& share : **shares) {
    if (Cores* cores = on(share.node)) {
      cores->held.merge(snapshot.find(share.node)->cores_of(share));
    }
  }
  return {};
}

}  // namespace leasehold::agent
