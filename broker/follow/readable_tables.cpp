#include "broker/follow/readable_tables.hpp"

#include "broker/core/model/queries/vacant_hosts.hpp"
#include "broker/follow/readable_schema.hpp"

namespace leasehold {

namespace {

constexpr uint32_t kGroupsAtOnce = 4'096;

std::optional<int64_t> index_or_null(uint32_t index) {
  if (index == kNoIndex) return std::nullopt;
  return int64_t{index};
}

}  // namespace

ReadableTables::ReadableTables(SQLite::Database& db) : db_(db) {
  db_.exec(readable_schema().sql);
  db_.exec("PRAGMA application_id = " + std::to_string(kReadableId));
}

Writing& ReadableTables::insert(std::string_view table, size_t columns) {
  const auto found = inserts_.find(table);
  if (found != inserts_.end()) return found->second;
  std::string sql = "INSERT INTO " + std::string(table) + " VALUES (?";
  for (size_t column = 1; column < columns; ++column) sql += ", ?";
  return inserts_.try_emplace(table, db_, none_, sql + ")").first->second;
}

void ReadableTables::add_event(const HistoryRow& row) {
  add("event", row.id, row.batch, row.time.ms, row.kind, TextOrNull{row.lease}, row.generation,
      row.epoch, TextOrNull{row.cluster}, TextOrNull{row.reason}, row.slots, TextOrNull{row.from},
      TextOrNull{row.to}, TextOrNull{row.numbers}, TextOrNull{row.by}, TextOrNull{row.rule_reason});
}

Status ReadableTables::write(const State& state, const TablesHead& head,
                             const std::function<Status()>& go_on) {
  write_configuration(state);
  for (uint32_t i = 0; i < state.clusters.size(); ++i) write_cluster(state.clusters[i], i);
  for (uint32_t i = 0; i < state.resource_groups.size(); ++i) {
    write_plan(state.resource_groups[i], i);
  }
  for (uint32_t i = 0; i < state.slot_groups.size(); ++i) {
    if (i % kGroupsAtOnce == 0) {
      if (Status done = go_on(); !done) return done;
    }
    write_group(state.slot_groups[i]);
  }
  add("broker", 1, head.batch, head.last_event, state.now.ms, state.started.ms, state.incarnation,
      state.generation_next, state.transfer_next, state.frozen);
  add("follows", 1, readable_schema().number, head.last_event, head.batch, hex(head.hash),
      head.inode, head.made.ms);
  return {};
}

void ReadableTables::write_configuration(const State& state) {
  add("configuration", 1, state.config.name, token(state.config.mode));
  for (uint32_t number = 0; number < state.policies.size(); ++number) {
    const PolicyState& policy = state.policies[number];
    add("policy", number, policy.config.name, policy.config.provider, token(policy.config.type),
        token(policy.config.rule), policy.configured, policy.open, policy.chosen,
        index_or_null(policy.provider));
  }
  for (uint32_t number = 0; number < state.grids.size(); ++number) {
    const Grid& grid = state.grids[number];
    add("grid", number, grid.delay_ms, grid.anchor.ms, grid.next.ms, grid.last.ms);
  }
}

void ReadableTables::write_cluster(const Cluster& of, uint32_t number) {
  add("cluster", number, of.name, of.configured, of.seq, of.draining_imports, of.state_id, of.boot,
      of.contact == Contact::ok ? "ok" : "lost", of.session, of.configuration, of.pending,
      of.degraded, of.self_expiring, of.fences.memory, of.fences.swap, of.fences.resources,
      of.program_version, of.lease_bound_ms, of.identity.machine, of.identity.boot,
      of.identity.file, of.identity.process, of.draining_exports);
  write_hosts(of, number);
}

void ReadableTables::write_hosts(const Cluster& of, uint32_t cluster) {
  for (uint32_t number = 0; number < of.hosts.size(); ++number) {
    const Host& host = of.hosts[number];
    if (is_vacant(host)) continue;
    const wire::HostFacts& facts = host.facts;
    add("host", cluster, number, facts.name, facts.type, facts.model, facts.slots, facts.mem_mb,
        facts.swap_mb, facts.up, host.present, host.closed, host.closed_reclaim, host.down_since);
  }
}

void ReadableTables::write_plan(const ResourceGroupLedger& plan, uint32_t number) {
  add("resource_group", number, plan.name, plan.configured, plan.variant, plan.grid,
      plan.consumers.size(), plan.pairs.size(), plan.evaluated_at);
  for (uint32_t i = 0; i < plan.consumers.size(); ++i) {
    const PlanConsumerLedger& of = plan.consumers[i];
    const auto& n = of.numbers;
    add("plan_consumer", number, i, of.path, of.configured, token(of.reason), n[0], n[1], n[2],
        n[3], n[4], n[5], of.evaluated_at, of.gained_at, of.backoff_until, of.backoffs);
  }
  for (uint32_t i = 0; i < plan.pairs.size(); ++i) {
    const PairFlips& pair = plan.pairs[i];
    add("plan_pair", number, i, pair.from, pair.to, pair.flips, pair.moved_at.ms, pair.in_a_row);
  }
}

void ReadableTables::write_group(const SlotGroup& group) {
  const Numbers::All n = group.numbers;
  add("slot_group", group.generation, index_or_null(group.policy), group.grid, group.members.size(),
      group.hosts.size(), token(group.phase), token(group.reason), group.epoch, group.since.ms,
      group.last_flip, group.evaluated_at, group.flips, n[0], n[1], n[2], n[3], n[4], n[5],
      group.quarantined, index_or_null(group.resource_group));
  write_members(group);
  write_holdings(group);
  write_transfers(group);
}

void ReadableTables::write_members(const SlotGroup& group) {
  for (uint32_t number = 0; number < group.members.size(); ++number) {
    const Member& member = group.members[number];
    add("member", group.generation, number, member.cluster, member.seq, member.ever_used,
        member.seq_stated, member.known_since_start, member.trusted, member.breach,
        index_or_null(member.plan_consumer));
  }
}

void ReadableTables::write_holdings(const SlotGroup& group) {
  for (uint32_t host = 0; host < group.hosts.size(); ++host) {
    const HostLedger& row = group.hosts[host];
    add("group_host", group.generation, host, row.host, row.exported, row.target, row.in_transfer,
        row.unallocated, row.just_exported);
    for (uint32_t member = 0; member < group.members.size(); ++member) {
      const Holding& of = group.at(host, member);
      add("holding", group.generation, host, member, of.held, of.ordered, of.stated, of.used, of.up,
          of.due, of.withheld);
    }
  }
}

void ReadableTables::write_transfers(const SlotGroup& group) {
  for (uint32_t number = 0; number < group.transfers.size(); ++number) {
    const Transfer& open = group.transfers[number];
    add("transfer", group.generation, number, open.id, open.from, open.to, token(open.lowering),
        token(open.step), token(open.reason), open.inactive, open.slots_wanted, open.slots_released,
        open.since.ms, open.deadline, open.grace_ms);
  }
}

}  // namespace leasehold
