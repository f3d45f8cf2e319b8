#include "tests/simulation/oracle/oracle.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/invariants.hpp"
#include "tests/support/plan_checks.hpp"
#include "tests/support/summary_checks.hpp"

namespace leasehold::simulation {

void Oracle::violated(Invariant invariant, const std::string& what) {
  if (violation_) return;
  violation_ = Violation{invariant, what, world_.time().now_ms()};
  note("VIOLATION " + std::string(token(invariant)) + ": " + what);
}

void Oracle::note(const std::string& what) {
  if (trace) trace(what);
}

/// Returns what the cluster takes of a host: enforced or used. If its workload manager lost a fence
/// by itself, the cap that was asked for counts: nobody else may be given more because of that.
int32_t Oracle::taken(const ClusterWorkload& workload, const Place& place) const {
  if (place.excused_at) return *place.excused_at;
  return std::max(workload.open_slots(place), place.used);
}

void Oracle::check_host(const SimulatedCluster& owner, const Place& host) {
  int32_t sum = taken(*owner.workload, host);
  const std::string local = host.facts.name + "@" + owner.name;
  const int32_t nobodys = unallocated_on(local, host.facts.slots);
  for (const SimulatedCluster& cluster : world_.clusters()) {
    if (&cluster == &owner) continue;
    for (const Place& place : cluster.workload->places()) {
      if (!place.imported || place.facts.name != local) continue;
      sum += taken(*cluster.workload, place);
      if (host.power.off()) check_off(local, cluster, place.used);
    }
  }
  if (sum <= host.facts.slots - nobodys) return;
  violated(Invariant::slot_twice,
           "host " + local + " has " + std::to_string(host.facts.slots) + " slots, " +
               std::to_string(nobodys) + " of them unallocated; enforced or used by " + owner.name +
               " " + std::to_string(taken(*owner.workload, host)) + taken_by_others(owner, local));
}

std::string Oracle::taken_by_others(const SimulatedCluster& owner, const std::string& host) const {
  std::string who;
  for (const SimulatedCluster& cluster : world_.clusters()) {
    if (&cluster == &owner) continue;
    for (const Place& place : cluster.workload->places()) {
      if (!place.imported || place.facts.name != host) continue;
      const int32_t slots = taken(*cluster.workload, place);
      if (slots > 0) who += ", " + cluster.name + " " + std::to_string(slots);
    }
  }
  return who;
}

/// Returns the slots of plans there that nobody may use, if the broker knows the host as it is.
int32_t Oracle::unallocated_on(const std::string& host, int32_t slots) const {
  const auto known = unallocated_.find(host);
  if (known == unallocated_.end() || known->second.host_slots != slots) return 0;
  return known->second.slots;
}

void Oracle::note_unallocated(const State& state) {
  unallocated_.clear();
  for (const SlotGroup& group : state.slot_groups) {
    // In breach work runs where nothing is held, on a lost fence: the broker knows it, and grants
    // nothing meanwhile.
    if (group.resource_group == kNoIndex || group.quarantined || group.breach) continue;
    const Cluster& provider = state.clusters[group.members[kProvider].cluster];
    for (const HostLedger& row : group.hosts) {
      const wire::HostFacts& facts = provider.hosts[row.host].facts;
      Unallocated& of = unallocated_[facts.name + "@" + provider.name];
      of.slots += row.unallocated;
      of.host_slots = facts.slots;
    }
  }
}

void Oracle::check_slots() {
  ++checks;
  // The ledger that kept slots from everybody is gone, and so is what agents knew.
  if (std::exchange(begun_, world_.begun) != world_.begun) unallocated_.clear();
  for (const SimulatedCluster& cluster : world_.clusters()) {
    for (const Place& place : cluster.workload->places()) {
      if (!place.imported) check_host(cluster, place);
    }
  }
}

void Oracle::agent_stepped(const SimulatedCluster& cluster) {
  check_work(cluster);
  check_wakes(cluster);
  const agent::Agent* agent = cluster.agent->agent();
  if (agent == nullptr) return;
  check_followed(cluster);
  if (!agent->started() || cluster.limits_in_doubt) return;
  check_enforced(cluster, *agent);
  check_unasked(cluster, *agent);
}

/// True if the limit of the row may be another one now, under the same order. `configured`: with
/// this step a new configuration came.
bool Oracle::may_change(const GroupLimitsMemory& before, const agent::GroupLimits& now, size_t row,
                        bool configured) const {
  const agent::HostLimit& was = before.limits.hosts[row];
  const agent::HostLimit& is = now.hosts[row];
  if (was.limit == is.limit) return true;
  // Changed with an export.
  if (was.exported != is.exported) return true;
  // An open lowering gives up what becomes free; one still being applied changes nothing.
  if (was.lowering && !was.settling) return true;
  const bool fell = is.limit < was.limit;
  // A configuration drops an order that was being applied: the lowering before it is open again.
  const bool dropped = configured && was.settling && !is.settling;
  if (dropped && before.lowering[row] && fell) return true;
  // A set of hosts gives slots up, too, while it has some to get.
  if (was.withheld > 0 && fell) return true;
  const bool may_end = world_.config().lease_ttl_ms > 0;  // it may end by itself, at any moment
  return may_end && fell;
}

void Oracle::remember(GroupLimitsMemory& memory, const agent::GroupLimits& now) {
  if (memory.limits.seq != now.seq) memory.lowering.clear();
  memory.lowering.resize(now.hosts.size());
  for (size_t i = 0; i < now.hosts.size(); ++i) {
    if (!now.hosts[i].settling) memory.lowering[i] = now.hosts[i].lowering.has_value();
  }
  memory.limits = now;
}

/// A repeated order applies nothing, and a release closes with its first answer.
void Oracle::check_unasked(const SimulatedCluster& cluster, const agent::Agent& agent) {
  AgentMemory& memory = agents_[cluster.name];
  const bool same = memory.session == agent.session().session();
  memory.session = agent.session().session();
  const uint64_t number = agent.book().configuration().number;
  const bool configured = std::exchange(memory.configuration, number) != number;
  for (const agent::LeasedGroup& group : agent.book().groups()) {
    GroupLimitsMemory& before = memory.groups[group.limits.generation];
    const size_t rows = std::min(before.limits.hosts.size(), group.limits.hosts.size());
    for (size_t i = 0; same && before.limits.seq == group.limits.seq && i < rows; ++i) {
      if (may_change(before, group.limits, i, configured)) continue;
      violated(Invariant::limit_changed_unasked,
               cluster.name + " " + group.configured.lease + " row " + std::to_string(i) + ": " +
                   std::to_string(before.limits.hosts[i].limit) + " to " +
                   std::to_string(group.limits.hosts[i].limit) + " under order " +
                   std::to_string(group.limits.seq));
    }
    remember(before, group.limits);
  }
}

/// Checks host by host that the workload manager enforces at most the limit that is durable at the
/// agent.
void Oracle::check_enforced(const SimulatedCluster& cluster, const agent::Agent& agent) {
  for (const Place& place : cluster.workload->places()) {
    if (!place.cap || place.excused_at) continue;
    int32_t limit = place.imported ? 0 : place.facts.slots;
    bool named = false;
    for (const agent::LeasedGroup& group : agent.book().groups()) {
      for (size_t i = 0; i < group.places.size(); ++i) {
        if (group.places[i] != place.facts.name) continue;
        limit += group.limits.hosts[i].limit - group.limits.hosts[i].exported;
        if (group.limits.seq == 0) return;  // by itself it only lowers, and answers nothing yet
        named = true;
      }
    }
    if (!named || cluster.workload->open_slots(place) <= limit) continue;
    violated(Invariant::enforced_above_limit,
             cluster.name + " enforces " + std::to_string(cluster.workload->open_slots(place)) +
                 " on " + place.facts.name + "; its limit is " + std::to_string(limit));
  }
}

/// Returns the rows after the batch: exported/target, in transfer, unallocated, then
/// held/stated/used of each member.
std::string Oracle::rows_of(const SlotGroup& group) const {
  std::string text;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const HostLedger& host = group.hosts[row];
    text += " [" + std::to_string(host.exported) + "/" + std::to_string(host.target) + " " +
            std::to_string(host.in_transfer) + " " + std::to_string(host.unallocated);
    for (uint32_t m = 0; m < group.members.size(); ++m) {
      const Holding& holding = group.at(row, m);
      text += ", " + std::to_string(holding.held) + "/" + std::to_string(holding.stated) + "/" +
              std::to_string(holding.used) + (holding.up ? "" : " down") +
              (holding.confirmed ? "" : " unconfirmed");
    }
    text += "]";
  }
  return text;
}

