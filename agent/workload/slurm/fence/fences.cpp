#include "agent/workload/slurm/fence/fences.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "common/log.hpp"

namespace leasehold::agent {

namespace {

/// A job that ends at its signal completes within some hundredths of a second.
constexpr int kLooks = 3;
constexpr std::chrono::milliseconds kBetweenLooks{60};

void keep_first(Status& first, Status next) {
  if (first && !next) first = std::move(next);
}

}  // namespace

Status leave_out_hold_jobs(const SlurmClient& client, std::vector<WorkUnit>& units) {
  const Result<std::vector<SlurmFenceFound>> held = client.hold_jobs();
  if (!held) return tl::unexpected(held.error());
  std::set<std::string> ids;
  for (const SlurmFenceFound& fence : *held) ids.insert(fence.name);
  std::erase_if(units, [&ids](const WorkUnit& unit) { return ids.contains(unit.id); });
  return {};
}

bool is_closed(const SlurmHost& host) {
  return std::any_of(host.fences.begin(), host.fences.end(),
                     [](const SlurmFenceFound& fence) { return fence.whole; });
}

int32_t SlurmFences::claimed_cores(const SlurmHost& host) const {
  if (mode_ == SlurmFence::hold_job) return verified_cores(host);
  int32_t cores = 0;
  for (const SlurmFenceFound& fence : host.fences) {
    cores = std::max(cores, fence.whole ? host.node.cores : fence.cores - host.reserved);
  }
  return std::min(cores, host.node.cores);
}

void SlurmFences::trust(const SlurmSnapshot& snapshot) {
  for (const SlurmHost& host : snapshot.hosts) {
    for (const SlurmFenceFound& fence : host.fences) verified_.insert(fence.name);
  }
}

int32_t SlurmFences::wanted_on(const SlurmHost& host) const {
  const auto found = wanted_.find(host.node.name);
  return found == wanted_.end() ? claimed_cores(host) : std::min(found->second, host.node.cores);
}

int32_t SlurmFences::verified_cores(const SlurmHost& host) const {
  int32_t cores = 0;
  for (const SlurmFenceFound& fence : host.fences) {
    if (fence.ending) continue;
    if (mode_ == SlurmFence::hold_job && !fence.whole) {
      cores += fence.cores;
    } else if (!fence.whole && verified_.contains(fence.name)) {
      cores = std::max(cores, fence.cores - host.reserved);
    }
  }
  return std::min(cores, host.node.cores);
}

/// Slurm may lay a fence over what others have reserved: a fence that is larger by those cores
/// opens no more.
int32_t SlurmFences::with_reserved(const SlurmHost& host, int32_t cores) const {
  return cores == 0 ? 0 : std::min(host.node.cores, cores + host.reserved);
}

int32_t SlurmFences::open_slots(const SlurmHost& host) const {
  const int32_t verified = verified_cores(host);
  return host.node.cores - (is_closed(host) ? std::max(verified, wanted_on(host)) : verified);
}

namespace {

int32_t ending_cores(const SlurmHost& host) {
  int32_t cores = 0;
  for (const SlurmFenceFound& fence : host.fences) cores += fence.ending ? fence.cores : 0;
  return cores;
}

}  // namespace

int32_t SlurmFences::used(const SlurmHost& host) const {
  const int32_t fenced = verified_cores(host);
  int32_t with_completing = host.holds + host.completing;
  int32_t allocated = host.slots_of(host.node.cpus_allocated);
  if (mode_ == SlurmFence::hold_job) {
    allocated = std::max(0, allocated - fenced - ending_cores(host));
  } else {
    with_completing = std::min(with_completing, host.node.cores - fenced);
  }
  return std::min(host.node.cores, std::max({host.holds, with_completing, allocated}));
}

/// True if new work can use no more than the cores outside the wanted fence.
bool SlurmFences::covered(const SlurmHost& host, int32_t cores) const {
  return is_closed(host) || verified_cores(host) >= cores;
}

/// True if the host has the wanted fence, and no other.
bool SlurmFences::stands(const SlurmHost& host, int32_t cores) const {
  if (cores == 0) return host.fences.empty();
  if (host.fences.size() != 1) return false;
  const SlurmFenceFound& fence = host.fences.front();
  const int32_t laid = with_reserved(host, cores);
  if (laid == host.node.cores) return fence.whole;
  return !fence.whole && fence.cores == laid && verified_.contains(fence.name);
}

Status SlurmFences::apply(SlurmSnapshot& snapshot) {
  Status first;
  std::vector<Candidate> candidates;
  for (const auto& [name, wanted] : wanted_) {
    SlurmHost* host = snapshot.find(name);
    if (host == nullptr) continue;
    const int32_t cores = std::min(wanted, host->node.cores);
    if (mode_ == SlurmFence::hold_job) {
      keep_first(first, hold_jobs(snapshot, *host, cores));
    } else if (!stands(*host, cores)) {
      keep_first(first, approach(*host, cores, candidates));
    }
  }
  if (!candidates.empty()) keep_first(first, verify(snapshot, candidates));
  return first;
}

Status SlurmFences::approach(SlurmHost& host, int32_t cores, std::vector<Candidate>& candidates) {
  if (cores == 0) return keep_only(host, "");
  const int32_t laid = with_reserved(host, cores);
  if (laid == host.node.cores) {
    if (Status closed = close(host); !closed) return closed;
    const auto whole = std::find_if(host.fences.begin(), host.fences.end(),
                                    [](const SlurmFenceFound& fence) { return fence.whole; });
    return keep_only(host, whole->name);
  }
  const bool over = host.holds > host.node.cores - cores;
  if (!covered(host, cores) && (over || host.completing > 0)) {
    if (Status closed = close(host); !closed) return closed;
  }
  if (over) return {};
  const auto same = std::find_if(host.fences.begin(), host.fences.end(), [&](const auto& fence) {
    return !fence.whole && fence.cores == laid;
  });
  const Result<std::string> fence =
      same == host.fences.end() ? make(host, laid) : Result<std::string>(same->name);
  if (!fence) return tl::unexpected(fence.error());
  if (!fence->empty()) {
    candidates.push_back({&host, *fence, covered(host, cores)});
  } else if (!covered(host, cores)) {
    return close(host);
  }
  return {};
}

/// A fence is verified when nothing completes on its host while it is in force: then none of its
/// cores is a job's.
Status SlurmFences::verify(SlurmSnapshot& snapshot, std::vector<Candidate>& candidates) {
  Status first;
  for (int look = 0; look < kLooks && !candidates.empty(); ++look) {
    if (look != 0) std::this_thread::sleep_for(kBetweenLooks);
    if (Status counted = look_.count_jobs(snapshot, INT64_MAX); !counted) return counted;
    for (Candidate& candidate : candidates) {
      if (candidate.host->completing == 0) {
        verified_.insert(candidate.fence);
        keep_first(first, keep_only(*candidate.host, candidate.fence));
      } else if (!candidate.covered) {
        keep_first(first, close(*candidate.host));
        candidate.covered = true;
      }
    }
    std::erase_if(candidates,
                  [this](const Candidate& one) { return verified_.contains(one.fence); });
  }
  return first;
}

int64_t SlurmFences::next_number(const SlurmHost& host) {
  int64_t& last = numbers_[host.node.name];
  return last = std::max(last + 1, host.next_number());
}

Status SlurmFences::close(SlurmHost& host) {
  if (is_closed(host)) return {};
  const int64_t number = next_number(host);
  if (Status closed = client_.close(host.node.name, number); !closed) return closed;
  SlurmFenceFound fence =
      read_fence_name("leasehold-" + host.node.name + "-" + std::to_string(number));
  fence.cores = host.node.cores;
  fence.whole = true;
  host.fences.push_back(std::move(fence));
  return {};
}

/// Returns the new fence's name; "" if the host has too few idle cores.
Result<std::string> SlurmFences::make(SlurmHost& host, int32_t cores) {
  const int64_t number = next_number(host);
  const Result<bool> made = client_.fence(host.node.name, number, cores);
  if (!made) return tl::unexpected(made.error());
  if (!*made) return std::string();
  SlurmFenceFound fence =
      read_fence_name("leasehold-" + host.node.name + "-" + std::to_string(number));
  fence.cores = cores;
  verified_.erase(fence.name);
  host.fences.push_back(fence);
  return fence.name;
}

/// Removes the host's other fences; all of them if `fence` is "". The one of the whole host goes
/// last: until then nothing starts.
Status SlurmFences::keep_only(SlurmHost& host, const std::string& fence) {
  std::stable_partition(host.fences.begin(), host.fences.end(),
                        [](const SlurmFenceFound& one) { return !one.whole; });
  Status first;
  std::vector<SlurmFenceFound> left;
  for (SlurmFenceFound& one : host.fences) {
    const bool keep = one.name == fence;
    const Status removed = keep ? Status{} : client_.unfence(one.name);
    keep_first(first, removed);
    if (keep || !removed) {
      left.push_back(std::move(one));
    } else {
      verified_.erase(one.name);
    }
  }
  host.fences = std::move(left);
  return first;
}

/// Each hold job has one core, so that any number can be given back.
Status SlurmFences::hold_jobs(SlurmSnapshot& snapshot, SlurmHost& host, int32_t cores) {
  int32_t have = verified_cores(host);
  for (auto fence = host.fences.rbegin(); have > cores && fence != host.fences.rend(); ++fence) {
    if (fence->ending) continue;
    if (Status ended = client_.cancel(fence->name); !ended) return ended;
    fence->ending = true;
    have -= fence->cores;
  }
  if (have >= cores || host.completing > 0 || !host.node.up) return {};
  for (int64_t number = host.next_number(); have < cores; ++have, ++number) {
    const Result<bool> held = client_.hold(host.node.name, number, host.node.threads);
    if (!held) return tl::unexpected(held.error());
    if (!*held) break;
  }
  Result<std::vector<SlurmFenceFound>> found = client_.hold_jobs();
  if (!found) return tl::unexpected(found.error());
  std::erase_if(host.fences, [](const SlurmFenceFound& fence) { return !fence.whole; });
  for (SlurmFenceFound& fence : *found) {
    if (fence.host != host.node.name) continue;
    fence.cores = host.slots_of(fence.cores);
    host.fences.push_back(std::move(fence));
  }
  return look_.count_jobs(snapshot, INT64_MAX);
}

void log_fence_failed(const Error& why) {
  log_error("fence-failed", {{"why", describe(why)},
                             {"then", "slots that could not be fenced do not move"},
                             {"do", "lease-agent --probe shows which rights are missing"}});
}

}  // namespace leasehold::agent
