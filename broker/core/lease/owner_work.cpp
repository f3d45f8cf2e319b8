#include "broker/core/lease/owner_work.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "broker/core/lease/demand_view.hpp"
#include "broker/core/lease/gate.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/rules/demand_aware/back_off.hpp"

namespace leasehold {

namespace {

using demand_aware::IdleRow;
using demand_aware::RowSlots;
using demand_aware::Shape;

/// Leases of one provider that are looked at; of one with more those beyond are not seen.
constexpr size_t kOwnersLeasesMost = 64;

bool shrinks_for_owner(const State& state, const SlotGroup& group) {
  const bool made = group.phase == Phase::active || group.phase == Phase::inactive;
  return goes_by_demand(state, group) && made && !group.quarantined &&
         !state.policies[group.policy].config.provider_first;
}

std::vector<uint32_t> leases_by_demand(const State& state, uint32_t provider) {
  std::vector<uint32_t> leases;
  for (const uint32_t g : state.clusters[provider].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (leases.size() == kOwnersLeasesMost) break;
    if (group.members[kProvider].cluster == provider && shrinks_for_owner(state, group)) {
      leases.push_back(g);
    }
  }
  return leases;
}

IdleRow owner_row(const State& state, const SlotGroup& group, uint32_t row, const AskedRow& asked,
                  IdleRow idle) {
  if (!common_up(group, row) || consumer_cap(state, group, row) == 0) return {};
  idle.on_way = asked.for_owner;
  const int32_t lent = group.at(row, kConsumer).held - asked.wanted - idle.idle[kConsumer];
  idle.in_use =
      asked.for_owner == asked.wanted ? std::max(0, lent) : 0;  // else they go back anyway
  return idle;
}

/// Returns the first of the rows that each host has.
std::unordered_map<uint32_t, size_t> rows_by_host(const State& state, const OwnerRows& all) {
  std::unordered_map<uint32_t, size_t> first;
  for (size_t i = 0; i < all.rows.size(); ++i) {
    first.emplace(state.slot_groups[all.groups[i]].hosts[all.rows[i]].host, i);
  }
  return first;
}

/// Own slots of hosts of which a part is exported count with the rest of the host, once.
void add_beside(const State& state, OwnerRows& all, const SlotGroup& source) {
  if (!source.demand) return;
  all.elsewhere = source.demand->elsewhere[kProvider];
  if (source.demand->beside.empty()) return;
  const std::unordered_map<uint32_t, size_t> rows = rows_by_host(state, all);
  std::unordered_map<int32_t, int> counted;  // hosts, by their slots
  for (const auto& [host, slots] : source.demand->beside) {
    const auto row = rows.find(host);
    if (row == rows.end()) continue;
    all.idle[row->second].beside[kProvider] += slots;
    ++counted[slots];
  }
  std::erase_if(all.elsewhere, [&counted](int32_t slots) {
    const auto of_as_many = counted.find(slots);
    return of_as_many != counted.end() && of_as_many->second-- > 0;
  });
}

/// Slots that already come back are for this job, as long as such a job waits.
std::optional<OwnerJob> job_served(const State& state, uint32_t provider, const OwnerRows& all) {
  std::optional<Shape> shape;
  for (const uint32_t g : all.groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.demand && group.demand->owner) shape = group.demand->owner;
  }
  if (shape && waits_off(state, all, *shape)) return std::nullopt;
  const Cluster& cluster = state.clusters[provider];
  if (!shape || !cluster.demand) return std::nullopt;
  for (const wire::DemandBucket& bucket : *cluster.demand) {
    if (waiting_of_bucket({}, bucket).shape != *shape) continue;
    if (auto job = owner_job(state, all, bucket)) return job;
  }
  return std::nullopt;
}

OwnerRows rows_by_demand(const State& state, uint32_t provider, const SlotGroup& source) {
  OwnerRows all = owner_rows(state, leases_by_demand(state, provider));
  add_beside(state, all, source);
  return all;
}

/// The order is that of the rows.
Wanted part_of(const OwnerRows& all, const std::vector<RowSlots>& slots, uint32_t group) {
  Wanted part;
  for (const RowSlots& one : slots) {
    if (all.groups[one.row] == group) part.emplace_back(all.rows[one.row], one.slots);
  }
  return part;
}

Wanted asked_now(const SlotGroup& group) {
  Wanted asked;
  const AskedRows from_consumer(group, kConsumer);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const int32_t slots = from_consumer.at(row).for_owner;
    if (slots > 0) asked.emplace_back(row, slots);
  }
  return asked;
}

