#include "agent/core/limits/book_use.hpp"

#include <algorithm>

#include "agent/core/limits/attribution.hpp"
#include "common/canary.hpp"

namespace leasehold::agent {

namespace {

const wire::HostFacts* find_host(const std::vector<wire::HostFacts>& hosts,
                                 const std::string& name) {
  for (const wire::HostFacts& host : hosts) {
    if (host.name == name) return &host;
  }
  return nullptr;
}

const HostCap* find_cap(const std::vector<HostCap>& caps, const std::string& name) {
  for (const HostCap& cap : caps) {
    if (cap.host == name) return &cap;
  }
  return nullptr;
}

/// Fences that were forged may add up to more than a number holds.
int32_t bounded(int64_t slots) {
  return static_cast<int32_t>(std::clamp<int64_t>(slots, INT32_MIN, INT32_MAX));
}

void add_part(const LeasedGroup& group, const Book::OnHost& lease, HostCap& cap) {
  const HostLimit& host = group.limits.hosts[lease.position];
  if (cap.imported ? host.limit == 0 : host.exported == 0) return;
  cap.slots = bounded(int64_t{cap.slots} + enforced(host) - host.exported);
  cap.own = bounded(int64_t{cap.own} - host.exported);
  cap.mem_mb += group.configured.mem_mb;
  cap.swap_mb += group.configured.swap_mb;
  if (cap.imported) cap.grace_ms = std::max(cap.grace_ms, group.configured.grace_ms);
  cap.parts.push_back({group.limits.generation, lease.position, host.limit, host.exported});
}

/// Adds own slots to the leased ones. Exports may exceed a host that was made smaller.
HostCap cap_of(const Book& book, const std::string& name, const Book::LeasedHost& leased,
               int32_t slots) {
  HostCap cap{name, leased.imported, slots, slots, 0, 0, {}, 0};
  for (const Book::OnHost& lease : leased.leases) add_part(book.groups()[lease.group], lease, cap);
  cap.slots = std::max(0, cap.slots);
  cap.own = std::max(0, cap.own);
  std::sort(cap.parts.begin(), cap.parts.end(),
            [](const CapPart& a, const CapPart& b) { return a.generation < b.generation; });
  return cap;
}

int32_t own_slots(const Book& book, const Book::LeasedHost& leased, int32_t slots) {
  for (const Book::OnHost& lease : leased.leases) {
    slots -= effective_exports(book.groups()[lease.group], lease.position);
  }
  return leased.imported ? 0 : std::max(0, slots);
}

void use_host(const Book& book, const Book::LeasedHost& leased, const HostLoad& load, int32_t slots,
              std::vector<GroupUse>& use) {
  std::vector<Slots> groups;
  for (const Book::OnHost& lease : leased.leases) {
    const HostLimit& host = book.groups()[lease.group].limits.hosts[lease.position];
    const int32_t limit = effective_limit(book.groups()[lease.group], lease.position);
    const int32_t fenced = host.frozen ? limit : host.limit - enforced(host);
    groups.push_back({limit, limit - fenced});
  }
  std::vector<int32_t> used(groups.size());
  std::vector<int32_t> peak(groups.size());
  const int32_t own = own_slots(book, leased, slots);
  attribute(load.used_peak, own, groups, peak);
  const int32_t breach = attribute(load.used, own, groups, used);
  for (size_t i = 0; i < leased.leases.size(); ++i) {
    GroupUse& group = use[leased.leases[i].group];
    const uint32_t position = leased.leases[i].position;
    group.used[position] = used[i];
    group.used_peak[position] = peak[i];
    group.known[position] = true;
    group.up[position] = load.up && load.lendable;
    group.divisions[position] = load.division;
    // A group without an order was given no slots yet that could be exceeded.
    if (book.groups()[leased.leases[i].group].limits.seq > 0) group.breach += breach;
  }
}

}  // namespace

int32_t effective_exports(const LeasedGroup& group, size_t position) {
  if (group.limits.role != wire::Role::provider) return 0;
  const int32_t exported = group.limits.hosts[position].exported;
  if (position >= group.configured.hosts.size()) return exported;
  return std::max(exported, group.configured.hosts[position].slots);
}

int32_t effective_limit(const LeasedGroup& group, size_t position) {
  const HostLimit& host = group.limits.hosts[position];
  if (group.limits.role != wire::Role::provider) return host.limit;
  return bounded(int64_t{host.limit} + effective_exports(group, position) - host.exported);
}

std::vector<HostCap> caps_of(const Book& book, const std::vector<wire::HostFacts>& own_hosts) {
  std::vector<HostCap> caps;
  for (const auto& [name, leased] : book.hosts()) {
    const wire::HostFacts* own = find_host(own_hosts, name);
    if (!leased.imported && own == nullptr) continue;
    HostCap cap = cap_of(book, name, leased, leased.imported ? 0 : own->slots);
    if (!cap.parts.empty()) caps.push_back(std::move(cap));
  }
  return caps;
}

std::vector<GroupUse> use_of(const Book& book, const View& view) {
  std::vector<GroupUse> use(book.groups().size());
  for (size_t g = 0; g < book.groups().size(); ++g) {
    const size_t hosts = book.groups()[g].limits.hosts.size();
    use[g] = {std::vector<int32_t>(hosts),
              std::vector<int32_t>(hosts),
              std::vector<bool>(hosts),
              std::vector<bool>(hosts),
              0,
              std::vector<wire::Division>(hosts)};
  }
  for (const HostLoad& load : view.loads) {
    const auto leased = book.hosts().find(load.host);
    if (leased == book.hosts().end() || leased->second.imported != load.imported) continue;
    const wire::HostFacts* own = find_host(view.hosts, load.host);
    if (!load.imported && own == nullptr) continue;
    use_host(book, leased->second, load, load.imported ? 0 : own->slots, use);
  }
  return use;
}

int freeze_differing(Book& book, const View& view, bool state_lost) {
  const std::vector<HostCap> wanted = caps_of(book, view.hosts);
  int hosts = 0;
  for (const auto& [name, leased] : book.hosts()) {
    const HostCap* should = find_cap(wanted, name);
    const HostCap* is = find_cap(view.caps, name);
    const bool same = should ? is && is->slots == should->slots : is == nullptr;
    if (same && !state_lost) continue;
    book.freeze_all(leased);
    ++hosts;
  }
  return hosts;
}

void add_state(const LeasedGroup& group, const GroupUse& use, bool unknown_too,
               wire::StateBlock& block) {
  const GroupLimits& limits = group.limits;
  wire::GroupState state{limits.generation,
                         limits.seq,
                         limits.ever_used,
                         use.breach,
                         static_cast<uint32_t>(block.hosts.size()),
                         0};
  for (uint32_t i = 0; i < limits.hosts.size(); ++i) {
    if (!use.known[i] && !unknown_too) continue;
    const int32_t limit = limits.seq == 0 ? effective_limit(group, i) : limits.hosts[i].limit;
    const int32_t used = use.known[i] ? std::min(limit, use.used[i]) : limit;
    const int32_t exported =
        limits.seq == 0 ? effective_exports(group, i) : limits.hosts[i].exported;
    const bool provider = limits.role == wire::Role::provider;
    const wire::Division division = provider ? wire::Division::unsaid : use.divisions[i];
    block.hosts.push_back({i, limit, used, use.up[i], provider ? exported : -1, division});
  }
  state.count = static_cast<uint32_t>(block.hosts.size()) - state.first;
  block.groups.push_back(state);
}

std::vector<int32_t> used_for_order(const LeasedGroup& group, const GroupUse& use) {
  std::vector<int32_t> used = use.used;
  for (size_t i = 0; i < used.size(); ++i) {
    if (!use.known[i] && !LEASEHOLD_CANARY(missing_host_is_unused)) {
      used[i] = group.limits.hosts[i].limit;
    }
  }
  return used;
}

bool awaits_use(const Book& book) {
  for (const LeasedGroup& group : book.groups()) {
    const bool offered = group.limits.role == wire::Role::consumer && !group.limits.ever_used;
    for (const HostLimit& host : group.limits.hosts) {
      if (host.lowering || host.withheld > 0 || (offered && host.limit > 0)) return true;
    }
  }
  return false;
}

std::vector<HostCap> differences(const std::vector<HostCap>& wanted,
                                 const std::vector<HostCap>& found,
                                 const std::vector<wire::HostFacts>& own_hosts) {
  std::vector<HostCap> changes;
  for (const HostCap& cap : wanted) {
    const HostCap* is = find_cap(found, cap.host);
    if (is == nullptr || !(*is == cap)) changes.push_back(cap);
  }
  for (const HostCap& cap : found) {
    if (find_cap(wanted, cap.host) != nullptr) continue;
    const wire::HostFacts* own = find_host(own_hosts, cap.host);
    if (!cap.imported && own == nullptr) continue;  // the look does not show it: it keeps its fence
    const int32_t slots = cap.imported ? 0 : own->slots;
    changes.push_back({cap.host, cap.imported, slots, slots, 0, 0, {}, 0});
  }
  return changes;
}

}  // namespace leasehold::agent
