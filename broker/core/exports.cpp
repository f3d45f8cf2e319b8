#include "broker/core/exports.hpp"

#include <algorithm>

#include "broker/core/derive.hpp"
#include "broker/core/hosts.hpp"
#include "broker/core/orders.hpp"
#include "broker/core/plan_dues.hpp"
#include "broker/core/plan_groups.hpp"
#include "broker/core/policies.hpp"
#include "broker/core/transfers.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

using Due = std::vector<std::pair<uint32_t, int32_t>>;

/// What the policy is due to give this group's consumer now; nullptr: nothing any more.
const Due* due_of(const State& state, const Group& group) {
  const PolicyState& policy = state.policies[group.policy];
  if (!exports_now(state, policy) || policy.provider != group.members[kProvider].cluster) {
    return nullptr;
  }
  if (plan_of_policy(state, policy.config.name) != group.plan) return nullptr;
  if (group.plan != kNoIndex) return &policy.due.front();
  const std::string& consumer = state.clusters[group.members[kConsumer].cluster].name;
  const std::vector<Share>& shares = policy.config.distribution;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].cluster == consumer) return &policy.due[i];
  }
  return nullptr;
}

void add_row(Group& group, uint32_t host) {
  HostLedger row;
  row.host = host;
  group.hosts.push_back(row);
  group.holdings.resize(group.hosts.size() * group.members.size());
}

uint32_t row_of(Group& group, uint32_t host) {
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (group.hosts[row].host == host) return row;
  }
  add_row(group, host);
  return static_cast<uint32_t>(group.hosts.size() - 1);
}

void set_targets(Turn& turn, uint32_t index, const Due& due) {
  Group& group = turn.group(index);
  std::vector<HostLedger> before = group.hosts;
  for (HostLedger& row : group.hosts) row.target = 0;
  const bool drains = turn.cluster_of(group, kProvider).draining_exports;
  for (const auto& [host, slots] : due) {
    const uint32_t row = row_of(group, host);
    if (drains && !LEASEHOLD_CANARY(drains_imports_only)) continue;
    // A host smaller than its export is an alarm of the configuration check; the core clamps.
    group.hosts[row].target = std::min(slots, host_of(turn.state, group, row).facts.slots);
  }
  bool same = before.size() == group.hosts.size();
  for (size_t row = 0; same && row < before.size(); ++row) {
    same = before[row].target == group.hosts[row].target;
  }
  if (same) return;
  rows_changed(turn, index);
  renew_configuration_of(turn, group);  // rows may be new, and hosts drain or no longer do
}

void drain_group(Turn& turn, uint32_t index) {
  Group& group = turn.group(index);
  if (group.phase == Phase::draining) return;
  for (HostLedger& row : group.hosts) row.target = 0;
  set_phase(turn, index, Phase::draining);
  group.reason = Reason::draining;
  group.evaluated_at = turn.now;
  record(turn, RecordKind::group_draining, index, Reason::draining).numbers[0] =
      static_cast<int64_t>(group.generation);
  rows_changed(turn, index);
  renew_configuration_of(turn, group);
}

uint32_t grid_of_group(Turn& turn, const Group& group) {
  if (group.plan != kNoIndex) return turn.state.plans[group.plan].grid;
  return grid_of(turn.state, turn.state.clusters[group.members[kProvider].cluster].name, turn.now);
}

void update_groups(Turn& turn) {
  for (uint32_t g = 0; g < turn.state.groups.size(); ++g) {
    if (turn.group(g).phase == Phase::closed) continue;
    const uint32_t grid = grid_of_group(turn, turn.group(g));
    if (turn.group(g).grid != grid) {
      turn.group(g).grid = grid;
      turn.group(g).evaluate_flag = false;
      rows_changed(turn, g);
    }
    const Due* due = due_of(turn.state, turn.group(g));
    if (due == nullptr) {
      drain_group(turn, g);
    } else if (turn.group(g).phase != Phase::draining) {
      if (turn.group(g).plan != kNoIndex) follow_plan(turn, g);
      set_targets(turn, g, *due);
    }
  }
}

