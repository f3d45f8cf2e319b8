// Finds what needs a person in hosts: policies that name hosts that do not exist, or export more
// slots than a host has.
#include "broker/core/model/queries/hosts.hpp"

#include <algorithm>
#include <set>

#include "broker/core/model/queries/horizons.hpp"
#include "broker/views/attention/needs.hpp"
#include "broker/views/leases/divisions.hpp"
#include "broker/views/leases/horizons.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/settings/policy_settings.hpp"

namespace leasehold::attention {

namespace {

using rows::count_of;

void unknown(Found& found, const PolicyState& policy) {
  for (const std::string& host : unknown_hosts(found.state, policy)) {
    found.needs.push_back({Kind::host_unknown, host + "@" + policy.config.provider,
                           "policy " + policy.config.name + " names it, and the agent of " +
                               policy.config.provider +
                               " does not know it: nothing of it is leased",
                           "correct hosts in policy " + policy.config.name +
                               ", then leasectl reload; leasectl hosts lists them",
                           kNever, Reason::no_common_host});
  }
}

/// Adds up all shares of one policy; a host may be in other policies, too.
void too_small(Found& found, const PolicyState& policy) {
  if (!policy.configured || policy.provider == kNoIndex) return;
  const Cluster& provider = found.state.clusters[policy.provider];
  std::vector<int64_t> exported(provider.hosts.size(), 0);
  for (const auto& [host, slots] : policy.allocation.all()) {
    if (host < exported.size()) exported[host] += slots;
  }
  for (size_t h = 0; h < exported.size(); ++h) {
    const Host& host = provider.hosts[h];
    if (!host.present || exported[h] <= host.facts.slots) continue;
    Need need{Kind::host_too_small, host.facts.name + "@" + provider.name,
              "policy " + policy.config.name + " exports " + count_of(exported[h], "slot") +
                  " of it, and it has " + std::to_string(host.facts.slots),
              "lower slots_per_host of " + policy.config.name + ", then leasectl reload"};
    need.reason = Reason::host_too_small;
    found.needs.push_back(std::move(need));
  }
}

/// Reports hosts that may not be split and of which a policy exports a part.
void not_lent(Found& found) {
  const State& state = found.state;
  const std::vector<std::vector<PartNotLent>> parts = parts_not_lent(state);
  for (size_t p = 0; p < parts.size(); ++p) {
    const ExportPolicy& policy = state.policies[p].config;
    for (const PartNotLent& part : parts[p]) {
      const Cluster& provider = state.clusters[state.policies[p].provider];
      const wire::HostFacts& host = provider.hosts[part.host].facts;
      Need need{Kind::host_indivisible, host.name + "@" + provider.name,
                "policy " + policy.name + " gives a consumer " + count_of(part.slots, "slot") +
                    " of its " + std::to_string(host.slots) +
                    ", and it may not be split between two clusters (" +
                    why_indivisible(part.division) + "): nothing of it is lent",
                remedy_of_part(policy, host)};
      need.reason = Reason::host_indivisible;
      found.needs.push_back(std::move(need));
    }
  }
}

/// True if the member has called the host down for so long that it is not just starting, though its
/// owner has it up and nobody has closed it.
bool is_down_there(const Found& found, const SlotGroup& group, size_t member, uint32_t row) {
  const State& state = found.state;
  if (state.clusters[group.members[member].cluster].contact == Contact::lost) return false;
  if (!down_there(state, group, member, row) || row_drains(state, group, member, row)) return false;
  const int64_t for_ms = found.now - group.at(row, member).down_since;
  return for_ms >= state.config.agent_timeout_ms;
}

/// Reports hosts of which nothing can be lent because the cluster that would lease them has them
/// drained or does not know them.
void down_at_consumers(Found& found) {
  const State& state = found.state;
  std::set<std::string> named;  // once, however many leases have the host
  for (const SlotGroup& group : state.slot_groups) {
    const Cluster& owner = state.clusters[group.members[kProvider].cluster];
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      for (size_t m = kProvider + 1; m < group.members.size(); ++m) {
        if (!is_down_there(found, group, m, row)) continue;
        const std::string& consumer = state.clusters[group.members[m].cluster].name;
        const std::string host = host_of(state, group, row).facts.name + "@" + owner.name;
        if (!named.insert(host + " " + consumer).second) continue;
        Need need{Kind::host_down, host,
                  "it is up at " + owner.name + ", and down, drained or unknown at " + consumer +
                      ": nothing of it is lent there",
                  "resume it in the workload manager of " + consumer + " (lease-agent --probe at " +
                      consumer + "); if it is meant so: leasectl close " + host + " --for " +
                      consumer,
                  group.at(row, m).down_since};
        need.reason = Reason::host_down;
        found.needs.push_back(std::move(need));
      }
    }
  }
}

/// Slots of a host that are held by clusters which no longer start work there.
struct HeldByBarred {
  int64_t slots = 0;
  int64_t ending = 0;  // of these, slots that are reclaimed for the reservation in time
};

HeldByBarred held_by_barred(const State& state, uint32_t provider, uint32_t id) {
  HeldByBarred sums;
  for (const uint32_t g : state.clusters[provider].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.members[kProvider].cluster != provider) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      if (group.hosts[row].host != id) continue;
      for (size_t m = kProvider + 1; m < group.members.size(); ++m) {
        if (!reserved_from(state, group, m, row)) continue;
        sums.slots += group.at(row, m).held;
        if (ended_from(state, group, m, row) != kNever) sums.ending += group.at(row, m).held;
      }
    }
  }
  return sums;
}

