#include "agent/core/limits/book.hpp"

#include <algorithm>

#include "common/check.hpp"

namespace leasehold::agent {

namespace {

template <class T>
void grow(std::vector<T>& values, size_t size) {
  if (values.size() < size) {
    values.resize(size);
  }
}

/// Nobody knows the limit of an exported host that no fence named: its exported slots do not count
/// as the cluster's own, and none of them is open.
void close_unknown(GroupLimits& limits, const wire::ConfiguredGroup& configured) {
  if (configured.role != wire::Role::provider) return;
  grow(limits.hosts, configured.hosts.size());
  for (size_t i = 0; i < configured.hosts.size(); ++i) {
    if (limits.hosts[i].exported == 0) limits.hosts[i].exported = configured.hosts[i].slots;
  }
}

GroupLimits fresh_limits(const wire::ConfiguredGroup& configured) {
  GroupLimits limits;
  limits.generation = configured.generation;
  limits.role = configured.role;
  limits.hosts.resize(configured.hosts.size());
  return limits;
}

/// Returns how many hosts the group has in this configuration: the kept state has at least as many
/// limits.
size_t hosts_of(const wire::Configuration& configuration, uint64_t generation) {
  for (const wire::ConfiguredGroup& group : configuration.groups) {
    if (group.generation == generation) return group.hosts.size();
  }
  return 0;
}

}  // namespace

LeasedGroup* Book::find(uint64_t generation) {
  for (LeasedGroup& group : groups_) {
    if (group.limits.generation == generation) return &group;
  }
  return nullptr;
}

const LeasedGroup* Book::find(uint64_t generation) const {
  for (const LeasedGroup& group : groups_) {
    if (group.limits.generation == generation) return &group;
  }
  return nullptr;
}

void Book::withhold_nothing() {
  for (LeasedGroup& group : groups_) {
    for (HostLimit& host : group.limits.hosts) host.withheld = 0;
  }
}

void Book::restore(const wire::Configuration& configuration, const std::vector<GroupLimits>& limits,
                   const std::vector<wire::HostFacts>& own_hosts) {
  configuration_ = configuration;
  groups_.clear();
  for (const wire::ConfiguredGroup& group : configuration.groups) {
    GroupLimits kept = fresh_limits(group);
    for (const GroupLimits& saved : limits) {
      if (saved.generation == group.generation) kept = saved;
    }
    kept.role = group.role;
    grow(kept.hosts, group.hosts.size());
    groups_.push_back({group, std::move(kept), {}});
  }
  find_places(own_hosts);
  index_hosts();
}

namespace {

/// Returns the part of this group in the cap. Without one the cap counts nothing as the group's.
CapPart part_of(const HostCap& cap, uint64_t generation, uint32_t host) {
  for (const CapPart& part : cap.parts) {
    if (part.generation == generation && part.host == host) return part;
  }
  return {generation, host, 0, 0};
}

/// Lowers the limit, but not by slots of the host that are open and that no limit would count then;
/// takes them from `open`.
void lower(HostLimit& host, int32_t limit, int32_t& open) {
  if (limit >= host.limit) return;
  const auto stay = static_cast<int32_t>(std::min<int64_t>(open, int64_t{host.limit} - limit));
  host.limit = limit + stay;
  open -= stay;
  if (stay > 0) freeze(host);
}

}  // namespace

void Book::adopt_fences(const std::vector<HostCap>& found, const std::set<std::string>& closing) {
  const auto known = static_cast<std::ptrdiff_t>(groups_.size());
  std::map<std::string, int32_t> open = open_beyond(found);
  for (const std::string& host : closing) open[host] = INT32_MAX;
  for (const HostCap& cap : found) {
    for (const CapPart& part : cap.parts) {
      adopt_part(cap, part, static_cast<size_t>(known), open[cap.host]);
    }
  }
  for (LeasedGroup& group : groups_) close_unfenced(group, found, open);
  std::sort(groups_.begin() + known, groups_.end(), [](const LeasedGroup& a, const LeasedGroup& b) {
    return a.limits.generation < b.limits.generation;
  });
  index_hosts();
}

/// Returns by host the slots that are open and that the limits count, but would not if each were as
/// low as its part of the fence. An agent that may raise no cap carries out two orders, one of
/// which gives a group what the other takes from another group: the cap, and its parts, stay as
/// they were.
std::map<std::string, int32_t> Book::open_beyond(const std::vector<HostCap>& found) const {
  std::map<std::string, int32_t> open;
  for (const HostCap& cap : found) {
    const auto leases = hosts_.find(cap.host);
    if (leases == hosts_.end() || leases->second.imported != cap.imported) continue;
    int64_t by_parts = cap.own;
    for (const CapPart& part : cap.parts) by_parts += part.limit;
    int64_t by_limits = by_parts;
    int64_t by_lower = by_parts;
    for (const OnHost& lease : leases->second.leases) {
      const GroupLimits& limits = groups_[lease.group].limits;
      const HostLimit& host = limits.hosts[lease.position];
      const CapPart part = part_of(cap, limits.generation, lease.position);
      const int64_t more =
          int64_t{host.limit} - host.exported - (int64_t{part.limit} - part.exported);
      by_limits += more;
      by_lower += std::min<int64_t>(more, 0);
    }
    if (by_lower < cap.slots && cap.slots <= by_limits) {
      open[cap.host] = static_cast<int32_t>(std::min<int64_t>(cap.slots - by_lower, INT32_MAX));
    }
  }
  return open;
}

/// On another cluster's host only what a fence says is open; without a fence nothing is.
void Book::close_unfenced(LeasedGroup& group, const std::vector<HostCap>& found,
                          std::map<std::string, int32_t>& open) {
  if (group.limits.role != wire::Role::consumer) return;
  for (uint32_t i = 0; i < group.limits.hosts.size(); ++i) {
    const bool fenced = std::any_of(found.begin(), found.end(), [&](const HostCap& cap) {
      return std::any_of(cap.parts.begin(), cap.parts.end(), [&](const CapPart& part) {
        return part.generation == group.limits.generation && part.host == i;
      });
    });
    if (!fenced) lower(group.limits.hosts[i], 0, open[group.place(i)]);
  }
}

void Book::adopt_part(const HostCap& cap, const CapPart& part, size_t known, int32_t& open) {
  LeasedGroup* group = find(part.generation);
  if (group != nullptr && group < groups_.data() + known) {
    // The state may be an older copy: newer exports would then count as own slots, and a limit
    // above the fence's may cover slots that somebody else has by now. Or the fence is the older
    // one, on a host that was away when an export ended. Exports that one of the two does not count
    // were the cluster's own there, and so were open.
    grow(group->limits.hosts, part.host + 1);
    HostLimit& host = group->limits.hosts[part.host];
    const int32_t exported = std::max(host.exported, part.exported);
    host.limit += exported - host.exported;
    host.exported = exported;
    lower(host, part.limit + (exported - part.exported), open);
    return;
  }
  if (group == nullptr) group = &groups_.emplace_back();
  group->limits.generation = group->configured.generation = part.generation;
  group->limits.role = group->configured.role =
      cap.imported ? wire::Role::consumer : wire::Role::provider;
  grow(group->limits.hosts, part.host + 1);
  grow(group->configured.hosts, part.host + 1);
  grow(group->places, part.host + 1);
  group->limits.hosts[part.host].limit = part.limit;
  group->limits.hosts[part.host].exported = part.exported;
  group->configured.hosts[part.host] = {cap.host, part.exported, false};
  group->places[part.host] = cap.host;
  group->configured.grace_ms = std::max(group->configured.grace_ms, cap.grace_ms);
}

Book::Adoption Book::adopt(const wire::Configuration& configuration, bool state_lost,
                           const std::vector<wire::HostFacts>& own_hosts) {
  Adoption adoption;
  std::vector<LeasedGroup> next;
  for (const wire::ConfiguredGroup& group : configuration.groups) {
    const LeasedGroup* known = find(group.generation);
    GroupLimits limits = known ? known->limits : fresh_limits(group);
    limits.role = group.role;
    if (state_lost) close_unknown(limits, group);
    keep_configured(limits, group);
    // Fences that were adopted make limits of more hosts than the kept state has.
    const bool longer = group.hosts.size() > hosts_of(configuration_, group.generation);
    if (!known || longer || !(limits == known->limits)) {
      adoption.changed.push_back(group.generation);
    }
    next.push_back({group, std::move(limits), {}});
  }
  for (const LeasedGroup& old : groups_) {
    if (std::none_of(next.begin(), next.end(), [&](const LeasedGroup& group) {
          return group.limits.generation == old.limits.generation;
        })) {
      adoption.dropped.push_back(old.limits.generation);
    }
  }
  groups_ = std::move(next);
  configuration_ = configuration;
  adoption.problems = find_places(own_hosts);
  index_hosts();
  return adoption;
}

std::string Book::place_of(const wire::ConfiguredGroup& group, const std::string& host,
                           Owners& owners, std::vector<std::string>& problems) const {
  if (group.role == wire::Role::provider) return host;
  const std::string real = host + "@" + group.peer;
  const std::string local = names_.local(host, group.peer);
  const auto [owner, fresh] = owners.emplace(local, real);
  if (owner->second == real) return local;
  problems.push_back("imported host " + real + " would be called '" + local + "' here, which is " +
                     owner->second + "; give it another name in [hosts] map");
  return {};
}

std::vector<std::string> Book::find_places(const std::vector<wire::HostFacts>& own_hosts) {
  std::vector<std::string> problems;
  Owners owners;
  for (const wire::HostFacts& host : own_hosts) owners.emplace(host.name, "a host of our own");
  for (LeasedGroup& group : groups_) {
    group.places.clear();
    for (const wire::ConfiguredHost& host : group.configured.hosts) {
      group.places.push_back(place_of(group.configured, host.name, owners, problems));
    }
  }
  return problems;
}

void Book::index_hosts() {
  hosts_.clear();
  for (uint32_t g = 0; g < groups_.size(); ++g) {
    const LeasedGroup& group = groups_[g];
    LEASEHOLD_CHECK(group.limits.hosts.size() >= group.places.size(), "a limit for each host");
    for (uint32_t position = 0; position < group.places.size(); ++position) {
      if (group.places[position].empty()) continue;
      LeasedHost& host = hosts_[group.places[position]];
      host.imported = group.limits.role == wire::Role::consumer;
      host.leases.push_back({g, position});
    }
  }
}

bool Book::close_leased() {
  bool any = false;
  for (LeasedGroup& group : groups_) {
    if (group.limits.role != wire::Role::consumer) continue;
    close_all(group.limits);
    any = true;
  }
  return any;
}

int64_t Book::longest_grace_ms() const {
  int64_t longest = 0;
  for (const LeasedGroup& group : groups_) {
    if (group.limits.role == wire::Role::consumer) {
      longest = std::max(longest, group.configured.grace_ms);
    }
  }
  return longest;
}

std::vector<std::string> Book::imported_hosts() const {
  std::vector<std::string> names;
  for (const auto& [name, host] : hosts_) {
    if (host.imported) names.push_back(name);
  }
  return names;
}

std::vector<uint64_t> Book::note_use(const std::vector<GroupUse>& use) {
  std::vector<uint64_t> changed;
  for (size_t g = 0; g < groups_.size(); ++g) {
    GroupLimits& limits = groups_[g].limits;
    if (limits.ever_used || limits.seq == 0) continue;
    const auto ran = [](int32_t slots) { return slots > 0; };
    limits.ever_used = std::any_of(use[g].used.begin(), use[g].used.end(), ran) ||
                       std::any_of(use[g].used_peak.begin(), use[g].used_peak.end(), ran);
    if (limits.ever_used) changed.push_back(limits.generation);
  }
  return changed;
}

void Book::freeze_all(const LeasedHost& host) {
  for (const OnHost& lease : host.leases) freeze(groups_[lease.group].limits.hosts[lease.position]);
}

}  // namespace leasehold::agent