void remember(Turn& turn, uint32_t index, std::optional<Shape> shape) {
  SlotGroup& group = turn.group(index);
  if (!group.demand || group.demand->owner == shape) return;
  group.demand->owner = shape;
  group.demand->owner_trial.since.reset();
  touch_group(turn, index);
}

/// Asks for exactly these slots: no row may stand in two transfers of a lease.
void ask_for(Turn& turn, uint32_t index, Wanted wanted) {
  const Wanted asked = asked_now(turn.group(index));
  if (asked == wanted) return;
  std::vector<std::pair<uint64_t, Reason>> open;
  turn.group(index).transfers.each_from(kConsumer, [&open](const Transfer& transfer) {
    if (transfer.reason == Reason::owner_waits) open.emplace_back(transfer.id, transfer.reason);
  });
  if (!asked.empty()) cancel_transfers(turn, index, kConsumer, open);
  start_return(turn, index, wire::Lowering::shrink, Reason::owner_waits, std::move(wanted));
  turn.marks.add(index, Cause::caps_changed);
  group_changed(turn, index);
}

bool may_move(const State& state, const SlotGroup& group) {
  return state.config.mode == Mode::lease && !state.frozen && !group.quarantined &&
         group.phase != Phase::closed;
}

void look_again_at(Turn& turn, uint32_t index, Instant at) {
  if (at < turn.now || at >= turn.group(index).demand->react_at) return;
  set_reaction(turn.state, index, at);
  touch_group(turn, index);
}

/// From then on what came back has lain unused for longer than a grant may. Contract: it has.
Instant to_start_by(const State& state, const SlotGroup& group) {
  return *group.demand->owner_trial.since + demand_settings(state, group).use_by_ms;
}

/// Plans a look at what ends by itself: the time to start, and the wait of jobs that did not.
void wake_for_trial(Turn& turn, uint32_t index) {
  const demand_aware::OwnerTrial& trial = turn.group(index).demand->owner_trial;
  const auto wake = [&](Instant at) {
    if (at > turn.now) look_again_at(turn, index, at);
  };
  if (trial.since) wake(to_start_by(turn.state, turn.group(index)));
  for (const demand_aware::BackOff& one : trial.back_offs) wake(one.until);
}

/// Notes since when the job that is served has had all it lacked. If it had, and has it no longer,
/// work began there: that such jobs did not start before is forgotten.
void note_trial(Turn& turn, const OwnerRows& all, const OwnerJob& job) {
  for (const uint32_t g : groups_of(all)) {
    SlotGroup& group = turn.group(g);
    if (!group.demand || group.demand->owner != job.shape) continue;
    demand_aware::OwnerTrial& trial = group.demand->owner_trial;
    if (trial.since.has_value() == job.need.has_all) continue;
    if (job.need.has_all) {
      trial.since = turn.now;
    } else {
      trial.since.reset();
      std::erase_if(trial.back_offs, [&job](const auto& one) { return one.shape == job.shape; });
    }
    touch_group(turn, g);
    wake_for_trial(turn, g);
  }
}

/// Forgets shapes of which no job waits any more.
void forget_started(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  const Cluster& provider = turn.cluster_of(group, kProvider);
  if (!group.demand || !provider.demand) return;
  const auto waits = [&provider](const demand_aware::BackOff& one) {
    return std::any_of(provider.demand->begin(), provider.demand->end(), [&](const auto& bucket) {
      return waiting_of_bucket({}, bucket).shape == one.shape;
    });
  };
  const auto gone = [&](const demand_aware::BackOff& one) { return !waits(one); };
  if (std::erase_if(group.demand->owner_trial.back_offs, gone) > 0) touch_group(turn, index);
}

/// Lets the slots of the job go in all leases, and such jobs wait. The lease that is evaluated just
/// now is not looked at once more.
void let_wait(Turn& turn, const OwnerRows& all, const Shape& shape, uint32_t evaluated) {
  for (const uint32_t g : groups_of(all)) {
    SlotGroup& group = turn.group(g);
    if (!group.demand) continue;
    drop_owner_work(turn, g);
    demand_aware::back_off_from(group.demand->owner_trial.back_offs, kProvider, shape,
                                {turn.now, demand_settings(turn.state, group).delay_ms});
    touch_group(turn, g);
    if (g != evaluated) look_again_at(turn, g, turn.now);
    wake_for_trial(turn, g);
  }
}

}  // namespace