bool has_live_group(const State& state, uint32_t policy, uint32_t consumer) {
  const std::vector<uint32_t>& groups = state.clusters[consumer].groups;
  return std::any_of(groups.begin(), groups.end(), [&](uint32_t g) {
    const Group& group = state.groups[g];
    return group.policy == policy && group.plan == kNoIndex &&
           group.members[kConsumer].cluster == consumer &&
           group.members[kProvider].cluster == state.policies[policy].provider &&
           group.phase != Phase::draining;
  });
}

/// Adds the group with all its slots at the provider, and exports them.
void create_group(Turn& turn, Group group, const Due& due) {
  State& state = turn.state;
  group.generation = state.generation_next++;
  group.since = turn.now;
  group.grid = grid_of_group(turn, group);
  for (const auto& [host, slots] : due) add_row(group, host);
  const uint32_t index = add_group(state, std::move(group));
  state.dirty_config = true;
  Record& row = record(turn, RecordKind::group_created, index, Reason::none);
  row.numbers = {static_cast<int64_t>(state.groups[index].generation),
                 static_cast<int64_t>(due.size()),
                 0,
                 0,
                 0,
                 0};
  set_targets(turn, index, due);
  renew_configuration_of(turn, state.groups[index]);
}

Group lease_group(const State& state, uint32_t policy, uint32_t consumer) {
  Group group;
  group.policy = policy;
  group.members.resize(2);
  group.members[kProvider].cluster = state.policies[policy].provider;
  group.members[kConsumer].cluster = consumer;
  // Nobody can hold anything of a generation that did not exist before: nothing to wait for.
  for (Member& member : group.members) member.heard = true;
  return group;
}

void create_leases(Turn& turn, uint32_t policy) {
  State& state = turn.state;
  const std::vector<Share> shares = state.policies[policy].config.distribution;
  for (size_t i = 0; i < shares.size(); ++i) {
    const uint32_t consumer = find_cluster(state, shares[i].cluster);
    const Due due = state.policies[policy].due[i];
    if (consumer == kNoIndex || due.empty() || has_live_group(state, policy, consumer)) continue;
    create_group(turn, lease_group(state, policy, consumer), due);
  }
}

/// One slot group for all members of the plan.
void create_plan_group(Turn& turn, uint32_t policy, uint32_t plan) {
  State& state = turn.state;
  const uint32_t provider = state.policies[policy].provider;
  const Due due = state.policies[policy].due.front();
  const std::vector<uint32_t>& groups = state.clusters[provider].groups;
  const bool live = std::any_of(groups.begin(), groups.end(), [&](uint32_t g) {
    const Group& group = state.groups[g];
    return group.policy == policy && group.plan == plan && group.phase != Phase::draining;
  });
  if (live || due.empty()) return;
  Group group;
  group.policy = policy;
  group.plan = plan;
  group.phase = Phase::active;  // quotas decide, not the first job
  group.members = plan_members(state, plan, provider);
  create_group(turn, std::move(group), due);
}

void create_groups(Turn& turn) {
  State& state = turn.state;
  for (uint32_t p = 0; p < state.policies.size(); ++p) {
    if (!exports_now(state, state.policies[p])) continue;
    const uint32_t plan = plan_of_policy(state, state.policies[p].config.name);
    if (plan == kNoIndex) {
      create_leases(turn, p);
    } else {
      create_plan_group(turn, p, plan);
    }
  }
}

/// Slots of each host of a provider that are exported now, over all its groups.
std::vector<int32_t> exported_by_host(const State& state, uint32_t provider) {
  std::vector<int32_t> sums(state.clusters[provider].hosts.size(), 0);
  for (uint32_t g : state.clusters[provider].groups) {
    const Group& group = state.groups[g];
    if (group.members[kProvider].cluster != provider) continue;
    for (const HostLedger& row : group.hosts) sums[row.host] += row.exported;
  }
  return sums;
}

