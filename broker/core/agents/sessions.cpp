#include "broker/core/agents/sessions.hpp"

#include <algorithm>
#include <unordered_map>

#include "broker/core/agents/breach.hpp"
#include "broker/core/agents/forget_hosts.hpp"
#include "broker/core/agents/lease_bounds.hpp"
#include "broker/core/agents/quarantine.hpp"
#include "broker/core/agents/reported.hpp"
#include "broker/core/agents/stated_exports.hpp"
#include "broker/core/agents/takeover.hpp"
#include "broker/core/ledger/orders.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "broker/core/model/turn/restart.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

/// Ends what waits for answers in a group that skips quarantine, as if all members were lost at
/// once. The ledger stays, and each member gets it when it greets.
void go_on(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  if (group.phase == Phase::closed || group.quarantined || group.transfers.empty()) return;
  for (size_t m = 0; m < group.members.size(); ++m) member_lost(turn, index, m);
  group_changed(turn, index);
}

}  // namespace

void broker_started(Turn& turn, const BrokerStarted& event) {
  State& state = turn.state;
  state.started = turn.now;
  state.incarnation = event.incarnation;
  // Milliseconds since 1970, so that a new database never names a generation an old one used.
  // And at every start: this database may be an older copy, and what came after it gave numbers
  // too.
  const auto milliseconds = static_cast<uint64_t>(std::max<int64_t>(1, turn.now.ms));
  if (state.generation_next < milliseconds) {
    state.generation_next = milliseconds;
    state.dirty_config = true;
  }
  const bool warm = is_warm(event);
  forget_process(state, warm);
  for (Cluster& cluster : state.clusters) {
    if (LEASEHOLD_CANARY(order_numbers_start_again)) cluster.seq = 0;
  }
  for (SlotGroup& group : state.slot_groups) {
    if (LEASEHOLD_CANARY(no_quarantine)) group.quarantined = false;
  }
  stop_returning(state);
  for (Grid& grid : state.grids) {
    grid.next = next_on_grid(grid, turn.now);
    grid.cursor = 0;
  }
  for (ResourceGroupLedger& plan : state.resource_groups) plan.react_at = kNever;
  if (event.database_older) distrust_bounds(turn);
  derive(state);
  // The process before this one may have answered until it died.
  for (uint32_t c = 0; c < state.clusters.size(); ++c) count_down(turn, c, turn.now);
  for (uint32_t c = 0; c < state.clusters.size(); ++c) forget_hosts(turn, c);
  Record row;
  row.kind = RecordKind::broker_started;
  row.reason = event.database_older ? Reason::database_older : warm ? Reason::warm : Reason::none;
  row.numbers = {static_cast<int64_t>(state.slot_groups.size()), event.database_older ? 1 : 0};
  turn.out.records.push_back(row);
  turn.state_changed = true;
  for (uint32_t g = 0; warm && g < state.slot_groups.size(); ++g) go_on(turn, g);
}

namespace {

using StatedGroups = std::unordered_map<uint64_t, const wire::GroupState*>;

/// Leaves out groups that the state does not know, which nobody looks up here: a peer may choose
/// their numbers so that all of them share one bucket.
StatedGroups by_generation(const State& state, const wire::StateBlock& block) {
  StatedGroups groups;
  for (const wire::GroupState& group : block.groups) {
    if (find_slot_group(state, group.generation) == kNoIndex) continue;
    groups.emplace(group.generation, &group);
  }
  return groups;
}

/// Slot groups of which the cluster is a member and knows an order that this database never gave.
struct OlderGroups {
  std::vector<uint32_t> groups;
  uint64_t seq_stated = 0;  // the highest
};

/// A statement of a group of which the cluster is no member does not count.
OlderGroups older_groups(const State& state, uint32_t cluster, const wire::StateBlock& block) {
  OlderGroups older;
  for (const wire::GroupState& said : block.groups) {
    if (said.seq <= state.clusters[cluster].seq) continue;
    const uint32_t index = find_slot_group(state, said.generation);
    if (index == kNoIndex) continue;
    const bool member = member_of(state.slot_groups[index], cluster) != kNoIndex;
    if (!member && !LEASEHOLD_CANARY(trusts_any_order_number)) continue;
    older.groups.push_back(index);
    older.seq_stated = std::max(older.seq_stated, said.seq);
  }
  return older;
}

/// Slots of a lost member do not return by themselves: its later orders are unknown.
void doubt_lost_members(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  if (group.phase == Phase::closed) return;
  for (size_t m = 0; m < group.members.size(); ++m) {
    Member& member = group.members[m];
    member.doubted = member.doubted || !connected(turn.state, group, m);
  }
}

/// An order number that this database never gave: it is an older one (schema/wire/PROTOCOL.md,
/// "Broker start"). Only the groups that the number is of begin their quarantine again: who lies
/// about its own stops nobody else's.
void notice_older_database(Turn& turn, uint32_t cluster, const wire::StateBlock& block) {
  State& state = turn.state;
  const OlderGroups older = older_groups(state, cluster, block);
  if (older.groups.empty()) return;
  Record& row = record_cluster(turn, RecordKind::database_older, cluster, Reason::database_older);
  row.numbers = {static_cast<int64_t>(older.seq_stated),
                 static_cast<int64_t>(state.clusters[cluster].seq)};
  state.clusters[cluster].seq = older.seq_stated;
  for (const uint32_t index : older.groups) {
    doubt_lost_members(turn, index);
    begin_quarantine(turn, index);
    if (LEASEHOLD_CANARY(trusts_any_order_number)) end_quarantine_on_contact(turn, index);
  }
}

void take_rows(SlotGroup& group, size_t member, const wire::StateBlock& block,
               const wire::GroupState* stated) {
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    Holding& holding = group.at(row, member);
    // A provider's agent uses slots that it does not count as the group's as its own: it holds all
    // of them.
    holding.stated = member == kProvider ? group.hosts[row].exported : 0;
    holding.used = 0;
    holding.up = holding.confirmed = false;
    holding.down_since = kNever;
  }
  if (stated == nullptr) return;
  for (const wire::HostState& host : block.hosts_of(*stated)) {
    if (host.host >= group.hosts.size()) continue;
    Holding& holding = group.at(host.host, member);
    holding.stated = stated_limit(group, member, host);
    holding.used = std::min(host.used, holding.stated);
    holding.up = host.up;
  }
}