OwnerRows owner_rows(const State& state, const std::vector<uint32_t>& groups) {
  OwnerRows all;
  for (const uint32_t g : groups) {
    const SlotGroup& group = state.slot_groups[g];
    const std::vector<IdleRow> rows = idle_rows(state, group);
    const AskedRows asked(group, kConsumer);
    for (uint32_t row = 0; row < rows.size(); ++row) {
      all.groups.push_back(g);
      all.rows.push_back(row);
      all.idle.push_back(owner_row(state, group, row, asked.at(row), rows[row]));
    }
  }
  return all;
}

void follow_owner_work(Turn& turn, uint32_t index) {
  const State& state = turn.state;
  const SlotGroup& group = turn.group(index);
  if (!group.demand || !may_move(state, group)) return;
  const uint32_t provider = group.members[kProvider].cluster;
  if (!shrinks_for_owner(state, group)) return drop_owner_work(turn, index);
  if (!state.clusters[provider].demand) return;  // its agent has not reported yet
  if (!group.demand->owner && !has_wide_work(state.clusters[provider])) return;
  wake_for_trial(turn, index);
  const OwnerRows all = rows_by_demand(state, provider, group);
  std::optional<OwnerJob> job = job_served(state, provider, all);
  if (!job) job = waiting_for_lent(state, provider, all);
  if (!job) return drop_owner_work(turn, index);
  if (!job->old_enough) return look_again_at(turn, index, job->starves_at);
  const Reason gated = gate(state, group);
  if (gated != Reason::none) return;
  remember(turn, index, job->shape);
  note_trial(turn, all, *job);
  ask_for(turn, index, part_of(all, job->need.lent, index));
}

void end_owner_trial(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  if (!group.demand || !group.demand->owner_trial.since) return;
  if (!may_move(turn.state, group) || turn.now < to_start_by(turn.state, group)) return;
  const uint32_t provider = group.members[kProvider].cluster;
  const OwnerRows all = rows_by_demand(turn.state, provider, group);
  const std::optional<OwnerJob> job = job_served(turn.state, provider, all);
  if (job && job->need.has_all) let_wait(turn, all, job->shape, index);
}

void owner_slots_stated(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  if (!group.demand || !group.demand->owner) return;
  const bool coming =
      std::any_of(group.transfers.begin(), group.transfers.end(),
                  [](const Transfer& open) { return open.reason == Reason::owner_waits; });
  if (coming) return;
  const uint32_t provider = group.members[kProvider].cluster;
  const OwnerRows all = rows_by_demand(turn.state, provider, group);
  if (const auto job = job_served(turn.state, provider, all)) note_trial(turn, all, *job);
}

void owner_work_reported(Turn& turn, uint32_t provider) {
  const std::vector<uint32_t> groups = turn.state.clusters[provider].slot_groups;
  for (const uint32_t g : groups) {
    const SlotGroup& group = turn.group(g);
    if (group.members[kProvider].cluster != provider) continue;
    forget_started(turn, g);
    const bool served = group.demand && group.demand->owner && may_move(turn.state, group);
    if (!served || !turn.state.clusters[provider].demand) continue;
    if (!job_served(turn.state, provider, rows_by_demand(turn.state, provider, group))) {
      drop_owner_work(turn, g);
    }
  }
}

void drop_owner_work(Turn& turn, uint32_t index) {
  remember(turn, index, std::nullopt);
  if (!asked_now(turn.group(index)).empty()) ask_for(turn, index, {});
}

std::vector<RowSlots> kept_for_owner(const State& state, const SlotGroup& group) {
  std::vector<RowSlots> kept;
  if (!group.demand || !group.demand->owner || !shrinks_for_owner(state, group)) return kept;
  const uint32_t provider = group.members[kProvider].cluster;
  const OwnerRows all = rows_by_demand(state, provider, group);
  const std::optional<OwnerJob> job = job_served(state, provider, all);
  if (!job) return kept;
  for (const RowSlots& one : job->need.kept) {
    if (&state.slot_groups[all.groups[one.row]] == &group) {
      kept.push_back({all.rows[one.row], one.slots});
    }
  }
  return kept;
}

}  // namespace leasehold