void record_exported(Turn& turn, uint32_t index, const HostLedger& row, int32_t change) {
  Record& line = record(turn, RecordKind::exported, index, Reason::none);
  line.slots = change;
  line.numbers = {row.exported, row.target, 0, 0, 0, 0};
}

bool raise_group(Turn& turn, uint32_t index, std::vector<int32_t>& used) {
  Group& group = turn.group(index);
  bool waiting = false;
  bool raised = false;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    HostLedger& ledger = group.hosts[row];
    const int32_t free = host_of(turn.state, group, row).facts.slots - used[ledger.host];
    const int32_t more = std::min(ledger.target - ledger.exported, free);
    waiting = waiting || ledger.target > ledger.exported + std::max(more, 0);
    if (more <= 0) continue;
    ledger.exported += more;
    if (group.plan != kNoIndex) ledger.just_exported += more;
    used[ledger.host] += more;
    Holding& provider = group.at(row, kProvider);
    provider.held += more;
    // They were its own slots: what it stated before, heard or not yet, means so many more.
    provider.stated += more;
    provider.confirmed = false;
    ++group.epoch;
    raised = true;
    record_exported(turn, index, ledger, more);
  }
  if (raised) {
    rows_changed(turn, index);
    renew_configuration_of(turn, group);
    if (!group.quarantined) issue_order(turn, index, kProvider);
  }
  return waiting;
}

/// Exports what is free on the provider's hosts, in declaration order of the groups.
void raise_exports(Turn& turn, uint32_t provider) {
  std::vector<int32_t> used = exported_by_host(turn.state, provider);
  uint32_t waiting = 0;
  const std::vector<uint32_t> groups = turn.state.clusters[provider].groups;
  for (uint32_t g : groups) {
    const Group& group = turn.group(g);
    if (group.members[kProvider].cluster != provider || group.phase == Phase::draining) continue;
    waiting += raise_group(turn, g, used) ? 1 : 0;
  }
  turn.state.groups_waiting = std::max(turn.state.groups_waiting, waiting);
}

void close_if_empty(Turn& turn, uint32_t index) {
  Group& group = turn.group(index);
  if (group.phase != Phase::draining || exported(group) > 0 || !group.transfers.empty()) return;
  set_phase(turn, index, Phase::closed);
  group.reason = Reason::closed;
  record(turn, RecordKind::group_closed, index, Reason::closed).numbers[0] =
      static_cast<int64_t>(group.generation);
  for (const Member& member : group.members) {
    std::vector<uint32_t>& groups = turn.state.clusters[member.cluster].groups;
    groups.erase(std::remove(groups.begin(), groups.end(), index), groups.end());
  }
  renew_configuration_of(turn, group);
}

/// Slots that the provider holds and nobody has asked from it; of a plan what its leaf is due
/// stays.
int32_t free_at_home(const State& state, const Group& group, uint32_t row) {
  const Holding& home = group.at(row, kProvider);
  const bool stays = group.plan != kNoIndex && state.config.mode == Mode::lease;
  const int32_t kept = stays && !goes_home(group, row) ? home.due : 0;
  return std::max(0, home.held - kept - wanted_from(group, kProvider, row));
}

}  // namespace

void shed_exports(Turn& turn, uint32_t index) {
  Group& group = turn.group(index);
  bool shed = false;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    HostLedger& ledger = group.hosts[row];
    Holding& provider = group.at(row, kProvider);
    const int32_t over = std::max(0, ledger.exported - ledger.target);
    const int32_t nobodys = std::min(over, ledger.unallocated);
    const int32_t home = std::min(over - nobodys, free_at_home(turn.state, group, row));
    const int32_t less = nobodys + home;
    if (less == 0) continue;
    ledger.exported -= less;
    ledger.unallocated -= nobodys;
    ledger.just_exported -= std::min(ledger.just_exported, home);
    provider.held -= home;
    // The agent lowers its limit with the configuration that makes these slots its own again; the
    // new order makes what it stated before that recognizable as old.
    provider.stated = std::max(0, provider.stated - less);
    provider.confirmed = false;
    ++group.epoch;
    shed = true;
    record_exported(turn, index, ledger, -less);
  }
  if (!shed) return;
  rows_changed(turn, index);
  renew_configuration_of(turn, group);
  close_if_empty(turn, index);
  if (turn.group(index).phase != Phase::closed) issue_order(turn, index, kProvider);
  if (turn.state.groups_waiting > 0) raise_exports(turn, group.members[kProvider].cluster);
}

