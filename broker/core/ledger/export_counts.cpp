#include "broker/core/ledger/export_counts.hpp"

#include <algorithm>

#include "broker/core/ledger/orders.hpp"
#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

/// Returns the slots of each host of a provider that are exported now, over all its groups.
std::vector<int32_t> exported_by_host(const State& state, uint32_t provider) {
  std::vector<int32_t> sums(state.clusters[provider].hosts.size(), 0);
  for (uint32_t g : state.clusters[provider].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
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

/// Counts what more of the row may be exported: of a host that may not be split nothing while
/// another group has some of it: two borrowers would share its cores.
int32_t more_of(const State& state, const SlotGroup& group, uint32_t row, int32_t used) {
  const HostLedger& ledger = group.hosts[row];
  const Host& host = host_of(state, group, row);
  if (used > ledger.exported && is_indivisible(strictest_division(host))) return 0;
  return std::min(ledger.target - ledger.exported, host.facts.slots - used);
}

bool raise_group(Turn& turn, uint32_t index, std::vector<int32_t>& used) {
  SlotGroup& group = turn.group(index);
  bool waiting = false;
  bool raised = false;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    HostLedger& ledger = group.hosts[row];
    const int32_t more = more_of(turn.state, group, row, used[ledger.host]);
    waiting = waiting || ledger.target > ledger.exported + std::max(more, 0);
    if (more <= 0) continue;
    ledger.exported += more;
    if (group.resource_group != kNoIndex) ledger.just_exported += more;
    used[ledger.host] += more;
    Holding& provider = group.at(row, kProvider);
    provider.held += more;
    // The slots were the provider's own, so its last statement, received or not, grows by them.
    provider.stated += more;
    provider.confirmed = false;
    ++group.epoch;
    raised = true;
    record_exported(turn, index, ledger, more);
  }
  if (raised) {
    group_changed(turn, index);
    renew_configuration_of(turn, group);
    if (!group.quarantined) issue_order(turn, index, kProvider);
  }
  return waiting;
}

/// Returns the slots that the provider holds and nobody has asked from it. What it is due as a leaf
/// of a plan stays; as the provider of a lease it is due nothing.
int32_t free_at_home(const State& state, const SlotGroup& group, uint32_t row, int32_t asked) {
  const Holding& home = group.at(row, kProvider);
  const bool stays = state.config.mode == Mode::lease && !goes_home(group, row);
  const int32_t kept = stays ? home.due : 0;
  return std::max(0, home.held - kept - asked);
}

}  // namespace

void raise_exports(Turn& turn, uint32_t provider) {
  std::vector<int32_t> used = exported_by_host(turn.state, provider);
  uint32_t waiting = 0;
  const std::vector<uint32_t> groups = turn.state.clusters[provider].slot_groups;
  for (uint32_t g : groups) {
    const SlotGroup& group = turn.group(g);
    if (group.members[kProvider].cluster != provider || group.phase == Phase::draining) continue;
    waiting += raise_group(turn, g, used) ? 1 : 0;
  }
  turn.state.groups_waiting = std::max(turn.state.groups_waiting, waiting);
}

void close_if_empty(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  if (group.phase != Phase::draining || exported(group) > 0 || !group.transfers.empty()) return;
  set_phase(turn, index, Phase::closed);
  group.reason = Reason::closed;
  record(turn, RecordKind::group_closed, index, Reason::closed).numbers[0] =
      static_cast<int64_t>(group.generation);
  for (const Member& member : group.members) {
    std::vector<uint32_t>& groups = turn.state.clusters[member.cluster].slot_groups;
    groups.erase(std::remove(groups.begin(), groups.end(), index), groups.end());
  }
  renew_configuration_of(turn, group);
}

void drop_surplus_exports(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  bool shed = false;
  const AskedRows asked(group, kProvider);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    HostLedger& ledger = group.hosts[row];
    const int32_t over = ledger.exported - ledger.target;
    if (over <= 0) continue;
    Holding& provider = group.at(row, kProvider);
    // While somebody uses too many he may be on those that nobody holds: the provider, who would
    // have them at once, has to wait.
    const int32_t nobodys = group.breach ? 0 : std::min(over, ledger.unallocated);
    const int32_t home =
        std::min(over - nobodys, free_at_home(turn.state, group, row, asked.wanted(row)));
    const int32_t less = nobodys + home;
    if (less == 0 || (less < over && returns_whole(turn.state, group, row))) continue;
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
  group_changed(turn, index);
  renew_configuration_of(turn, group);
  close_if_empty(turn, index);
  if (turn.group(index).phase != Phase::closed) issue_order(turn, index, kProvider);
  if (turn.state.groups_waiting > 0) turn.raises.insert(group.members[kProvider].cluster);
}

}  // namespace leasehold
