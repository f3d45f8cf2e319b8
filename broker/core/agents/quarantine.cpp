#include "broker/core/agents/quarantine.hpp"

#include <algorithm>

#include "broker/core/agents/breach.hpp"
#include "broker/core/ledger/orders.hpp"
#include "broker/core/ledger/overdue.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/lease_dues.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

/// True if an order on its way may have raised the member above what it stated last.
bool may_have_risen(const SlotGroup& group, size_t member) {
  if (group.members[member].seq_stated == group.members[member].seq) return false;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (group.at(row, member).held > group.at(row, member).stated) return true;
  }
  return false;
}

}  // namespace

int32_t& held_by_nobody(SlotGroup& group, uint32_t row) {
  HostLedger& ledger = group.hosts[row];
  return group.resource_group == kNoIndex ? ledger.in_transfer : ledger.unallocated;
}

void begin_quarantine(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  if (group.phase == Phase::closed || LEASEHOLD_CANARY(no_quarantine)) return;
  for (size_t m = 0; m < group.members.size(); ++m) {
    Member& member = group.members[m];
    // A connected member's statement is live; the others must speak first.
    member.known_since_start = member.known_since_start && connected(turn.state, group, m);
    // In quarantine already no order has raised a limit since: `trusted` stays as it is.
    if (group.quarantined) continue;
    const bool risen = may_have_risen(group, m) && !LEASEHOLD_CANARY(trusts_the_unanswered);
    member.trusted = member.known_since_start && !risen;
  }
  group.quarantined = true;
}

namespace {

/// Only an operator's word stands for the provider. The database may be an older one: the provider
/// may have in force whatever the others have not.
bool provider_unknown(const SlotGroup& group) {
  return group.members[kProvider].doubted;
}

/// A member whose last order is the ledger's, or a later one, knows best; of one that may have
/// missed an order the larger number is taken, so that nothing is given twice. What was withheld
/// from a member stays its own.
int32_t held_after(const Member& member, const Holding& holding) {
  return member.trusted && !holding.withheld ? holding.stated
                                             : std::max(holding.held, holding.stated);
}

/// Wide: what each states can be right by itself, and too much together.
int64_t sum_held(const SlotGroup& group, uint32_t row) {
  int64_t sum = 0;
  for (size_t m = 0; m < group.members.size(); ++m) sum += group.at(row, m).held;
  return sum;
}

/// Lowers a member's part by what is held too much of the row, though not below `floor`.
void lower(int32_t& held, int32_t floor, int64_t& excess) {
  if (excess <= 0 || held <= floor) return;
  const int32_t before = held;
  held = static_cast<int32_t>(std::max<int64_t>(floor, held - excess));
  excess -= before - held;
}

/// The statements contradict each other: no more is held than is exported, and nobody is raised by
/// it, the rest is a breach that the orders to come shrink away. Who may have missed an order, or
/// from whom slots are withheld, loses first what it has not in force, for what another has instead
/// is; then what the ledger does not know of; then what the others leave: the ledger may be an
/// older one as well, and the limit of a member that is trusted is in force.
void clamp_row(SlotGroup& group, uint32_t row, const std::vector<int32_t>& ledger) {
  int64_t excess = sum_held(group, row) - group.hosts[row].exported;
  const auto held = [&](size_t m) -> int32_t& { return group.at(row, m).held; };
  for (size_t m = 0; m < group.members.size(); ++m) lower(held(m), group.at(row, m).stated, excess);
  for (size_t m = 0; m < group.members.size(); ++m) {
    if (!group.members[m].trusted) lower(held(m), ledger[m], excess);
  }
  for (const bool trusted : {false, true}) {
    for (size_t m = group.members.size(); m > 0; --m) {
      if (group.members[m - 1].trusted == trusted) lower(held(m - 1), 0, excess);
    }
  }
}

void keep_rest(SlotGroup& group, uint32_t row) {
  HostLedger& ledger = group.hosts[row];
  ledger.in_transfer = ledger.unallocated = 0;
  held_by_nobody(group, row) = static_cast<int32_t>(ledger.exported - sum_held(group, row));
  ledger.just_exported = std::min(ledger.just_exported, group.at(row, kProvider).held);
}

/// The other members hold what they have in force, the provider the rest. None of it is free before
/// the provider has stated what it has in force.
void set_row_without_provider(SlotGroup& group, uint32_t row) {
  for (size_t m = kProvider; m < group.members.size(); ++m) {
    Holding& holding = group.at(row, m);
    holding.held = m == kProvider ? 0 : holding.stated;
    holding.withheld = false;
  }
  const int64_t rest = group.hosts[row].exported - sum_held(group, row);
  group.at(row, kProvider).held = static_cast<int32_t>(std::max<int64_t>(0, rest));
}

void set_ledger(SlotGroup& group) {
  std::vector<int32_t> ledger(group.members.size());
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    for (size_t m = 0; m < group.members.size(); ++m) {
      ledger[m] = group.at(row, m).held;
      group.at(row, m).held = held_after(group.members[m], group.at(row, m));
    }
    if (provider_unknown(group)) set_row_without_provider(group, row);
    if (sum_held(group, row) > group.hosts[row].exported) clamp_row(group, row, ledger);
    keep_rest(group, row);
  }
  ++group.epoch;
}

/// Releases that were under way: what came out of them is handed out by converge(), the rest was
/// never asked for or will not be answered any more.
void close_releases(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  std::vector<uint64_t> ids;
  for (const Transfer& transfer : group.transfers) {
    if (transfer.lowering == wire::Lowering::release) ids.push_back(transfer.id);
  }
  for (uint64_t id : ids) resolve_release(turn, index, id);
  bound_dues(group);
}

void order_all(Turn& turn, uint32_t index) {
  for (size_t m = 0; m < turn.group(index).members.size(); ++m) {
    for (uint32_t row = 0; row < turn.group(index).hosts.size(); ++row) {
      turn.group(index).at(row, m).confirmed = false;
    }
    issue_order(turn, index, m);
  }
}

/// True if the most that each member has in force is known.
bool all_in_force_known(const State& state, const SlotGroup& group) {
  const bool answers = state.config.mode == Mode::lease && provider_unknown(group);
  for (size_t m = 0; m < group.members.size(); ++m) {
    const Member& member = group.members[m];
    if (!member.known_since_start || (answers && m != kProvider && !member.trusted)) return false;
  }
  return true;
}

}  // namespace

void end_quarantine_on_contact(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  if (!group.quarantined || !all_in_force_known(turn.state, group)) return;
  if (turn.state.config.mode == Mode::lease) set_ledger(group);
  renew_dues(group);
  group.quarantined = false;
  Record& row = record(turn, RecordKind::quarantine_over, index, Reason::none);
  const int32_t in_transit = in_transfer(group);
  const int32_t held_provider = held_by(group, kProvider);
  row.numbers = {
      held_provider,      exported(group) - in_transit - held_provider - unallocated(group),
      in_transit,         exported(group),
      unallocated(group), 0};
  group_changed(turn, index);
  watch_breach(turn, index);  // an older state may have lower limits than its jobs still use
  close_releases(turn, index);
  resume_reclaims(turn, index);
  order_all(turn, index);
  turn.marks.add(index, Cause::slots_freed);
}

}  // namespace leasehold