namespace {

/// Contract: something is wanted.
Reason return_reason(const State& state, const Group& group, const Wanted& wanted) {
  if (group.phase == Phase::draining) return Reason::draining;
  if (cluster_drains(state, group, kConsumer)) return Reason::cluster_draining;
  const bool down = std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    return down_there(state, group, kConsumer, entry.first);
  });
  return down ? Reason::host_down : Reason::operator_order;
}

void start_return(Turn& turn, uint32_t index, wire::Lowering lowering, Wanted wanted) {
  if (wanted.empty()) return;
  TransferOrder order;
  order.from = kConsumer;
  order.to = kProvider;
  order.lowering = lowering;
  order.reason = return_reason(turn.state, turn.group(index), wanted);
  order.inactive = false;
  order.wanted = std::move(wanted);
  start_transfer(turn, index, std::move(order));
}

/// Slots on their way to the consumer that it may no longer have, or has without them: asked for
/// and returned on one row at once they would go round and round.
void cancel_gifts(Turn& turn, uint32_t index) {
  const Group& group = turn.group(index);
  for (const Transfer& transfer : group.transfers) {
    if (transfer.from != kProvider || transfer.lowering == wire::Lowering::release) continue;
    const bool refused =
        std::any_of(transfer.wanted.begin(), transfer.wanted.end(), [&](const auto& entry) {
          const int32_t keeps =
              group.at(entry.first, kConsumer).held - wanted_from(group, kConsumer, entry.first);
          const int32_t cap = consumer_cap(turn.state, group, entry.first);
          return entry.second > 0 && keeps + entry.second > cap;
        });
    if (refused) return cancel_transfers(turn, index, kProvider, Reason::draining);
  }
}

void return_above_cap(Turn& turn, uint32_t index) {
  const Group& group = turn.group(index);
  Wanted shrink;
  Wanted reclaim;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const int32_t excess = group.at(row, kConsumer).held - consumer_cap(turn.state, group, row) -
                           wanted_from(group, kConsumer, row);
    if (excess <= 0) continue;
    (host_of(turn.state, group, row).closed_reclaim ? reclaim : shrink).emplace_back(row, excess);
  }
  start_return(turn, index, wire::Lowering::shrink, std::move(shrink));
  start_return(turn, index, wire::Lowering::reclaim, std::move(reclaim));
}

}  // namespace

void plan_returns(Turn& turn, uint32_t index) {
  const Group& group = turn.group(index);
  if (group.quarantined || turn.state.frozen || group.phase == Phase::closed) return;
  if (group.plan != kNoIndex) {
    return_above_dues(turn, index);
  } else {
    cancel_gifts(turn, index);
    return_above_cap(turn, index);
  }
  shed_exports(turn, index);
  close_if_empty(turn, index);
}

void replan_returns(Turn& turn, uint32_t index) {
  for (size_t m = kProvider + 1; m < turn.group(index).members.size(); ++m) {
    cancel_transfers(turn, index, m, Reason::operator_order);
  }
  plan_returns(turn, index);
  rows_changed(turn, index);
  renew_configuration_of(turn, turn.group(index));
}

void reconcile(Turn& turn) {
  update_groups(turn);
  create_groups(turn);
  derive_plans(turn.state);
  for (uint32_t g = 0; g < turn.state.groups.size(); ++g) {
    if (turn.group(g).phase != Phase::closed) plan_returns(turn, g);
  }
  turn.state.groups_waiting = 0;
  for (uint32_t c = 0; c < turn.state.clusters.size(); ++c) raise_exports(turn, c);
}

}  // namespace leasehold
