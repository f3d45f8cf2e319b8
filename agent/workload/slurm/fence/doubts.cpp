#include "agent/workload/slurm/fence/doubts.hpp"

#include <algorithm>

#include "common/log.hpp"

namespace leasehold::agent {

namespace {

std::string job_of(const SlurmFenceFound& fence) {
  return "job " + fence.name;
}

}  // namespace

bool SlurmDoubts::note_life(const SlurmSnapshot& snapshot, bool first) {
  const SlurmController& controller = snapshot.controller;
  if (controller.boot == boot_) return false;
  if (!boot_.empty()) {
    log_warn(
        "slurm-controller-restarted",
        {{"boot", controller.boot}, {"then", "hosts count as not fenced until the next look"}});
  }
  boot_ = controller.boot;
  const bool young = controller.now_s - controller.boot_s < kSlurmSavesWithinMs / 1'000 + 1;
  if (young || !first) {
    for (const SlurmHost& host : snapshot.hosts) add(host.node.name);
  }
  return true;
}

void SlurmDoubts::add_until(const std::string& what) {
  if (looks_only_) return;
  const int64_t now_ms = time_.boottime_ms();
  std::erase_if(until_ms_, [now_ms](const auto& entry) { return entry.second <= now_ms; });
  until_ms_[what] = now_ms + kSlurmSavesWithinMs;
}

bool SlurmDoubts::contain(const std::string& what) const {
  const auto until = until_ms_.find(what);
  return until != until_ms_.end() && time_.boottime_ms() < until->second;
}

void SlurmDoubts::add_young(const SlurmHost& host, int64_t now_s) {
  for (const SlurmFenceFound& fence : host.fences) {
    if (!may_be_forgotten(fence, now_s)) continue;
    mode_ == SlurmFence::hold_job ? add_until(job_of(fence)) : add(host.node.name);
  }
}

int32_t SlurmDoubts::open_slots(const SlurmHost& host, const SlurmFences& fences) const {
  if (contain("host " + host.node.name)) return host.node.cores;
  int32_t doubted = 0;
  for (const SlurmFenceFound& fence : host.fences) {
    if (!fence.ending && contain(job_of(fence))) doubted += fence.cores;
  }
  return std::min(host.node.cores, fences.open_slots(host) + doubted);
}

void SlurmDoubts::before(const SlurmSnapshot& snapshot, const SlurmFences& fences) {
  before_.clear();
  for (const auto& [name, cores] : fences.wanted()) {
    const SlurmHost* host = snapshot.find(name);
    if (host == nullptr) continue;
    Before& seen = before_[name];
    seen.cores = fences.claimed_cores(*host);
    for (const SlurmFenceFound& fence : host->fences) seen.names.insert(fence.name);
  }
}

void SlurmDoubts::after(const SlurmSnapshot& snapshot, const SlurmFences& fences) {
  for (const auto& [name, seen] : before_) {
    const SlurmHost& host = *snapshot.find(name);
    const int32_t open = host.node.cores - seen.cores;
    const int32_t open_now = fences.open_slots(host);
    const auto kept = kept_.find(name);
    const bool lost =
        kept != kept_.end() && seen.cores < std::min(kept->second, fences.wanted().at(name));
    if (open_now < open && lost) {
      log_warn("fence-restored", {{"host", name},
                                  {"slots_open_before", open},
                                  {"why", "somebody removed the fence, or made it smaller"},
                                  {"then", "other work may have started there meanwhile"},
                                  {"do", "look who removes fences"}});
    }
    if (mode_ == SlurmFence::hold_job) {
      for (const SlurmFenceFound& fence : host.fences) {
        if (!seen.names.contains(fence.name)) add_until(job_of(fence));
      }
    } else if (open_now < open) {
      add(name);
    }
  }
  keep(snapshot, fences);
}

void SlurmDoubts::keep(const SlurmSnapshot& snapshot, const SlurmFences& fences) {
  for (const auto& [name, cores] : fences.wanted()) {
    if (const SlurmHost* host = snapshot.find(name)) {
      kept_[name] = host->node.cores - fences.open_slots(*host);
    }
  }
}

}  // namespace leasehold::agent
