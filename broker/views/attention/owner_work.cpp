// Finds wide work of a provider that waits for slots which it has lent under a rule that gives none
// back for it. It may starve behind a borrower with a full queue.
#include "broker/core/lease/owner_work.hpp"

#include <algorithm>
#include <set>

#include "broker/core/lease/by_demand.hpp"
#include "broker/views/attention/needs.hpp"
#include "broker/views/rows.hpp"

namespace leasehold::attention {

namespace {

using rows::count_of;

bool gives_none_back(const State& state, const SlotGroup& group) {
  return is_open_lease(state, group) && !goes_by_demand(state, group);
}

std::vector<uint32_t> leases_of(const State& state, uint32_t provider) {
  std::vector<uint32_t> leases;
  for (const uint32_t g : state.clusters[provider].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.members[kProvider].cluster == provider && gives_none_back(state, group)) {
      leases.push_back(g);
    }
  }
  return leases;
}

/// Returns the idle slots of each host that is in none of the leases.
std::vector<int32_t> idle_outside(const Found& found, uint32_t provider, const OwnerRows& all) {
  std::set<uint32_t> leased;
  for (size_t i = 0; i < all.rows.size(); ++i) {
    leased.insert(found.state.slot_groups[all.groups[i]].hosts[all.rows[i]].host);
  }
  const Cluster& cluster = found.state.clusters[provider];
  std::vector<int32_t> idle;
  const auto live = found.liveness.clusters.find(cluster.name);
  if (live == found.liveness.clusters.end()) return idle;
  for (uint32_t h = 0; h < cluster.hosts.size(); ++h) {
    const wire::HostFacts& host = cluster.hosts[h].facts;
    const auto used = live->second.used_by_host.find(host.name);
    if (leased.contains(h) || !host.up || used == live->second.used_by_host.end()) continue;
    if (host.slots > used->second) {
      idle.push_back(static_cast<int32_t>(host.slots - used->second));
    }
  }
  return idle;
}

/// Names the policies that lend the slots, and how many slots those are.
Need need_of(const State& state, uint32_t provider, const OwnerRows& all, const OwnerJob& job) {
  std::set<std::string> policies;
  int64_t slots = 0;
  for (const demand_aware::RowSlots& one : job.need.lent) {
    const SlotGroup& group = state.slot_groups[all.groups[one.row]];
    policies.insert(state.policies[group.policy].config.name);
    slots += one.slots;
  }
  std::string names;
  for (const std::string& name : policies) names += (names.empty() ? "" : ", ") + name;
  const std::string& owner = state.clusters[provider].name;
  Need need{Kind::owner_waits, owner,
            "a job of " + owner + " that wants " + count_of(job.shape.slots, "slot") +
                " waits for " + count_of(slots, "slot") + " lent by " + names +
                ", whose rule gives none back for it: it may starve",
            "rule = \"demand-aware\" and type = \"shared\" in policy " + names +
                ", then leasectl reload: the slots come back as the work on them ends"};
  need.reason = Reason::owner_waits;
  return need;
}

}  // namespace

void find_owner_work(Found& found) {
  const State& state = found.state;
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    if (!state.clusters[c].demand || state.clusters[c].contact == Contact::lost) continue;
    const std::vector<uint32_t> leases = leases_of(state, c);
    if (leases.empty()) continue;
    OwnerRows all = owner_rows(state, leases);
    all.elsewhere = idle_outside(found, c, all);
    const std::optional<OwnerJob> job = waiting_for_lent(state, c, all);
    if (job && job->old_enough) found.needs.push_back(need_of(state, c, all, *job));
  }
}

}  // namespace leasehold::attention