std::string Oracle::line_of(const Record& row) const {
  const State* within = world_.acting().state_within();
  if (within == nullptr) return std::string("  ") + record_token(row.kind);  // it is starting
  const State& state = *within;
  std::string line =
      std::string("  ") + record_token(row.kind) + " " + std::string(leasehold::token(row.reason));
  if (row.group != kNoIndex) line += " " + group_id(state, state.slot_groups[row.group]);
  if (row.cluster != kNoIndex) line += " " + state.clusters[row.cluster].name;
  if (row.slots != 0) line += " slots " + std::to_string(row.slots);
  if (row.from != kNoIndex) line += " from " + state.clusters[row.from].name;
  if (row.to != kNoIndex) line += " to " + state.clusters[row.to].name;
  for (const int64_t number : row.numbers) line += " " + std::to_string(number);
  if (row.group != kNoIndex) line += rows_of(state.slot_groups[row.group]);
  return line;
}

/// The ledger took back slots that a silent agent still has as its limit, and does not enforce.
void Oracle::doubt(uint32_t cluster) {
  const std::string& name = world_.acting().state_within()->clusters[cluster].name;
  for (SimulatedCluster& simulated : world_.clusters()) {
    if (simulated.name == name) simulated.limits_in_doubt = true;
  }
}

