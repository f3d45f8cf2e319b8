#include "broker/core/exports/reconcile.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "broker/core/exports/horizons.hpp"
#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/exports/policies.hpp"
#include "broker/core/ledger/export_counts.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

using Allocated = std::span<const Allocation::Slots>;

/// Lookups that very many groups need, made once: nothing here looks through all clusters, shares
/// or groups for one of them.
struct Found {
  explicit Found(const State& state)
      : grid_of_provider(state.clusters.size(), kNoIndex), share_next(state.policies.size(), 0) {}

  std::vector<uint32_t> grid_of_provider;  // by cluster
  std::vector<size_t> share_next;  // by policy: groups come in the order of its shares, as a rule
  std::vector<uint64_t> live;      // sorted: live_key() of leases that need not be made
};

/// Returns what the policy allocates to this group's consumer now; nullopt: nothing any more.
std::optional<Allocated> allocated_to(const State& state, const SlotGroup& group, Found& found) {
  const PolicyState& policy = state.policies[group.policy];
  if (!exports_now(state, policy) || policy.provider != group.members[kProvider].cluster) {
    return std::nullopt;
  }
  if (plan_of_policy(state, policy.config.name) != group.resource_group) return std::nullopt;
  if (group.resource_group != kNoIndex) return policy.allocation[0];
  const std::string& consumer = state.clusters[group.members[kConsumer].cluster].name;
  const Shares& shares = policy.config.distribution;
  size_t& next = found.share_next[group.policy];
  for (size_t looked = 0; looked < shares.size(); ++looked, ++next) {
    if (next >= shares.size()) next = 0;
    if (shares[next].cluster == consumer) return policy.allocation[next++];
  }
  return std::nullopt;
}

void add_row(SlotGroup& group, uint32_t host) {
  HostLedger row;
  row.host = host;
  group.holding_index.reset();
  group.hosts.push_back(row);
  group.holdings.resize(group.hosts.size() * group.members.size());
}

/// Finds the row of a host. A lease has few, which are looked through; many are listed once, for
/// looking through all rows for each host would cost the square of an inventory.
class RowFinder {
 public:
  explicit RowFinder(SlotGroup& group) : group_(group) {}

  /// Adds the row if there is none.
  uint32_t row_of(uint32_t host) {
    const uint32_t row = group_.hosts.size() <= kFewRows ? look_through(host) : look_up(host);
    if (row == group_.hosts.size()) add_row(group_, host);
    return row;
  }

 private:
  static constexpr size_t kFewRows = 8;

  uint32_t look_through(uint32_t host) const {
    uint32_t row = 0;
    while (row < group_.hosts.size() && group_.hosts[row].host != host) ++row;
    return row;
  }
  uint32_t look_up(uint32_t host) {
    for (; listed_ < group_.hosts.size(); ++listed_) {
      rows_.emplace(group_.hosts[listed_].host, listed_);
    }
    const auto found = rows_.find(host);
    return found == rows_.end() ? listed_ : found->second;
  }

  SlotGroup& group_;
  uint32_t listed_ = 0;                // rows that stand in rows_
  std::map<uint32_t, uint32_t> rows_;  // by host; the first one where a host has several
};

/// A host smaller than its export is an alarm of the configuration check; the core clamps. Of an
/// indivisible host a part is not lent at all.
int32_t target_of(const State& state, const SlotGroup& group, uint32_t row, int32_t slots) {
  const int32_t all = host_of(state, group, row).facts.slots;
  return slots < all && indivisible(state, group, row) ? 0 : std::min(slots, all);
}

void set_targets(Turn& turn, uint32_t index, Allocated allocated) {
  SlotGroup& group = turn.group(index);
  const HostLedgers before = group.hosts;
  for (HostLedger& row : group.hosts) row.target = 0;
  const bool drains = turn.cluster_of(group, kProvider).draining_exports;
  RowFinder finder(group);
  for (const auto& [host, slots] : allocated) {
    const uint32_t row = finder.row_of(host);
    if (drains && !LEASEHOLD_CANARY(drains_imports_only)) continue;
    group.hosts[row].target = target_of(turn.state, group, row, slots);
  }
  bool same = before.size() == group.hosts.size();
  for (size_t row = 0; same && row < before.size(); ++row) {
    same = before[row].target == group.hosts[row].target;
  }
  if (same) return;
  group_changed(turn, index);
  renew_configuration_of(turn, group);  // rows may be new, and hosts drain or no longer do
}