std::string what_becomes(const State& state, const Cluster& owner, const Host& host,
                         const HeldByBarred& held) {
  if (held.ending == 0) return "what runs is not ended";
  const std::string which =
      held.ending == held.slots ? "what runs" : "what runs on " + count_of(held.ending, "slot");
  return which + " is asked to end from " + format_utc(work_ends_from(state, owner, host));
}

/// Reports other clusters' work on hosts that are closed to them for a reservation, until that
/// ends.
void reserved(Found& found) {
  const State& state = found.state;
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    const Cluster& owner = state.clusters[c];
    if (!owner.has_horizons) continue;
    for (uint32_t h = 0; h < owner.hosts.size(); ++h) {
      const Host& host = owner.hosts[h];
      const HeldByBarred held = host.facts.horizon ? held_by_barred(state, c, h) : HeldByBarred{};
      if (held.slots == 0) continue;
      const bool begun = has_begun(state, host);
      Need need{Kind::host_reserved, host.facts.name + "@" + owner.name,
                "it is " + horizon_words(state, owner, host) + ", and still has " +
                    count_of(held.slots, "slot") + " lent: nothing new starts there, and " +
                    what_becomes(state, owner, host, held),
                (held.ending == held.slots ? "nothing, while the reservation has not begun"
                                           : "nothing, if that work will have ended") +
                    std::string("; else leasectl close ") + host.facts.name + "@" + owner.name +
                    " --reclaim, which ends it"};
      need.reason = Reason::host_reserved;
      need.then = begun ? "the reservation ends" : "the reservation begins";
      need.at = Instant{begun ? host.facts.horizon->until_ms : host.facts.horizon->from_ms};
      found.needs.push_back(std::move(need));
    }
  }
}

/// Reports slots on hosts that their agent no longer reports: those slots do not move.
void missing(Found& found) {
  const State& state = found.state;
  for (size_t c = 0; c < state.clusters.size(); ++c) {
    const Cluster& cluster = state.clusters[c];
    if (cluster.contact == Contact::lost) continue;
    std::vector<int64_t> exported(cluster.hosts.size(), 0);
    for (const uint32_t g : cluster.slot_groups) {
      const SlotGroup& group = state.slot_groups[g];
      if (group.members[kProvider].cluster != c) continue;
      for (const HostLedger& row : group.hosts) exported[row.host] += row.exported;
    }
    for (size_t h = 0; h < exported.size(); ++h) {
      const Host& host = cluster.hosts[h];
      if (host.present || exported[h] == 0) continue;
      Need need{Kind::host_missing, host.facts.name + "@" + cluster.name,
                "the agent of " + cluster.name + " no longer reports it; " +
                    count_of(exported[h], "exported slot") + " of it stay where they are",
                "bring the host back, or take it from the policy and leasectl reload"};
      need.since = host.down_since.ms == INT64_MIN ? kNever : host.down_since;
      need.reason = Reason::host_down;
      found.needs.push_back(std::move(need));
    }
  }
}

}  // namespace

void find_in_hosts(Found& found) {
  for (const PolicyState& policy : found.state.policies) {
    if (!policy.configured) continue;
    unknown(found, policy);
    too_small(found, policy);
  }
  not_lent(found);
  down_at_consumers(found);
  reserved(found);
  if (found.liveness.agents_known) missing(found);
}

}  // namespace leasehold::attention