/// Notes what a turn of the watched start of the core says besides its state.
void Oracle::note_batch(const State& state, const Record& row) {
  if (row.kind == RecordKind::database_older) peers_.database_older.push_back(row.cluster);
  if (row.kind == RecordKind::quarantine_over) peers_.quarantine_over.push_back(row.group);
  if (row.kind == RecordKind::transfer_started && row.reason == Reason::grant_unused) {
    groups_[state.slot_groups[row.group].generation].sent_back += row.slots;
  }
}

void Oracle::recorded(std::span<const Record> batch) {
  const State* state = world_.acting().state_within();
  // Among several brokers a deposed one that was stopped decides a batch, too, but never commits
  // it.
  const bool watched = state != nullptr && state->incarnation == peers_.incarnation;
  for (const Record& row : batch) {
    if (watched) note_batch(*state, row);
    if (row.kind == RecordKind::lease_expired && row.cluster != kNoIndex) doubt(row.cluster);
    const bool decision = row.kind == RecordKind::evaluation || row.kind == RecordKind::flip ||
                          row.kind == RecordKind::transfer_started ||
                          row.kind == RecordKind::transfer_failed ||
                          row.kind == RecordKind::observed;
    if (decision && row.reason == Reason::none) {
      violated(Invariant::no_reason, std::string(record_token(row.kind)) + " without a reason");
    }
    if (trace) trace(line_of(row));
  }
}

/// Checks at a start that the database has what agents were ordered, unless an earlier one was put
/// back.
void Oracle::check_remembered(const State& state) {
  if (std::exchange(world_.database_replaced, false)) return;
  for (const Cluster& cluster : state.clusters) {
    for (const SimulatedCluster& simulated : world_.clusters()) {
      const agent::Agent* agent = simulated.agent->agent();
      if (simulated.name != cluster.name || agent == nullptr || simulated.limits_in_doubt) continue;
      for (const agent::LeasedGroup& group : agent->book().groups()) {
        if (group.limits.seq <= cluster.seq) continue;
        violated(Invariant::forgotten,
                 cluster.name + " has order " + std::to_string(group.limits.seq) +
                     ", the database only knows up to " + std::to_string(cluster.seq));
      }
    }
  }
}

void Oracle::broker_stepped() {
  const State* state = world_.state();
  if (state == nullptr) return;
  if (reign_ != world_.reign()) {
    reign_ = world_.reign();
    if (world_.database_replaced || world_.of_several()) moved_.clear();
    check_remembered(*state);
    groups_.clear();  // an earlier copy of the database may have been put back
    seq_.clear();
  }
  check_peers(*state);
  note_unallocated(*state);
  for (const std::string& broken : violations(*state)) violated(Invariant::ledger_sum, broken);
  for (const std::string& wrong : test::wrong_lines(*state)) {
    violated(Invariant::ledger_sum, wrong);
  }
  for (const std::string& left_out : test::overlooked(*state)) {
    violated(Invariant::ledger_sum, left_out);
  }
  check_plans(*state);
  for (const SlotGroup& group : state->slot_groups) {
    if (group.phase != Phase::closed) check_group(*state, group, groups_[group.generation]);
  }
  seq_.resize(state->clusters.size());
  for (uint32_t c = 0; c < state->clusters.size(); ++c) {
    const Cluster& cluster = state->clusters[c];
    if (cluster.seq < seq_[c]) violated(Invariant::number_fell, "order number of " + cluster.name);
    seq_[c] = cluster.seq;
    for (const SimulatedCluster& simulated : world_.clusters()) {
      const agent::Agent* agent = simulated.agent->agent();
      if (simulated.name != cluster.name || agent == nullptr || simulated.limits_in_doubt) continue;
      check_held(*state, c, *agent);
    }
  }
}