void hear_member(Turn& turn, uint32_t index, uint32_t cluster, const wire::StateBlock& block,
                 const StatedGroups& stated_groups) {
  SlotGroup& group = turn.group(index);
  const size_t m = member_of(group, cluster);
  const auto found = stated_groups.find(group.generation);
  const wire::GroupState* said = found == stated_groups.end() ? nullptr : found->second;
  Member& member = group.members[m];
  take_rows(group, m, block, said);
  member.seq_stated = 0;
  member.reported = false;
  set_breach(group, m, said == nullptr ? 0 : said->breach);
  member.known_since_start = true;
  member.doubted = false;
  member.trusted = (said == nullptr ? 0 : said->seq) >= member.seq;
  const bool used_before = member.ever_used;
  member.ever_used = member.ever_used || (said != nullptr && said->ever_used);
  if (!used_before && member.ever_used) lease_made(turn, index, m);
  group_changed(turn, index);
  issue_order(turn, index, m, true);
  end_quarantine_on_contact(turn, index);
}

}  // namespace

void agent_hello(Turn& turn, const AgentHello& event) {
  State& state = turn.state;
  const uint32_t index = find_cluster(state, event.cluster);
  if (state.clusters[index].contact == Contact::ok) agent_lost(turn, index, turn.now, false);
  lease_renewed(turn, index);
  Cluster& cluster = state.clusters[index];
  cluster.contact = Contact::ok;
  cluster.stopped = false;
  cluster.session = event.session;
  note_identity(cluster, event);
  cluster.state_id = event.state_id;
  cluster.boot = event.boot;
  cluster.self_expiring = event.self_expiring;
  cluster.fences = event.fences;
  cluster.program_version = event.program_version;
  cluster.chooses = event.chooses;
  cluster.scheduling = event.scheduling;
  cluster.demand.reset();  // the first report states it again, if the agent can
  cluster.ending.reset();
  cluster.idle_elsewhere.reset();
  cluster.idle_beside.reset();
  cluster.lease_bound_ms = event.lease_ms;  // and then what it is sent (lease_bounds.hpp)
  touch_cluster(turn, index);
  Record& row = record_cluster(turn, RecordKind::agent_up, index, Reason::none);
  row.numbers = {static_cast<int64_t>(event.boot),
                 event.has_state ? 1 : 0,
                 static_cast<int64_t>(event.state.groups.size()),
                 0,
                 0,
                 0};
  notice_older_database(turn, index, event.state);
  renew_configuration(turn, index);
  const std::vector<uint32_t> groups = cluster.slot_groups;
  const StatedGroups stated_groups = by_generation(state, event.state);
  keep_stated_exports(turn, index, event.state);
  for (uint32_t g : groups) hear_member(turn, g, index, event.state, stated_groups);
}

namespace {

/// Waiting for the lost member's answer, or for its taking, is over.
void group_lost(Turn& turn, uint32_t index, uint32_t cluster) {
  SlotGroup& group = turn.group(index);
  const size_t m = member_of(group, cluster);
  group.members[m].reported = false;  // what follows the log knows it by the cluster's image
  if (group.transfers.empty() && in_transfer(group) == 0) {
    // Nothing of it changes on disk: 100,000 leases may be lost at once.
    return surroundings_changed(turn.state, index);
  }
  member_lost(turn, index, m);
  turn.marks.add(index, Cause::member_lost);
  group_changed(turn, index);
}

}  // namespace

void agent_lost(Turn& turn, uint32_t index, Instant renewed_at, bool stopped) {
  Cluster& cluster = turn.state.clusters[index];
  cluster.contact = Contact::lost;
  cluster.stopped = stopped;
  cluster.session = 0;
  touch_cluster(turn, index);
  record_cluster(turn, RecordKind::agent_lost, index,
                 stopped ? Reason::agent_stopped : Reason::report_missing);
  const std::vector<uint32_t> groups = cluster.slot_groups;
  for (uint32_t g : groups) group_lost(turn, g, index);
  count_down(turn, index, renewed_at);
}

}  // namespace leasehold
