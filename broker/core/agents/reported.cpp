#include "broker/core/agents/reported.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "broker/core/agents/breach.hpp"
#include "broker/core/agents/divisions.hpp"
#include "broker/core/agents/lease_bounds.hpp"
#include "broker/core/agents/quarantine.hpp"
#include "broker/core/exports/horizons.hpp"
#include "broker/core/exports/policies.hpp"
#include "broker/core/exports/reconcile.hpp"
#include "broker/core/lease/by_demand.hpp"
#include "broker/core/lease/owner_work.hpp"
#include "broker/core/ledger/orders.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/plan/cycle.hpp"
#include "broker/core/plan/grants.hpp"
#include "common/canary.hpp"
#include "common/prefetch.hpp"

namespace leasehold {

void lease_made(Turn& turn, uint32_t index, size_t member) {
  SlotGroup& group = turn.group(index);
  if (member == kProvider || group.phase != Phase::offered) return;
  set_phase(turn, index, Phase::active);
  forget_demand(turn, index);
  group.reason = Reason::made;
  group.evaluated_at = turn.now;
  Record& row = record(turn, RecordKind::lease_made, index, Reason::made);
  row.from = group.members[kProvider].cluster;
  row.to = group.members[kConsumer].cluster;
}

namespace {

/// A host that the workload manager does not know is stated as full, down or not: only one with
/// idle slots is surely down.
void note_down(Holding& holding, const wire::HostState& host, Instant now) {
  if (host.up) {
    holding.down_since = kNever;
  } else if (host.used < host.limit) {
    holding.down_since = std::min(holding.down_since, now);
  }
}

struct Moved {
  bool any = false;   // a host went up or down
  bool used = false;  // work began or ended
};

/// Calls `act` with each row of the group that the statement does not name, in ascending order.
/// Takes memory only where the statement's rows do not ascend.
template <class Act>
void for_each_not_named(const SlotGroup& group, const wire::StateBlock& block,
                        const wire::GroupState& said, const Act& act) {
  const auto hosts = block.hosts_of(said);
  const auto before = [](const wire::HostState& a, const wire::HostState& b) {
    return a.host < b.host;
  };
  const auto count = static_cast<uint32_t>(group.hosts.size());
  if (std::is_sorted(hosts.begin(), hosts.end(), before)) {
    auto next = hosts.begin();
    for (uint32_t row = 0; row < count; ++row) {
      while (next != hosts.end() && next->host < row) ++next;
      if (next == hosts.end() || next->host != row) act(row);
    }
    return;
  }
  std::vector<bool> named(count, false);
  for (const wire::HostState& host : hosts) named[host.host] = true;
  for (uint32_t row = 0; row < count; ++row) {
    if (!named[row]) act(row);
  }
}

/// True if the host was and is up, with the same use.
bool same_use(const Holding& holding, const wire::HostState& host) {
  return host.up && holding.up && holding.used == host.used;
}

/// Takes over use and readiness of the rows; a host that is not named is unknown.
Moved take_use(SlotGroup& group, size_t member, const wire::StateBlock& block,
               const wire::GroupState& said, Instant now) {
  Moved moved;
  for (const wire::HostState& host : block.hosts_of(said)) {
    if (same_use(std::as_const(group).at(host.host, member), host)) continue;
    Holding& holding = group.at(host.host, member);
    const bool was_down = holding.down_since != kNever;
    note_down(holding, host, now);
    const bool is_down = holding.down_since != kNever;
    moved.any = moved.any || holding.up != host.up || was_down != is_down;
    moved.used = moved.used || holding.used != host.used;
    holding.used = host.used;
    holding.up = host.up;
  }
  for_each_not_named(group, block, said, [&](uint32_t row) {
    const Holding& known = std::as_const(group).at(row, member);
    if (!known.up && known.down_since == kNever) return;
    group.at(row, member).down_since = kNever;
    if (!known.up) return;
    group.at(row, member).up = false;
    moved.any = true;
  });
  return moved;
}

/// Returns the slots of a row that the member gave up. On a row that is withheld from it a lower
/// limit gives up no more than what is asked.
int32_t given_up(const State& state, const Holding& holding, const AskedRows& asked, uint32_t row) {
  const int32_t less = holding.held - holding.stated;
  if (!holding.withheld) return less;
  return state.frozen ? 0 : std::min(less, asked.wanted(row));
}

/// Takes over the stated limits. Where a member states less than it holds, the ledger is lowered to
/// that, and the difference is in transfer. Returns the difference by row.
Wanted lower_to_stated(const State& state, SlotGroup& group, size_t member,
                       const wire::StateBlock& block, const wire::GroupState& said) {
  Wanted released;
  if (said.count == 0) return released;
  const AskedRows asked(group, member);
  const bool consumer = group.resource_group == kNoIndex && member == kConsumer;
  for (const wire::HostState& host : block.hosts_of(said)) {
    const int32_t stated = stated_limit(group, member, host);
    const Holding& known = std::as_const(group).at(host.host, member);
    if (known.confirmed && known.stated == stated && stated >= known.held) continue;
    Holding& holding = group.at(host.host, member);
    holding.stated = stated;
    holding.confirmed = true;
    if (group.quarantined || holding.stated >= holding.held) continue;
    const int32_t slots = given_up(state, holding, asked, host.host);
    if (slots == 0) continue;
    // Its due fell by what a rule asked for when that was asked.
    if (consumer) holding.due -= std::max(0, slots - asked.at(host.host).by_rule());
    holding.held -= slots;
    group.hosts[host.host].in_transfer += slots;
    // The canary counts the slots as if the same answer came again and were not recognized.
    if (LEASEHOLD_CANARY(counts_answer_twice)) group.hosts[host.host].in_transfer += slots;
    ++group.epoch;
    released.emplace_back(host.host, slots);
  }
  return released;
}

}  // namespace

namespace {

/// A plan that has the group, if one does, is evaluated again, and reacts.
void plan_work_changed(State& state, uint32_t resource_group) {
  if (resource_group == kNoIndex) return;
  queue_plan_evaluation(state, resource_group);
  schedule_plan_reaction(state, resource_group);
}

/// Asks for what the statement's effects read of a lease's consumer, its last member: consumers lie
/// far apart.
void ask_consumer_ahead(const State& state, const SlotGroup& group) {
  const Cluster& consumer = state.clusters[group.members.back().cluster];
  prefetch(&consumer.draining_imports);
  prefetch(&consumer.contact);
}

/// First takes over what is stated: the order that it answers, use, limits. Then starts what
/// follows from that; of a group in quarantine nothing moves, and its ledger is set when that ends.
void group_reported(Turn& turn, uint32_t index, uint32_t cluster, const wire::StateBlock& block,
                    const wire::GroupState& said) {
  SlotGroup& group = turn.group(index);
  const size_t m = member_of(group, cluster);
  if (group.phase == Phase::closed || m == kNoIndex) return;  // it was on its way when we closed
  ask_consumer_ahead(turn.state, group);
  Member& member = group.members[m];
  const bool first = !member.reported || member.seq_stated != said.seq;
  member.reported = true;
  member.seq_stated = said.seq;
  set_breach(group, m, said.breach);
  const bool used_before = member.ever_used;
  member.ever_used = member.ever_used || said.ever_used;
  const Moved moved = take_use(group, m, block, said, turn.now);
  const bool latest = (said.seq == member.seq || LEASEHOLD_CANARY(credits_older_seq)) &&
                      turn.state.config.mode == Mode::lease;
  const Wanted released = latest ? lower_to_stated(turn.state, group, m, block, said) : Wanted{};
  group_changed(turn, index);
  plan_work_changed(turn.state, group.resource_group);
  const bool news = first || moved.any || moved.used || !released.empty();
  if (news) schedule_if_taker(turn.state, index);
  watch_breach(turn, index);
  if (!used_before && turn.group(index).members[m].ever_used) lease_made(turn, index, m);
  if (group.quarantined) {
    if (!latest) return;
    group.members[m].trusted = true;  // nothing that was ordered before can raise it
    return end_quarantine_on_contact(turn, index);
  }
  if (latest) follow_statement(turn, index, m, released);
  note_grant_use(turn.state, index, m);  // also of what came with this statement
  note_plan_use(turn, index, m);
  if (news) owner_slots_stated(turn, index);
  if (first || moved.any || !released.empty()) turn.marks.add(index, Cause::stated);
}

/// Returns nullopt if its agent does not tell.
std::optional<int64_t> longest_limit_of(const Cluster& cluster) {
  return cluster.ending ? cluster.ending->longest_limit_ms : std::nullopt;
}

/// Shapes of work are kept and recorded, whatever rule reads them.
void take_shapes(Turn& turn, uint32_t index, const StateReported& event) {
  if (!event.demand && !event.ending && !event.idle_elsewhere && !event.idle_beside) return;
  Cluster& cluster = turn.state.clusters[index];
  if (event.demand) cluster.demand = event.demand;
  const auto longest_before = longest_limit_of(cluster);
  if (event.ending) cluster.ending = event.ending;
  if (event.idle_elsewhere) cluster.idle_elsewhere = event.idle_elsewhere;
  if (event.idle_beside) cluster.idle_beside = event.idle_beside;
  touch_cluster(turn, index);
  if (longest_limit_of(cluster) != longest_before) follow_horizons_of_borrower(turn, index);
  if (event.demand) owner_work_reported(turn, index);
}

bool says_other_work(const Cluster& cluster, const StateReported& event) {
  return (event.demand && event.demand != cluster.demand) ||
         (event.ending && event.ending != cluster.ending && !nobody_waits(cluster)) ||
         event.idle_elsewhere || event.idle_beside;  // present only when changed
}

/// Leases of the cluster that go by its work are looked at again, and plans.
void note_work(Turn& turn, uint32_t index, const StateReported& event) {
  for (const uint32_t g : turn.state.clusters[index].slot_groups) {
    const bool owner = turn.group(g).members[kProvider].cluster == index;
    if (event.demand) plan_work_changed(turn.state, turn.group(g).resource_group);
    if (!goes_by_demand(turn.state, turn.group(g))) continue;
    if (event.idle_elsewhere) note_elsewhere(turn.state, g, index, *event.idle_elsewhere);
    if (event.idle_beside && owner) note_beside(turn.state, g, *event.idle_beside);
    const bool reacts = schedule_if_taker(turn.state, g);
    if (reacts || event.idle_elsewhere || event.idle_beside) touch_group(turn, g);
    queue_evaluation(turn.state, g);
  }
}

}  // namespace

/// The cluster's own numbers come first, then its groups: what the statement of a group starts goes
/// by the cluster's waiting work and divisions.
void state_reported(Turn& turn, const StateReported& event) {
  const uint32_t index = find_cluster(turn.state, event.cluster);
  Cluster& cluster = turn.state.clusters[index];
  const int64_t pending_before = cluster.pending;
  if (cluster.pending != event.pending || cluster.degraded != event.degraded) {
    const bool degraded = cluster.degraded != event.degraded;
    cluster.pending = event.pending;
    cluster.degraded = event.degraded;
    touch_cluster(turn, index);
    for (uint32_t g : cluster.slot_groups) {
      if (degraded) surroundings_changed(turn.state, g);
      plan_work_changed(turn.state, turn.group(g).resource_group);
    }
  }
  const bool work = pending_before != event.pending || says_other_work(cluster, event);
  if (work) note_work(turn, index, event);  // may drop the idle slots noted before
  take_shapes(turn, index, event);
  lease_stated(turn, index, event.lease_ms);
  take_divisions(turn, index, event.state);  // before anything is offered in parts
  for (const wire::GroupState& said : event.state.groups) {
    const uint32_t group = find_slot_group(turn.state, said.generation);
    if (group != kNoIndex) group_reported(turn, group, index, event.state, said);
  }
}

}  // namespace leasehold