/// Checks that the limit durable at the agent is at most what the ledger holds, in groups whose
/// ledger is known to be right.
void Oracle::check_held(const State& state, uint32_t cluster, const agent::Agent& agent) {
  const Cluster& known = state.clusters[cluster];
  if (known.contact != Contact::ok || known.session != agent.session().session()) return;
  for (const agent::LeasedGroup& leased : agent.book().groups()) {
    const uint32_t index = find_slot_group(state, leased.limits.generation);
    if (index == kNoIndex || leased.limits.seq == 0) continue;
    const SlotGroup& group = state.slot_groups[index];
    const uint32_t member = member_of(group, cluster);
    if (group.quarantined || member == kProvider) continue;
    for (uint32_t row = 0; row < leased.limits.hosts.size() && row < group.hosts.size(); ++row) {
      if (leased.limits.hosts[row].limit <= group.at(row, member).held) continue;
      violated(Invariant::limit_above_held,
               group_id(state, group) + " row " + std::to_string(row) + ": limit " +
                   std::to_string(leased.limits.hosts[row].limit) + " at " + known.name +
                   ", held " + std::to_string(group.at(row, member).held));
    }
  }
}

void Oracle::check_group(const State& state, const SlotGroup& group, GroupMemory& memory) {
  if (group.epoch < memory.epoch) {
    violated(Invariant::number_fell, "epoch of " + group_id(state, group));
  }
  const bool flips = group.resource_group == kNoIndex &&
                     state.policies[group.policy].config.rule == RuleKind::idle_comparison &&
                     memory.phase == Phase::active && group.phase == Phase::active;
  memory.consumer_held.resize(group.hosts.size());
  memory.in_transfer.resize(group.hosts.size());
  int32_t rose = 0;
  int32_t from_holder = 0;  // without slots that nobody held before: those of a forgotten cluster
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    int32_t held = 0;  // by consumers
    for (size_t m = kProvider + 1; m < group.members.size(); ++m) held += group.at(row, m).held;
    const int32_t gain = std::max(0, held - memory.consumer_held[row]);
    rose += gain;
    from_holder += std::max(0, gain - memory.in_transfer[row]);
    memory.in_transfer[row] = group.hosts[row].in_transfer;
    memory.consumer_held[row] = held;
  }
  if (flips && !memory.quarantined && !memory.gift && from_holder > 0) {
    violated(Invariant::no_inactive_phase, group_id(state, group) + " gained " +
                                               std::to_string(from_holder) + " slots while active");
  }
  memory.epoch = group.epoch;
  memory.phase = group.phase;
  // Slots that the end of a quarantine finds were not granted.
  const bool quarantined = memory.quarantined || group.quarantined;
  if (memory.breach && group.breach && !quarantined && rose > 0) {
    violated(Invariant::granted_in_breach, group_id(state, group) + rows_of(group));
  }
  check_drained(state, group, memory, rose);
  check_down(state, group, memory);
  check_whole(state, group, memory);
  check_indivisible(state, group, memory);
  check_horizons(state, group, memory);
  check_asleep(state, group, memory);
  check_demand(state, group, memory);
  memory.drained = state.clusters[group.members[kProvider].cluster].draining_exports;
  memory.breach = group.breach;
  memory.quarantined = group.quarantined;
  memory.gift = std::any_of(group.transfers.begin(), group.transfers.end(),
                            [](const Transfer& transfer) { return !transfer.inactive; });
  check_inactive(state, group, memory);
  if (live_ && !memory.converged) memory.converged = converged(state, group);
}

bool Oracle::all_connected(const State& state, const SlotGroup& group) {
  for (size_t m = 0; m < group.members.size(); ++m) {
    if (!connected(state, group, m)) return false;
  }
  return true;
}

void Oracle::check_inactive(const State& state, const SlotGroup& group, GroupMemory& memory) {
  const bool stuck = group.phase == Phase::inactive && all_connected(state, group) &&
                     !group.quarantined && !group.breach && !state.frozen;
  if (!stuck) {
    memory.inactive_since_ms = -1;
    return;
  }
  const int64_t now_ms = state.now.ms;
  if (memory.inactive_since_ms < 0) memory.inactive_since_ms = now_ms;
  // Release and grant may each time out once; an agent that became silent is noticed meanwhile.
  const int64_t bound_ms =
      2 * state.config.transfer_timeout_ms + state.config.agent_timeout_ms + 10'000;
  if (now_ms - memory.inactive_since_ms <= bound_ms) return;
  violated(Invariant::inactive_too_long,
           group_id(state, group) + " has been inactive for " +
               std::to_string((now_ms - memory.inactive_since_ms) / 1000) + " s");
}

}  // namespace leasehold::simulation
