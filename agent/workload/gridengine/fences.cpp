#include "agent/workload/gridengine/fences.hpp"

#include <algorithm>

namespace leasehold::agent {

int32_t QueueFences::capacity(const GridEngineInstance& instance) const {
  const auto original = notes_.noted().originals.find(instance.host);
  if (original != notes_.noted().originals.end()) return original->second.slots;
  const HostCap* cap = journal_.find(instance.host);
  if (cap == nullptr) return instance.total;
  int32_t slots = cap->own;
  for (const CapPart& part : cap->parts) slots += part.exported;
  return slots;
}

std::vector<std::string> QueueFences::leased(const QueueHosts& hosts) const {
  std::vector<std::string> leased;
  for (const GridEngineInstance& instance : hosts.all()) {
    if (owners_.others(instance.host) || fenced(instance.host)) leased.push_back(instance.host);
  }
  return leased.empty() ? hosts.names() : leased;
}

int32_t QueueFences::largest_of(const QueueHosts& hosts, std::span<const std::string> names) const {
  int32_t most = 0;
  for (const std::string& name : names) {
    if (const GridEngineInstance* instance = hosts.find(name)) {
      most = std::max(most, capacity(*instance));
    }
  }
  if (most > 0) return most;
  for (const GridEngineInstance& instance : hosts.all()) most = std::max(most, capacity(instance));
  return std::max(1, most);
}

void QueueFences::add_caps(const QueueHosts& hosts, View& view) const {
  for (const HostCap& noted : journal_.caps()) {
    const GridEngineInstance* instance = hosts.find(noted.host);
    if (instance == nullptr) continue;  // it has left the queue
    view.caps.push_back(noted);
    const bool reserved =
        instance->total > noted.slots && instance->total <= reserved_.on(*instance);
    if (!reserved) view.caps.back().slots = instance->total;
  }
  // Hosts of others that were opened by hand are to be closed. Hosts that were closed as another's
  // and are own by the present names are to be given back.
  const auto& originals = notes_.noted().originals;
  for (const GridEngineInstance& instance : hosts.all()) {
    const bool others = owners_.others(instance.host);
    if (fenced(instance.host) || owners_.unclear(instance.host)) continue;
    if (others ? instance.total > reserved_.on(instance) : originals.contains(instance.host)) {
      view.caps.push_back({instance.host, others, instance.total, 0, 0, 0, {}, 0});
    }
  }
}

/// Hosts of others that this agent closed stay closed, because their owner may still use them.
std::vector<std::string> QueueFences::left_closed(const QueueHosts& hosts) const {
  std::vector<std::string> stays;
  for (const auto& [host, original] : notes_.noted().originals) {
    const GridEngineInstance* instance = hosts.find(host);
    if (!owners_.others(host) || original.slots == 0 || instance == nullptr) continue;
    const std::string slots = std::to_string(original.slots);
    stays.push_back(
        "host " + host + " has " + std::to_string(instance->total) + " slots in " +
        cell_.queue_name() + " and had " + slots +
        ", for it is another cluster's; to give them back: qconf -mattr queue slots '[" + host +
        "=" + slots + "]' " + cell_.queue_name());
  }
  return stays;
}

/// Notes the original slots before the first change of these hosts.
Status QueueFences::note_originals(std::span<const std::string> names, const QueueHosts& hosts) {
  GridEngineNoted noted = notes_.noted();
  const auto fresh = [&](const std::string& name) { return !noted.originals.contains(name); };
  if (std::none_of(names.begin(), names.end(), fresh)) return {};
  const Result<GridEngineQueue> queue = cell_.queue();
  if (!queue) return tl::unexpected(queue.error());
  for (const std::string& name : names) {
    if (!fresh(name)) continue;
    // If these notes were lost while a fence was set, the present number is ours.
    OriginalSlots original{capacity(*hosts.find(name)), fenced(name)};
    for (const auto& [host, slots] : queue->slots_of_hosts) {
      original.own_entry = original.own_entry || host == name;
    }
    noted.originals[name] = original;
  }
  return notes_.put(std::move(noted));
}

Status QueueFences::set_and_read_back(std::span<const GridEngineCell::Slots> slots) const {
  if (slots.empty()) return {};
  if (const Status done = cell_.set_slots(slots); !done) return done;
  Result<GridEngineLook> seen = cell_.look();
  if (!seen) return tl::unexpected(seen.error());
  const Result<QueueHosts> hosts = QueueHosts::of(std::move(*seen), cell_.queue_name());
  if (!hosts) return tl::unexpected(hosts.error());
  for (const auto& [host, number] : slots) {
    const GridEngineInstance* instance = hosts->find(host);
    if (instance == nullptr || instance->total != number) {
      return fail(ErrorCode::io, "slots of " + cell_.queue_name() + "@" + host + " were set to " +
                                     std::to_string(number) + " and read back as " +
                                     (instance ? std::to_string(instance->total) : "none") +
                                     "; the agent sets them again");
    }
  }
  return {};
}

Status QueueFences::close_ungranted(const QueueHosts& hosts) {
  std::vector<GridEngineCell::Slots> closed;
  std::vector<std::string> names;
  for (const GridEngineInstance& instance : hosts.all()) {
    const int32_t reserved = reserved_.on(instance);
    if (!owners_.others(instance.host) || fenced(instance.host)) continue;
    if (instance.total == reserved) continue;
    closed.emplace_back(instance.host, reserved);
    names.push_back(instance.host);
  }
  if (const Status noted = note_originals(names, hosts); !noted) return noted;
  return set_and_read_back(closed);
}

Status QueueFences::close_for(std::span<const EndingJob> ending, const QueueHosts& hosts) {
  std::vector<GridEngineCell::Slots> slots;
  const bool frees = std::any_of(ending.begin(), ending.end(), [&](const EndingJob& job) {
    const GridEngineInstance* instance = hosts.find(job.host);
    return instance != nullptr && instance->held() > reserved_.on(*instance);
  });
  for (const EndingJob& job : ending) {
    const GridEngineInstance* instance = hosts.find(job.host);
    if (instance == nullptr || !fenced(job.host)) continue;
    const int32_t least = frees ? reserved_.on(*instance) : 0;
    const int32_t number = std::max(least, instance->total - job.slots);
    if (number != instance->total) slots.emplace_back(job.host, number);
  }
  return set_and_read_back(slots);
}

/// Restores the administrator's number after the last cap of an own host.
Status QueueFences::restore_host(const HostCap& cap) const {
  const auto original = notes_.noted().originals.find(cap.host);
  if (original == notes_.noted().originals.end() || original->second.own_entry) return {};
  return cell_.forget_slots(cap.host);
}

Status QueueFences::forget(std::span<const HostCap> caps) {
  GridEngineNoted noted = notes_.noted();
  for (const HostCap& cap : caps) {
    if (cap.parts.empty() && !cap.imported) noted.originals.erase(cap.host);
  }
  return notes_.put(std::move(noted));
}

int32_t QueueFences::slots_under(const HostCap& cap, const GridEngineInstance& instance) const {
  const int32_t reserved = reserved_.on(instance);
  if (!cap.parts.empty()) return std::max(reserved, cap.slots - ending_.slots_on(instance));
  return cap.imported ? reserved : capacity(instance);
}

Status QueueFences::set(std::span<const HostCap> caps, const QueueHosts& hosts) {
  std::vector<std::string> fresh;
  for (const HostCap& cap : caps) {
    if (cap.imported ? cap.parts.empty() && !fenced(cap.host) : !cap.parts.empty()) {
      fresh.push_back(cap.host);
    }
  }
  if (const Status done = note_originals(fresh, hosts); !done) return done;
  std::vector<HostCap> with_parts;
  std::vector<GridEngineCell::Slots> slots;
  for (const HostCap& cap : caps) {
    const GridEngineInstance& instance = *hosts.find(cap.host);
    if (!cap.parts.empty()) with_parts.push_back(cap);
    const int32_t number = slots_under(cap, instance);
    if (number != instance.total) slots.emplace_back(cap.host, number);
  }
  if (const Status done = journal_.put(with_parts); !done) return done;
  if (const Status done = set_and_read_back(slots); !done) return done;
  for (const HostCap& cap : caps) {
    if (cap.imported || !cap.parts.empty()) continue;
    if (const Status done = restore_host(cap); !done) return done;
  }
  if (const Status done = journal_.put(caps); !done) return done;
  return forget(caps);
}

Status QueueFences::enforce(std::span<const HostCap> caps, const QueueHosts& hosts) {
  std::vector<HostCap> known;
  std::string unknown;
  bool unclear = false;
  for (const HostCap& cap : caps) {
    unclear = unclear || owners_.unclear(cap.host);  // reported in the end: the others are fenced
    if (owners_.unclear(cap.host)) continue;
    if (hosts.find(cap.host) != nullptr) {
      known.push_back(cap);
    } else if (!cap.imported || !cap.parts.empty()) {
      unknown += " " + cap.host;
    }
  }
  if (const Status done = set(known, hosts); !done) return done;
  if (unknown.empty()) return unclear ? owners_.refused() : Status{};
  return fail(ErrorCode::unknown, "not in the queue " + cell_.queue_name() + ":" + unknown);
}

}  // namespace leasehold::agent
