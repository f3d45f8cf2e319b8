// Rows to State. The four tables of the groups are read side by side in the order of their keys:
// one pass, no look-up, no map.
#include <cstring>

#include "broker/core/model/derive.hpp"
#include "broker/record/event_codec.hpp"
#include "broker/record/history_snapshot.hpp"
#include "broker/store/sqlite/rows.hpp"
#include "broker/store/sqlite/tables.hpp"

namespace leasehold {

namespace {

template <class E>
bool read_token(std::string_view text, E& value) {
  const std::optional<E> found = from_token<E>(text);
  value = found.value_or(value);
  return found.has_value();
}

Status load_configuration(SQLite::Database& db, State& state) {
  Rows rows(db, "SELECT config, windows FROM configuration");
  if (!rows.next()) return {};
  Result<BrokerConfig> config = decode_config(rows.bytes());
  if (!config) return tl::unexpected(config.error());
  Result<ResolvedWindows> windows = decode_windows(rows.bytes());
  if (!windows) return tl::unexpected(windows.error());
  state.config = std::move(*config);
  state.windows = std::move(*windows);
  return {};
}

Status load_policies(SQLite::Database& db, State& state) {
  Rows rows(db,
            "SELECT number, configured, open, chosen, provider_number, config, due FROM policy "
            "ORDER BY number");
  while (rows.next()) {
    if (rows.integer() != static_cast<int64_t>(state.policies.size())) return odd("table policy");
    PolicyState& policy = state.policies.emplace_back();
    rows.take(policy.configured);
    rows.take(policy.open);
    rows.take(policy.chosen);
    rows.take_index(policy.provider);
    if (Status done = decode_policy_config(rows.bytes(), policy.config); !done) return done;
    if (Status done = decode_due(rows.bytes(), policy.due); !done) return done;
    if (policy.provider != kNoIndex && policy.provider >= state.clusters.size()) {
      return odd("policy " + policy.config.name);
    }
  }
  return {};
}

Status load_grids(SQLite::Database& db, State& state) {
  Rows rows(db, "SELECT number, delay_ms, anchor_ms, next_ms, last_ms FROM grid ORDER BY number");
  while (rows.next()) {
    if (rows.integer() != static_cast<int64_t>(state.grids.size())) return odd("table grid");
    Grid& grid = state.grids.emplace_back();
    rows.take(grid.delay_ms);
    rows.take(grid.anchor.ms);
    rows.take(grid.next.ms);
    rows.take(grid.last.ms);
  }
  return {};
}

Status load_clusters(SQLite::Database& db, State& state) {
  Rows rows(
      db,
      "SELECT number, name, configured, seq, draining_imports, state_id, boot, contact, session, "
      "configuration, pending, degraded, self_expiring, fences_memory, fences_swap, "
      "fences_resources, program_version, lease_bound_ms, machine, machine_boot, state_file, "
      "process, draining_exports, imports_order, exports_order, work FROM cluster ORDER BY number");
  while (rows.next()) {
    if (rows.integer() != static_cast<int64_t>(state.clusters.size())) return odd("table cluster");
    Cluster& cluster = state.clusters.emplace_back();
    rows.take(cluster.name);
    rows.take(cluster.configured);
    rows.take(cluster.seq);
    rows.take(cluster.draining_imports);
    rows.take(cluster.state_id);
    rows.take(cluster.boot);
    cluster.contact = rows.bytes() == "ok" ? Contact::ok : Contact::lost;
    rows.take(cluster.session);
    rows.take(cluster.configuration);
    rows.take(cluster.pending);
    rows.take(cluster.degraded);
    rows.take(cluster.self_expiring);
    rows.take(cluster.fences.memory);
    rows.take(cluster.fences.swap);
    rows.take(cluster.fences.resources);
    rows.take(cluster.program_version);
    rows.take(cluster.lease_bound_ms);
    rows.take(cluster.identity.machine);
    rows.take(cluster.identity.boot);
    rows.take(cluster.identity.file);
    rows.take(cluster.identity.process);
    rows.take(cluster.draining_exports);
    if (Status done = decode_order(rows.bytes(), cluster.imports_order); !done) return done;
    if (Status done = decode_order(rows.bytes(), cluster.exports_order); !done) return done;
    if (Status done = decode_work(rows.bytes(), cluster); !done) return done;
  }
  return {};
}

Status load_hosts(SQLite::Database& db, State& state) {
  Rows rows(db,
            "SELECT cluster, number, name, type, model, slots, mem_mb, swap_mb, up, present, "
            "closed, closed_reclaim, extra, down_since_ms FROM host ORDER BY cluster, number");
  while (rows.next()) {
    const auto cluster = static_cast<size_t>(rows.integer());
    if (cluster >= state.clusters.size()) return odd("table host");
    std::vector<Host>& hosts = state.clusters[cluster].hosts;
    if (rows.integer() != static_cast<int64_t>(hosts.size())) return odd("table host");
    Host& host = hosts.emplace_back();
    rows.take(host.facts.name);
    rows.take(host.facts.type);
    rows.take(host.facts.model);
    rows.take(host.facts.slots);
    rows.take(host.facts.mem_mb);
    rows.take(host.facts.swap_mb);
    rows.take(host.facts.up);
    rows.take(host.present);
    rows.take(host.closed);
    rows.take(host.closed_reclaim);
    if (Status done = decode_host_extra(rows.bytes(), host); !done) return done;
    rows.take_instant(host.down_since, kNotYet);
  }
  return {};
}

/// The five tables of the groups, each standing at its next row.
struct GroupRows {
  explicit GroupRows(SQLite::Database& db)
      : groups(db,
               "SELECT generation, policy, grid, members, hosts, phase, reason, epoch, since_ms, "
               "last_flip_ms, evaluated_at_ms, flips, number_0, number_1, number_2, number_3, "
               "number_4, number_5, quarantined, plan FROM slot_group ORDER BY generation"),
        members(db,
                "SELECT generation, number, cluster, seq, ever_used, seq_stated, heard, trusted, "
                "breach, consumer FROM member ORDER BY generation, number"),
        hosts(db,
              "SELECT generation, number, host, exported, target, in_transfer, unallocated, "
              "just_exported FROM group_host ORDER BY generation, number"),
        holdings(
            db,
            "SELECT generation, host, member, held, due, ordered, stated, used, up, withheld FROM "
            "holding ORDER BY generation, host, member"),
        transfers(db,
                  "SELECT generation, number, id, from_member, to_member, lowering, step, reason, "
                  "inactive, slots_wanted, slots_released, since_ms, deadline_ms, wanted, "
                  "grace_ms FROM transfer ORDER BY generation, number") {
    transfer_of = transfers.next() ? transfers.integer() : -1;
  }
  Rows groups, members, hosts, holdings, transfers;
  int64_t transfer_of = -1;  // generation that the row of `transfers` belongs to
};

bool read_group(Rows& rows, SlotGroup& group, size_t& members, size_t& hosts) {
  rows.take(group.generation);
  rows.take_index(group.policy);
  rows.take(group.grid);
  rows.take(members);
  rows.take(hosts);
  if (!read_token(rows.bytes(), group.phase)) return false;
  if (!find_reason(rows.bytes(), group.reason)) return false;
  rows.take(group.epoch);
  rows.take(group.since.ms);
  rows.take_instant(group.last_flip, kNotYet);
  rows.take_instant(group.evaluated_at, kNotYet);
  rows.take(group.flips);
  for (int64_t& number : group.numbers) rows.take(number);
  rows.take(group.quarantined);
  rows.take_index(group.resource_group);
  return true;
}

bool at_row(Rows& rows, uint64_t generation, size_t number) {
  return rows.next() && rows.integer() == static_cast<int64_t>(generation) &&
         rows.integer() == static_cast<int64_t>(number);
}

bool read_members(Rows& rows, SlotGroup& group, size_t count) {
  group.members.reserve(count);
  for (size_t number = 0; number < count; ++number) {
    if (!at_row(rows, group.generation, number)) return false;
    Member& member = group.members.emplace_back();
    rows.take(member.cluster);
    rows.take(member.seq);
    rows.take(member.ever_used);
    rows.take(member.seq_stated);
    rows.take(member.heard);
    rows.take(member.trusted);
    rows.take(member.breach);
    rows.take_index(member.plan_consumer);
  }
  return true;
}

bool read_holdings(Rows& rows, SlotGroup& group, size_t host) {
  for (size_t member = 0; member < group.members.size(); ++member) {
    if (!at_row(rows, group.generation, host)) return false;
    if (rows.integer() != static_cast<int64_t>(member)) return false;
    Holding& holding = group.holdings.emplace_back();
    rows.take(holding.held);
    rows.take(holding.due);
    rows.take(holding.ordered);
    rows.take(holding.stated);
    rows.take(holding.used);
    rows.take(holding.up);
    rows.take(holding.withheld);
  }
  return true;
}

bool read_hosts(GroupRows& rows, SlotGroup& group, size_t count) {
  group.hosts.reserve(count);
  group.holdings.reserve(count * group.members.size());
  for (size_t number = 0; number < count; ++number) {
    if (!at_row(rows.hosts, group.generation, number)) return false;
    HostLedger& host = group.hosts.emplace_back();
    rows.hosts.take(host.host);
    rows.hosts.take(host.exported);
    rows.hosts.take(host.target);
    rows.hosts.take(host.in_transfer);
    rows.hosts.take(host.unallocated);
    rows.hosts.take(host.just_exported);
    if (!read_holdings(rows.holdings, group, number)) return false;
  }
  return true;
}

bool read_transfer(Rows& rows, SlotGroup& group) {
  if (rows.integer() != static_cast<int64_t>(group.transfers.size())) return false;
  Transfer& open = group.transfers.emplace_back();
  rows.take(open.id);
  rows.take(open.from);
  rows.take(open.to);
  if (!read_token(rows.bytes(), open.lowering)) return false;
  if (!read_token(rows.bytes(), open.step)) return false;
  if (!find_reason(rows.bytes(), open.reason)) return false;
  rows.take(open.inactive);
  rows.take(open.slots_wanted);
  rows.take(open.slots_released);
  rows.take(open.since.ms);
  rows.take_instant(open.deadline, kNever);
  if (!decode_wanted(rows.bytes(), open.wanted)) return false;
  rows.take(open.grace_ms);
  return true;
}

bool read_transfers(GroupRows& rows, SlotGroup& group) {
  while (rows.transfer_of == static_cast<int64_t>(group.generation)) {
    if (!read_transfer(rows.transfers, group)) return false;
    rows.transfer_of = rows.transfers.next() ? rows.transfers.integer() : -1;
  }
  return true;
}

Status load_groups(SQLite::Database& db, State& state) {
  state.slot_groups.reserve(
      static_cast<size_t>(db.execAndGet("SELECT count(*) FROM slot_group").getInt64()));
  GroupRows rows(db);
  while (rows.groups.next()) {
    SlotGroup& group = state.slot_groups.emplace_back();
    size_t members = 0;
    size_t hosts = 0;
    const bool sound = read_group(rows.groups, group, members, hosts) &&
                       read_members(rows.members, group, members) &&
                       read_hosts(rows, group, hosts) && read_transfers(rows, group);
    if (!sound) return odd("slot group " + std::to_string(group.generation));
  }
  if (rows.members.next() || rows.hosts.next() || rows.holdings.next() || rows.transfer_of != -1) {
    return odd("a row of a slot group that is not there");
  }
  return {};
}

Status load_head(SQLite::Database& db, State& state) {
  Rows rows(db,
            "SELECT now_ms, started_ms, incarnation, generation_next, transfer_next, frozen, "
            "freeze_order FROM broker");
  if (!rows.next()) return {};
  rows.take(state.now.ms);
  rows.take(state.started.ms);
  rows.take(state.incarnation);
  rows.take(state.generation_next);
  rows.take(state.transfer_next);
  rows.take(state.frozen);
  return decode_order(rows.bytes(), state.freeze_order);
}

}  // namespace

Status load_tables(SQLite::Database& db, State& state) {
  if (Status done = load_head(db, state); !done) return done;
  if (Status done = load_configuration(db, state); !done) return done;
  if (Status done = load_clusters(db, state); !done) return done;
  if (Status done = load_hosts(db, state); !done) return done;
  if (Status done = load_policies(db, state); !done) return done;
  if (Status done = load_grids(db, state); !done) return done;
  if (Status done = load_plans(db, state); !done) return done;
  if (Status done = load_groups(db, state); !done) return done;
  if (Status done = check_indices(state); !done) return done;
  derive(state);
  return {};
}

}  // namespace leasehold
