// The part of the Grid Engine adapter that sets slots and restores them.
#include <algorithm>

#include "agent/workload/gridengine/adapter.hpp"

namespace leasehold::agent {

namespace {

/// Notes of jobs are dropped if their host was silent for so long.
constexpr int64_t kForgetMs = int64_t{7} * 24 * 3'600'000;

}  // namespace

/// Notes the original slots before the first change of these hosts.
Status GridEngine::note_originals(std::span<const std::string> names, const QueueHosts& hosts) {
  GridEngineNoted noted = notes_.noted();
  const auto fresh = [&](const std::string& name) { return !noted.originals.contains(name); };
  if (std::none_of(names.begin(), names.end(), fresh)) return {};
  const Result<GridEngineQueue> queue = cell_.queue();
  if (!queue) return tl::unexpected(queue.error());
  for (const std::string& name : names) {
    if (!fresh(name)) continue;
    // If these notes were lost while a fence was set, the present number is ours.
    OriginalSlots original{capacity(*hosts.find(name)), fenced(name) != nullptr};
    for (const auto& [host, slots] : queue->slots_of_hosts)
      original.own_entry = original.own_entry || host == name;
    noted.originals[name] = original;
  }
  return notes_.put(std::move(noted));
}

Status GridEngine::set_and_read_back(const std::vector<GridEngineCell::Slots>& slots) {
  if (slots.empty()) return {};
  if (const Status done = cell_.set_slots(slots); !done) return done;
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  for (const auto& [host, number] : slots) {
    const GridEngineInstance* instance = hosts->find(host);
    if (instance == nullptr || instance->total != number)
      return fail(ErrorCode::io, "slots of " + cell_.queue_name() + "@" + host + " were set to " +
                                     std::to_string(number) + " and read back as " +
                                     (instance ? std::to_string(instance->total) : "none"));
  }
  return {};
}

/// Restores the administrator's number after the last cap of an own host.
Status GridEngine::restore_host(const HostCap& cap) {
  const auto original = notes_.noted().originals.find(cap.host);
  if (original == notes_.noted().originals.end() || original->second.own_entry) return {};
  return cell_.forget_slots(cap.host);
}

Status GridEngine::forget(std::span<const HostCap> caps) {
  GridEngineNoted noted = notes_.noted();
  for (const HostCap& cap : caps)
    if (cap.parts.empty() && !cap.imported) noted.originals.erase(cap.host);
  const int64_t now_ms = time_.boottime_ms();
  std::erase_if(noted.ending,
                [&](const EndingJob& job) { return now_ms - job.until_ms > kForgetMs; });
  return notes_.put(std::move(noted));
}

Status GridEngine::enforce(std::span<const HostCap> caps) {
  if (read_only_) return look_only();
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  std::vector<HostCap> known;
  std::string unknown;
  bool unclear = false;
  if (const Status learned = learn(*hosts); !learned) return learned;
  for (const HostCap& cap : caps) {
    unclear = unclear || owners_.unclear(cap.host);  // reported in the end: the others are fenced
    if (owners_.unclear(cap.host)) continue;
    if (hosts->find(cap.host) != nullptr)
      known.push_back(cap);
    else if (!cap.imported || !cap.parts.empty())
      unknown += " " + cap.host;
  }
  std::vector<std::string> fresh;
  for (const HostCap& cap : known)
    if (cap.imported ? cap.parts.empty() && fenced(cap.host) == nullptr : !cap.parts.empty())
      fresh.push_back(cap.host);
  if (const Status done = note_originals(fresh, *hosts); !done) return done;
  std::vector<HostCap> standing;
  std::vector<GridEngineCell::Slots> slots;
  for (const HostCap& cap : known) {
    const GridEngineInstance& instance = *hosts->find(cap.host);
    if (!cap.parts.empty()) standing.push_back(cap);
    int32_t number = cap.imported ? 0 : capacity(instance);
    if (!cap.parts.empty()) number = std::max(0, cap.slots - ending_slots(instance));
    if (number != instance.total) slots.emplace_back(cap.host, number);
  }
  if (const Status done = journal_.put(standing); !done) return done;
  if (const Status done = set_and_read_back(slots); !done) return done;
  for (const HostCap& cap : known) {
    if (cap.imported || !cap.parts.empty()) continue;
    if (const Status done = restore_host(cap); !done) return done;
  }
  if (const Status done = journal_.put(known); !done) return done;
  if (const Status done = forget(known); !done) return done;
  if (unknown.empty()) return unclear ? owners_.refused() : Status{};
  return fail(ErrorCode::unknown, "not in the queue " + cell_.queue_name() + ":" + unknown);
}

/// Hosts of others that this agent closed stay closed, because their owner may still use them.
Result<std::vector<std::string>> GridEngine::leave() {
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  std::vector<std::string> stays;
  for (const auto& [host, original] : notes_.noted().originals) {
    if (!imported(host) || original.slots == 0 || hosts->find(host) == nullptr) continue;
    const std::string slots = std::to_string(original.slots);
    stays.push_back(
        "host " + host + " has 0 slots in " + cell_.queue_name() + " and had " + slots +
        ", for it is another cluster's; to give them back: qconf -mattr queue slots '[" + host +
        "=" + slots + "]' " + cell_.queue_name());
  }
  return stays;
}

Status GridEngine::fence_resources(std::span<const wire::ConfiguredResource> resources) {
  if (resources.empty()) return {};
  return fail(ErrorCode::refused, "Grid Engine's shared resources are not fenced by this adapter");
}

}  // namespace leasehold::agent
