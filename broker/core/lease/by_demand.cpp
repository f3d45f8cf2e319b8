#include "broker/core/lease/by_demand.hpp"

#include <algorithm>

#include "broker/core/model/deadlines.hpp"
#include "broker/core/model/hosts.hpp"

namespace leasehold {

namespace {

using demand_aware::IdleRow;
using demand_aware::View;
using demand_aware::Waiting;

/// Other leases of a member that are looked at for idle slots it has there: work that fits those
/// needs nothing from here. Of a cluster with more, those beyond are not seen.
constexpr size_t kOtherLeasesMost = 64;
/// Hosts outside the group that are told of one by one.
constexpr size_t kElsewhereMost = 1024;

bool in_use(const State& state, const SlotGroup& group, uint32_t row) {
  return common_up(group, row) && consumer_cap(state, group, row) > 0;
}

IdleRow idle_row(const State& state, const SlotGroup& group, uint32_t row) {
  IdleRow idle;
  if (!in_use(state, group, row)) return idle;
  for (const size_t m : {kProvider, kConsumer}) {
    const Holding& holding = group.at(row, m);
    const int32_t free = holding.held - holding.used - wanted_from(group, m, row);
    idle.idle[m] = idle_there(state, group, m, row);
    idle.beside[m] = std::max(0, free - idle.idle[m]);
  }
  if (wanted_from(group, kConsumer, row) == 0) {
    idle.in_use = std::max(0, group.at(row, kConsumer).held - idle.idle[kConsumer]);
  }
  idle.on_way = wanted_by(group, kConsumer, row, wire::Lowering::reclaim);
  if (idle.on_way > 0) {  // nothing goes to where something is taken from
    idle.beside[kProvider] += idle.idle[kProvider];
    idle.idle[kProvider] = 0;
  }
  return idle;
}

/// Which rows have a host of one of these types; false: none has.
bool rows_of(const State& state, const SlotGroup& group, const std::vector<std::string>& types,
             std::vector<uint64_t>& rows) {
  if (types.empty()) return true;
  rows.assign(group.hosts.size() / 64 + 1, 0);
  bool any = false;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const std::string& type = host_of(state, group, row).facts.type;
    if (std::find(types.begin(), types.end(), type) == types.end()) continue;
    rows[row / 64] |= uint64_t{1} << (row % 64);
    any = true;
  }
  return any;
}

/// An agent that tells no shapes has work of single slots.
std::vector<Waiting> waiting_of(const State& state, const SlotGroup& group, size_t member) {
  const Cluster& cluster = state.clusters[group.members[member].cluster];
  std::vector<Waiting> waiting;
  if (!cluster.demand) {
    if (cluster.pending > 0) waiting.push_back({{}, cluster.pending, 0, {}});
    return waiting;
  }
  for (const wire::DemandBucket& bucket : *cluster.demand) {
    Waiting one;
    one.jobs = bucket.jobs;
    if (bucket.oldest_ms > 0) one.age_ms = std::max<int64_t>(0, state.now.ms - bucket.oldest_ms);
    one.shape = {bucket.slots_per_host, bucket.hosts,
                 (bucket.slots + bucket.jobs - 1) / bucket.jobs};
    one.shape.slots = std::max(one.shape.slots, int64_t{bucket.slots_per_host} * bucket.hosts);
    if (rows_of(state, group, bucket.host_types, one.rows)) waiting.push_back(std::move(one));
  }
  return waiting;
}

/// Where the lease's line is enough: false where it is not.
bool add_idle_of_line(const State& state, uint32_t lease, uint32_t cluster,
                      std::vector<int32_t>& idle) {
  const LeaseLine* line = fresh_line(state, lease);
  if (line == nullptr || !line->still) return false;
  const bool provider = line->provider == cluster;
  const int32_t slots = provider ? line->totals.provider_idle() : line->totals.consumer_idle();
  if (slots > 0 && !line->one_host) return false;
  if (slots > 0) idle.push_back(slots);
  return true;
}

/// What another lease has for the cluster: idle there, or on its way to it.
void add_idle_of(const State& state, const SlotGroup& group, uint32_t cluster,
                 std::vector<int32_t>& idle) {
  if (group.resource_group != kNoIndex || group.phase == Phase::closed) return;
  const uint32_t member = member_of(group, cluster);
  if (member == kNoIndex) return;
  for (uint32_t row = 0; row < group.hosts.size() && idle.size() < kElsewhereMost; ++row) {
    if (!in_use(state, group, row)) continue;
    if (const int32_t slots = idle_there(state, group, member, row); slots > 0)
      idle.push_back(slots);
  }
  for (const Transfer& transfer : group.transfers) {
    if (transfer.to == member && transfer.slots_wanted > 0) idle.push_back(transfer.slots_wanted);
  }
}

void ask_line(const State& state, uint32_t lease) {
  if (lease < state.lines.size()) __builtin_prefetch(&state.lines[lease]);
}

std::vector<int32_t> idle_elsewhere(const State& state, const SlotGroup& group, uint32_t member) {
  const uint32_t index = group.members[member].cluster;
  const Cluster& cluster = state.clusters[index];
  std::vector<int32_t> idle;
  if (group.demand) idle = group.demand->elsewhere[member];
  const std::span<const uint32_t> leases =
      std::span(cluster.slot_groups)
          .first(std::min(cluster.slot_groups.size(), kOtherLeasesMost + 1));
  for (const uint32_t lease : leases) ask_line(state, lease);  // they lie far apart
  size_t looked = 0;
  for (const uint32_t lease : leases) {
    if (looked == kOtherLeasesMost || idle.size() >= kElsewhereMost) break;
    if (&state.slot_groups[lease] == &group) continue;
    if (!add_idle_of_line(state, lease, index, idle))
      add_idle_of(state, state.slot_groups[lease], index, idle);
    ++looked;
  }
  return idle;
}

/// Of all its own hosts; what it exports here counts with the group.
int64_t own_slots(const State& state, const SlotGroup& group, uint32_t member) {
  int64_t slots = 0;
  for (const Host& host : state.clusters[group.members[member].cluster].hosts) {
    if (host.present && host.facts.up) slots += host.facts.slots;
  }
  return member == kProvider ? std::max<int64_t>(0, slots - exported(group)) : slots;
}

demand_aware::Settings settings_of(const State& state, const SlotGroup& group) {
  const ExportPolicy& policy = state.policies[group.policy].config;
  demand_aware::Settings settings;
  settings.delay_ms = state.grids[group.grid].delay_ms;
  settings.min_hold_ms = policy.min_hold_ms.value_or(kDemandMinHoldMs);
  settings.use_by_ms = policy.use_by_ms.value_or(kDemandUseByMs);
  settings.provider_first = policy.provider_first;
  settings.whole_hosts = policy.unit == LeaseUnit::host;
  return settings;
}

int64_t idle_slots_of(const State& state, const SlotGroup& group, size_t member) {
  int64_t idle = 0;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    idle += idle_row(state, group, row).idle[member];
  }
  return idle;
}