void drain_group(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  if (group.phase == Phase::draining) return;
  for (HostLedger& row : group.hosts) row.target = 0;
  set_phase(turn, index, Phase::draining);
  group.reason = Reason::draining;
  group.evaluated_at = turn.now;
  record(turn, RecordKind::group_draining, index, Reason::draining).numbers[0] =
      static_cast<int64_t>(group.generation);
  group_changed(turn, index);
  renew_configuration_of(turn, group);
}

uint32_t grid_of_group(Turn& turn, const SlotGroup& group, Found& found) {
  if (group.resource_group != kNoIndex) {
    return turn.state.resource_groups[group.resource_group].grid;
  }
  const uint32_t provider = group.members[kProvider].cluster;
  uint32_t& grid = found.grid_of_provider[provider];
  if (grid == kNoIndex) grid = grid_of(turn.state, turn.state.clusters[provider].name, turn.now);
  return grid;
}

void update_groups(Turn& turn, Found& found) {
  for (uint32_t g = 0; g < turn.state.slot_groups.size(); ++g) {
    if (turn.group(g).phase == Phase::closed) continue;
    const uint32_t grid = grid_of_group(turn, turn.group(g), found);
    if (turn.group(g).grid != grid) {
      turn.state.grids[turn.group(g).grid].changed.erase(g);
      turn.group(g).grid = grid;
      group_changed(turn, g);
    }
    const std::optional<Allocated> allocated = allocated_to(turn.state, turn.group(g), found);
    if (!allocated) {
      drain_group(turn, g);
    } else if (turn.group(g).phase != Phase::draining) {
      if (turn.group(g).resource_group != kNoIndex) follow_plan(turn, g);
      set_targets(turn, g, *allocated);
    }
  }
}

uint64_t live_key(uint32_t policy, uint32_t consumer) {
  return uint64_t{policy} << 32U | consumer;
}

/// Leases of the provider that their policy has now, which are not on their way out.
void find_live(const State& state, Found& found) {
  found.live.reserve(state.slot_groups.size());
  for (const SlotGroup& group : state.slot_groups) {
    if (group.phase == Phase::draining || group.phase == Phase::closed) continue;
    if (group.resource_group != kNoIndex) continue;
    if (group.members[kProvider].cluster != state.policies[group.policy].provider) continue;
    found.live.push_back(live_key(group.policy, group.members[kConsumer].cluster));
  }
  std::sort(found.live.begin(), found.live.end());
}

bool has_live_group(const Found& found, uint32_t policy, uint32_t consumer) {
  return std::binary_search(found.live.begin(), found.live.end(), live_key(policy, consumer));
}

/// Adds the group with a row for each host and its target. Nothing is exported yet: that is left to
/// raise_exports().
void create_group(Turn& turn, SlotGroup group, Allocated allocated, Found& found) {
  State& state = turn.state;
  group.generation = state.generation_next++;
  group.since = turn.now;
  group.grid = grid_of_group(turn, group, found);
  for (const auto& [host, slots] : allocated) add_row(group, host);
  const uint32_t index = add_group(state, std::move(group));
  state.dirty_config = true;
  Record& row = record(turn, RecordKind::group_created, index, Reason::none);
  row.numbers = {static_cast<int64_t>(state.slot_groups[index].generation),
                 static_cast<int64_t>(allocated.size()),
                 0,
                 0,
                 0,
                 0};
  group_changed(turn, index);  // where its provider drains, set_targets() has nothing to set
  set_targets(turn, index, allocated);
  renew_configuration_of(turn, state.slot_groups[index]);
}

SlotGroup lease_group(const State& state, uint32_t policy, uint32_t consumer) {
  SlotGroup group;
  group.policy = policy;
  group.members.resize(2);
  group.members[kProvider].cluster = state.policies[policy].provider;
  group.members[kConsumer].cluster = consumer;
  // Nobody can hold anything of a generation that did not exist before: nothing to wait for.
  for (Member& member : group.members) member.known_since_start = true;
  return group;
}

