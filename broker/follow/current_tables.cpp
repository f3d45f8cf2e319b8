#include "broker/follow/current_tables.hpp"

#include <initializer_list>

#include "broker/core/model/free_hosts.hpp"

namespace leasehold {

namespace {

using Names = std::initializer_list<const char*>;

std::string listed(const Names& names, const char* prefix, const std::string& before = "") {
  std::string text = before;
  for (const char* name : names) {
    if (!text.empty()) text += ", ";
    text += prefix;
    text += name;
  }
  return text;
}

/// Inserts a row, or updates it if it differs, so that an unchanged row dirties no page.
std::string upsert(const std::string& table, const Names& keys, const Names& rest) {
  const std::string key = listed(keys, "");
  std::string places;
  std::string sets;
  for (size_t i = 0; i < keys.size() + rest.size(); ++i) places += i == 0 ? "?" : ", ?";
  for (const char* name : rest) {
    if (!sets.empty()) sets += ", ";
    sets += std::string(name) + " = excluded." + name;
  }
  return "INSERT INTO " + table + " (" + listed(rest, "", key) + ") VALUES (" + places +
         ") ON CONFLICT (" + key + ") DO UPDATE SET " + sets + " WHERE (" + listed(rest, "") +
         ") IS NOT (" + listed(rest, "excluded.") + ")";
}

std::optional<int64_t> index_or_null(uint32_t index) {
  if (index == kNoIndex) return std::nullopt;
  return int64_t{index};
}

bool same(const Grid& a, const Grid& b) {
  return a.delay_ms == b.delay_ms && a.anchor == b.anchor && a.next == b.next && a.last == b.last;
}

/// Compares all fields except the path, which never changes.
bool same(const PlanConsumerLedger& a, const PlanConsumerLedger& b) {
  return a.configured == b.configured && a.reason == b.reason && a.numbers == b.numbers &&
         a.evaluated_at == b.evaluated_at && a.gained_at == b.gained_at &&
         a.backoff_until == b.backoff_until && a.backoffs == b.backoffs;
}

}  // namespace

CurrentTables::CurrentTables(SQLite::Database& db)
    : configuration_(db, none_, upsert("configuration", {"one"}, {"name", "mode"})),
      policy_(db, none_,
              upsert("policy", {"number"},
                     {"name", "provider", "type", "rule", "configured", "open", "chosen",
                      "provider_number"})),
      grid_(db, none_, upsert("grid", {"number"}, {"delay_ms", "anchor_ms", "next_ms", "last_ms"})),
      cluster_(db, none_,
               upsert("cluster", {"number"},
                      {"name",
                       "configured",
                       "seq",
                       "draining_imports",
                       "state_id",
                       "boot",
                       "contact",
                       "session",
                       "configuration",
                       "pending",
                       "degraded",
                       "self_expiring",
                       "fences_memory",
                       "fences_swap",
                       "fences_resources",
                       "program_version",
                       "lease_bound_ms",
                       "machine",
                       "machine_boot",
                       "state_file",
                       "process",
                       "draining_exports"})),
      host_(db, none_,
            upsert("host", {"cluster", "number"},
                   {"name", "type", "model", "slots", "mem_mb", "swap_mb", "up", "present",
                    "closed", "closed_reclaim", "down_since_ms"})),
      host_gone_(db, none_, "DELETE FROM host WHERE cluster = ? AND number = ?"),
      hosts_gone_(db, none_, "DELETE FROM host WHERE cluster = ? AND number >= ?"),
      group_(db, none_,
             upsert("slot_group", {"generation"},
                    {"policy", "grid", "members", "hosts", "phase", "reason", "epoch", "since_ms",
                     "last_flip_ms", "evaluated_at_ms", "flips", "number_0", "number_1", "number_2",
                     "number_3", "number_4", "number_5", "quarantined", "plan"})),
      member_(db, none_,
              upsert("member", {"generation", "number"},
                     {"cluster", "seq", "ever_used", "seq_stated", "heard", "trusted", "breach",
                      "consumer"})),
      group_host_(
          db, none_,
          upsert("group_host", {"generation", "number"},
                 {"host", "exported", "target", "in_transfer", "unallocated", "just_exported"})),
      holding_(db, none_,
               upsert("holding", {"generation", "host", "member"},
                      {"held", "due", "ordered", "stated", "used", "up", "withheld"})),
      transfer_(db, none_,
                upsert("transfer", {"generation", "number"},
                       {"id", "from_member", "to_member", "lowering", "step", "reason", "inactive",
                        "slots_wanted", "slots_released", "since_ms", "deadline_ms", "grace_ms"})),
      transfer_gone_(db, none_, "DELETE FROM transfer WHERE generation = ? AND number >= ?"),
      plan_(db, none_,
            upsert("resource_group", {"number"},
                   {"name", "configured", "variant", "grid", "consumers", "pairs",
                    "evaluated_at_ms"})),
      consumer_(db, none_,
                upsert("plan_consumer", {"resource_group", "number"},
                       {"path", "configured", "reason", "demand", "allocated", "quota", "borrowed",
                        "lent", "shared", "evaluated_at_ms", "gained_at_ms", "backoff_until_ms",
                        "backoffs"})),
      pair_(db, none_,
            upsert("plan_pair", {"resource_group", "number"},
                   {"from_consumer", "to_consumer", "flips", "moved_at_ms", "in_a_row"})),
      pair_gone_(db, none_, "DELETE FROM plan_pair WHERE resource_group = ? AND number >= ?") {}

void CurrentTables::write(const State& state) {
  if (state.dirty_config) write_config(state);
  write_grids(state);
  if (state.dirty_clusters) write_clusters(state);
  if (state.dirty_resource_groups) write_plans(state);
  for (const uint32_t index : state.dirty_groups) write_group(state.slot_groups[index], index);
}

void CurrentTables::write_config(const State& state) {
  configuration_(1, state.config.name, token(state.config.mode));
  for (uint32_t number = 0; number < state.policies.size(); ++number) {
    const PolicyState& policy = state.policies[number];
    policy_(number, policy.config.name, policy.config.provider, token(policy.config.type),
            token(policy.config.rule), policy.configured, policy.open, policy.chosen,
            index_or_null(policy.provider));
  }
}

void CurrentTables::write_grids(const State& state) {
  grids_written_.resize(state.grids.size(), Grid{-1, {}, {}, {}, {}});
  for (uint32_t number = 0; number < state.grids.size(); ++number) {
    const Grid& grid = state.grids[number];
    Grid& written = grids_written_[number];
    if (same(grid, written)) continue;
    grid_(number, grid.delay_ms, grid.anchor.ms, grid.next.ms, grid.last.ms);
    written = {grid.delay_ms, grid.anchor, grid.next, grid.last, {}};
  }
}

void CurrentTables::write_clusters(const State& state) {
  for (uint32_t number = 0; number < state.clusters.size(); ++number) {
    const Cluster& of = state.clusters[number];
    if (of.dirty) {
      cluster_(number, of.name, of.configured, of.seq, of.draining_imports, of.state_id, of.boot,
               of.contact == Contact::ok ? "ok" : "lost", of.session, of.configuration, of.pending,
               of.degraded, of.self_expiring, of.fences.memory, of.fences.swap, of.fences.resources,
               of.program_version, of.lease_bound_ms, of.identity.machine, of.identity.boot,
               of.identity.file, of.identity.process, of.draining_exports);
    }
    if (of.hosts_dirty) write_hosts(number, of);
  }
}

void CurrentTables::write_hosts(uint32_t cluster, const Cluster& of) {
  hosts_gone_(cluster, of.hosts.size());
  for (uint32_t number = 0; number < of.hosts.size(); ++number) {
    const Host& host = of.hosts[number];
    if (is_free(host)) {
      host_gone_(cluster, number);
      continue;
    }
    const wire::HostFacts& facts = host.facts;
    host_(cluster, number, facts.name, facts.type, facts.model, facts.slots, facts.mem_mb,
          facts.swap_mb, facts.up, host.present, host.closed, host.closed_reclaim, host.down_since);
  }
}

void CurrentTables::write_plans(const State& state) {
  consumers_written_.resize(state.resource_groups.size());
  for (uint32_t number = 0; number < state.resource_groups.size(); ++number) {
    if (state.resource_groups[number].dirty) write_plan(state.resource_groups[number], number);
  }
}

void CurrentTables::write_plan(const ResourceGroupLedger& plan, uint32_t number) {
  plan_(number, plan.name, plan.configured, plan.variant, plan.grid, plan.consumers.size(),
        plan.pairs.size(), plan.evaluated_at);
  write_consumers(plan, number);
  for (uint32_t i = 0; i < plan.pairs.size(); ++i) {
    const PairFlips& pair = plan.pairs[i];
    pair_(number, i, pair.from, pair.to, pair.flips, pair.moved_at.ms, pair.in_a_row);
  }
  pair_gone_(number, plan.pairs.size());
}

/// An evaluation changes few of a plan's many consumers: only those are written.
void CurrentTables::write_consumers(const ResourceGroupLedger& plan, uint32_t number) {
  std::vector<PlanConsumerLedger>& written = consumers_written_[number];
  for (uint32_t i = 0; i < plan.consumers.size(); ++i) {
    const PlanConsumerLedger& of = plan.consumers[i];
    if (i < written.size() && same(of, written[i])) continue;
    const auto& n = of.numbers;
    consumer_(number, i, of.path, of.configured, token(of.reason), n[0], n[1], n[2], n[3], n[4],
              n[5], of.evaluated_at, of.gained_at, of.backoff_until, of.backoffs);
    if (i == written.size()) written.emplace_back();
    written[i] = of;
  }
}

void CurrentTables::write_group(const SlotGroup& group, uint32_t index) {
  const Numbers::All n = group.numbers;
  group_(group.generation, index_or_null(group.policy), group.grid, group.members.size(),
         group.hosts.size(), token(group.phase), token(group.reason), group.epoch, group.since.ms,
         group.last_flip, group.evaluated_at, group.flips, n[0], n[1], n[2], n[3], n[4], n[5],
         group.quarantined, index_or_null(group.resource_group));
  for (uint32_t host = 0; host < group.hosts.size(); ++host) {
    const HostLedger& row = group.hosts[host];
    group_host_(group.generation, host, row.host, row.exported, row.target, row.in_transfer,
                row.unallocated, row.just_exported);
  }
  if (group.resource_group != kNoIndex) {
    RowsWritten& written = rows_written_[index];
    const size_t rows = group.holdings.size();
    // With other members or hosts the positions have another meaning.
    if (written.holdings.size() != rows || written.members.size() != group.members.size()) {
      written = {};
    }
  }
  write_members(group, index);
  write_holdings(group, index);
  write_transfers(group, index);
}

namespace {

bool same(const Member& a, const Member& b) {
  return a.cluster == b.cluster && a.seq == b.seq && a.ever_used == b.ever_used &&
         a.seq_stated == b.seq_stated && a.heard == b.heard && a.trusted == b.trusted &&
         a.breach == b.breach && a.plan_consumer == b.plan_consumer;
}

bool same(const Holding& a, const Holding& b) {
  return a.held == b.held && a.due == b.due && a.ordered == b.ordered && a.stated == b.stated &&
         a.used == b.used && a.up == b.up && a.withheld == b.withheld;
}

/// Calls write(position) for the rows that differ from `written`, and copies them there.
template <class Listed, class Write>
void write_changed(const Listed& rows, Listed& written, const Write& write) {
  for (uint32_t place = 0; place < rows.size(); ++place) {
    const bool first = place == written.size();
    if (!first && same(rows[place], written[place])) continue;
    write(place);
    if (first) written.emplace_back();
    written[place] = rows[place];
  }
}

}  // namespace

void CurrentTables::write_members(const SlotGroup& group, uint32_t index) {
  const auto write = [&](uint32_t number) {
    const Member& member = group.members[number];
    member_(group.generation, number, member.cluster, member.seq, member.ever_used,
            member.seq_stated, member.heard, member.trusted, member.breach,
            index_or_null(member.plan_consumer));
  };
  if (group.resource_group != kNoIndex) {
    return write_changed(group.members, rows_written_[index].members, write);
  }
  for (uint32_t number = 0; number < group.members.size(); ++number) write(number);
}

void CurrentTables::write_holdings(const SlotGroup& group, uint32_t index) {
  const auto write = [&](uint32_t place) {
    const Holding& holding = group.holdings[place];
    holding_(group.generation, place / group.members.size(), place % group.members.size(),
             holding.held, holding.due, holding.ordered, holding.stated, holding.used, holding.up,
             holding.withheld);
  };
  if (group.resource_group != kNoIndex) {
    return write_changed(group.holdings, rows_written_[index].holdings, write);
  }
  for (uint32_t place = 0; place < group.holdings.size(); ++place) write(place);
}

void CurrentTables::write_transfers(const SlotGroup& group, uint32_t index) {
  if (index >= no_transfers_.size()) no_transfers_.resize(index + 1);
  if (no_transfers_[index] && group.transfers.empty()) return;
  for (uint32_t number = 0; number < group.transfers.size(); ++number) {
    const Transfer& open = group.transfers[number];
    transfer_(group.generation, number, open.id, open.from, open.to, token(open.lowering),
              token(open.step), token(open.reason), open.inactive, open.slots_wanted,
              open.slots_released, open.since.ms, open.deadline, open.grace_ms);
  }
  transfer_gone_(group.generation, group.transfers.size());
  no_transfers_[index] = group.transfers.empty();
}

void mark_all(State& state) {
  state.dirty_config = state.dirty_clusters = state.dirty_resource_groups = true;
  for (Cluster& cluster : state.clusters) cluster.dirty = cluster.hosts_dirty = true;
  for (ResourceGroupLedger& plan : state.resource_groups) plan.dirty = true;
  state.dirty_groups.clear();
  for (uint32_t index = 0; index < state.slot_groups.size(); ++index) {
    state.slot_groups[index].dirty = true;
    state.dirty_groups.push_back(index);
  }
}

}  // namespace leasehold