/// When something that the rule remembers ends by itself.
Instant next_end(const View& view, const demand_aware::Answer& answer) {
  const demand_aware::Ledger& ledger = answer.ledger;
  Instant next = kNever;
  const auto wake = [&](Instant at) {
    if (at > view.now) next = std::min(next, at);
  };
  if (ledger.grant.to != demand_aware::kNobody) wake(ledger.grant.at + view.settings.use_by_ms);
  wake(ledger.gathering.until);  // of a gathering, or of the rest after it
  if (answer.reason == Reason::min_hold || answer.reason == Reason::gathering) {
    wake(ledger.moved_at + view.settings.min_hold_ms);
  }
  if (answer.reason != Reason::unused_before) return next;
  for (const demand_aware::BackOff& one : ledger.back_offs) wake(one.until);
  return next;
}

/// Made where there is none; then what the agents have told outside of leases is told again.
demand_aware::Ledger& ledger_of(State& state, SlotGroup& group) {
  if (group.demand) return *group.demand;
  for (const Member& member : group.members) state.clusters[member.cluster].idle_elsewhere.reset();
  return group.demand.emplace();
}

/// The soonest of what is due already and this. True: another instant than before.
bool react_by(State& state, uint32_t index, Instant at) {
  const Instant known = state.slot_groups[index].demand->react_at;
  if (at >= known) return false;
  set_reaction(state, index, at);
  return true;
}

}  // namespace

bool goes_by_demand(const State& state, const SlotGroup& group) {
  if (group.resource_group != kNoIndex || group.policy == kNoIndex) return false;
  if (group.phase == Phase::closed) return false;
  const ExportPolicy& policy = state.policies[group.policy].config;
  return policy.type == LeaseType::shared && policy.rule == RuleKind::demand_aware;
}

bool nobody_waits(const Cluster& cluster) {
  return cluster.demand ? cluster.demand->empty() : cluster.pending == 0;
}

bool rests_by_demand(const State& state, const SlotGroup& group, const Totals& totals) {
  if (state.policies[group.policy].config.provider_first && totals.consumer_idle() > 0)
    return false;
  if (!group.demand) return false;  // its first evaluation asks what is idle elsewhere
  const demand_aware::Ledger& known = *group.demand;
  return known.grant.to == demand_aware::kNobody && known.react_at == kNever &&
         known.gathering.member == demand_aware::kNobody &&
         known.wanted == decltype(known.wanted){};
}