void create_leases(Turn& turn, uint32_t policy, Found& found) {
  State& state = turn.state;
  const Shares shares = state.policies[policy].config.distribution;
  for (size_t i = 0; i < shares.size(); ++i) {
    const uint32_t consumer = find_cluster(state, shares[i].cluster);
    const Allocated allocated = state.policies[policy].allocation[i];
    if (consumer == kNoIndex || allocated.empty() || has_live_group(found, policy, consumer)) {
      continue;
    }
    create_group(turn, lease_group(state, policy, consumer), allocated, found);
  }
}

/// Creates one slot group for all members of the plan.
void create_plan_group(Turn& turn, uint32_t policy, uint32_t resource_group, Found& found) {
  State& state = turn.state;
  const uint32_t provider = state.policies[policy].provider;
  const Allocated allocated = state.policies[policy].allocation[0];
  const std::vector<uint32_t>& groups = state.clusters[provider].slot_groups;
  const bool live = std::any_of(groups.begin(), groups.end(), [&](uint32_t g) {
    const SlotGroup& group = state.slot_groups[g];
    return group.policy == policy && group.resource_group == resource_group &&
           group.phase != Phase::draining;
  });
  if (live || allocated.empty()) return;
  SlotGroup group;
  group.policy = policy;
  group.resource_group = resource_group;
  group.phase = Phase::active;  // quotas decide, not the first job
  group.members = plan_members(state, resource_group, provider);
  create_group(turn, std::move(group), allocated, found);
}

/// Returns an upper bound, to reserve memory by.
size_t leases_to_come(const State& state) {
  size_t shares = 0;
  for (const PolicyState& policy : state.policies) {
    for (size_t share = 0; share < policy.allocation.size() && exports_now(state, policy);
         ++share) {
      shares += policy.allocation[share].empty() ? 0 : 1;
    }
  }
  const auto lives = [](const SlotGroup& group) {
    return group.phase != Phase::closed && group.phase != Phase::draining;
  };
  const auto live =
      static_cast<size_t>(std::count_if(state.slot_groups.begin(), state.slot_groups.end(), lives));
  return shares > live ? shares - live : 0;
}

void create_groups(Turn& turn, Found& found) {
  State& state = turn.state;
  find_live(state, found);
  make_room(state, state.slot_groups.size() + leases_to_come(state));
  for (uint32_t p = 0; p < state.policies.size(); ++p) {
    if (!exports_now(state, state.policies[p])) continue;
    const uint32_t plan = plan_of_policy(state, state.policies[p].config.name);
    if (plan == kNoIndex) {
      create_leases(turn, p, found);
    } else {
      create_plan_group(turn, p, plan, found);
    }
  }
}

/// Hosts whose division is another one: what is exported of them, how it moves, and how a plan
/// counts it may be other than before.
void divide_group(Turn& turn, uint32_t index, Found& found) {
  const SlotGroup& group = turn.group(index);
  if (group.phase == Phase::closed) return;
  const std::optional<Allocated> allocated = allocated_to(turn.state, group, found);
  if (allocated && group.phase != Phase::draining) set_targets(turn, index, *allocated);
  group_changed(turn, index);
  turn.marks.add(index, Cause::caps_changed);
  turn.raises.insert(group.members[kProvider].cluster);
}

}  // namespace

void redivide(Turn& turn, std::span<const uint32_t> groups) {
  if (groups.empty()) return;
  Found found(turn.state);
  for (const uint32_t g : groups) divide_group(turn, g, found);
}

void reconcile(Turn& turn) {
  Found found(turn.state);
  update_groups(turn, found);
  create_groups(turn, found);
  derive_plans(turn.state);
  for (uint32_t g = 0; g < turn.state.slot_groups.size(); ++g) {
    turn.marks.add(g, Cause::caps_changed);
  }
  turn.state.groups_waiting = 0;
  for (uint32_t c = 0; c < turn.state.clusters.size(); ++c) turn.raises.insert(c);
  follow_horizons(turn);
}

}  // namespace leasehold