View demand_view(const State& state, const SlotGroup& group) {
  View view;
  view.now = state.now;
  view.settings = settings_of(state, group);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    view.rows.push_back(idle_row(state, group, row));
    view.exported.push_back(in_use(state, group, row) ? group.hosts[row].exported : 0);
    view.slots += view.exported.back();
  }
  for (const uint8_t m : {kProvider, kConsumer}) {
    demand_aware::Side& side = view.sides[m];
    side.waiting = waiting_of(state, group, m);
    if (side.waiting.empty()) continue;
    side.elsewhere = idle_elsewhere(state, group, m);
    const bool wide = std::any_of(side.waiting.begin(), side.waiting.end(),
                                  [&](const Waiting& one) { return one.shape.slots > view.slots; });
    if (wide) side.slots_elsewhere = own_slots(state, group, m);
  }
  return view;
}

namespace {

RuleAnswer told(const demand_aware::Answer& answer) {
  return {answer.reason, static_cast<int32_t>(answer.slots()), answer.to == kConsumer};
}

}  // namespace

RuleAnswer answer_by_demand(const State& state, const SlotGroup& group) {
  const demand_aware::Ledger none;
  return told(demand_aware::decide(demand_view(state, group), group.demand ? *group.demand : none));
}

namespace {

Wanted wanted_of(const std::vector<demand_aware::RowSlots>& rows) {
  Wanted wanted;
  for (const demand_aware::RowSlots& row : rows) wanted.emplace_back(row.row, row.slots);
  return wanted;
}

}  // namespace

RuleAnswer evaluate_by_demand(Turn& turn, uint32_t index, DemandMoves& moves) {
  SlotGroup& group = turn.group(index);
  ledger_of(turn.state, group);
  const View view = demand_view(turn.state, group);
  const Instant react_at = group.demand->react_at;
  demand_aware::Answer answer = demand_aware::decide(view, *group.demand);
  const bool observe = turn.state.config.mode == Mode::observe;
  *group.demand = observe ? demand_aware::without_moves(*group.demand, answer) : answer.ledger;
  group.demand->react_at = react_at <= turn.now ? kNever : react_at;
  touch(turn, index);
  react_by(turn.state, index, next_end(view, answer));
  moves.released = wanted_of(answer.moves);
  if (!observe) moves.reclaimed = wanted_of(answer.reclaims);
  return told(answer);
}

bool note_taker(State& state, uint32_t index) {
  SlotGroup& group = state.slot_groups[index];
  // Under observe nothing moves sooner by it: the grid is often enough to be told.
  const bool moves = state.config.mode == Mode::lease && !state.frozen && !group.quarantined;
  if (!moves || !goes_by_demand(state, group)) return false;
  const auto pending = [&](size_t m) { return state.clusters[group.members[m].cluster].pending; };
  if (pending(kProvider) > 0 && idle_slots_of(state, group, kConsumer) > 0) {
    ledger_of(state, group);
    return react_by(state, index, state.now);
  }
  if (pending(kConsumer) == 0 || idle_slots_of(state, group, kProvider) == 0) return false;
  const Instant moved = ledger_of(state, group).moved_at;
  const int64_t hold_ms = settings_of(state, group).min_hold_ms;
  return react_by(state, index,
                  moved.ms == INT64_MIN ? state.now : std::max(state.now, moved + hold_ms));
}

void note_elsewhere(State& state, uint32_t index, uint32_t cluster,
                    const std::vector<int32_t>& idle) {
  SlotGroup& group = state.slot_groups[index];
  const uint32_t member = member_of(group, cluster);
  ledger_of(state, group).elsewhere[member] = idle;
}

void note_grant_use(State& state, uint32_t index, size_t member) {
  SlotGroup& group = state.slot_groups[index];
  if (!group.demand || group.demand->grant.to != member) return;
  // Until they are there nothing is known of their use.
  const bool coming = std::any_of(group.transfers.begin(), group.transfers.end(),
                                  [&](const Transfer& open) { return open.to == member; });
  if (coming) return;
  demand_aware::noted_use(*group.demand, static_cast<uint8_t>(member),
                          idle_slots_of(state, group, member));
}

void forget_reaction(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  if (!group.demand || group.demand->react_at == kNever) return;
  group.demand->react_at = kNever;
  mark_dirty(turn, index);
}

void forget_demand(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  if (!group.demand || goes_by_demand(turn.state, group)) return;
  group.demand.reset();
  mark_dirty(turn, index);
}

}  // namespace leasehold
