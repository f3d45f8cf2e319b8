#include "agent/io/state/usage_tables.hpp"

#include "agent/workload/support/kept_row.hpp"

namespace leasehold::agent {

namespace {

int64_t kept_slot_ms(const KeptRow& row, int column) {
  return row.number(column, 0, wire::kSlotMsMost);
}

void load_open(SQLite::Database& db, SavedUsage& usage) {
  SQLite::Statement groups(db,
                           "select generation, since_ms, counted_ms, slots, total_slot_ms "
                           "from usage_open order by generation");
  while (groups.executeStep()) {
    const KeptRow row(groups, "usage_open");
    OpenUsage& open = usage.open.emplace_back();
    open.generation = row.bits(0);
    open.since_ms = row.number(1, 0, wire::kUsedUntilMsMost / 2);
    open.counted_ms = row.length_ms(2);
    open.slots = row.number(3, 0, wire::kSlotMsMost);
    open.total_slot_ms = kept_slot_ms(row, 4);
  }
  SQLite::Statement parts(db,
                          "select generation, session, user, account, slot_ms from usage_open_by");
  while (parts.executeStep()) {
    const KeptRow row(parts, "usage_open_by");
    for (OpenUsage& open : usage.open) {
      if (open.generation != row.bits(0)) continue;
      open.slot_ms[{row.text(1), row.text(2), row.text(3)}] = kept_slot_ms(row, 4);
    }
  }
}

void load_closed(SQLite::Database& db, SavedUsage& usage) {
  SQLite::Statement rows(db,
                         "select number, generation, since_ms, until_ms, others_slot_ms, "
                         "unnamed_slot_ms from usage_closed order by number");
  while (rows.executeStep()) {
    const KeptRow row(rows, "usage_closed");
    wire::UsedSlots& used = usage.closed.emplace_back();
    used.number = row.counter(0);
    used.generation = row.bits(1);
    used.since_ms = row.number(2, 0, wire::kUsedUntilMsMost);
    used.until_ms = row.number(3, 0, wire::kUsedUntilMsMost);
    used.others_slot_ms = kept_slot_ms(row, 4);
    used.unnamed_slot_ms = kept_slot_ms(row, 5);
  }
  SQLite::Statement parts(db,
                          "select number, session, user, account, slot_ms from usage_closed_by "
                          "order by number, slot_ms desc, session, user, account");
  size_t at = 0;
  while (parts.executeStep()) {
    const KeptRow row(parts, "usage_closed_by");
    while (at < usage.closed.size() && usage.closed[at].number < row.counter(0)) ++at;
    if (at == usage.closed.size() || usage.closed[at].number != row.counter(0)) continue;
    usage.closed[at].by.push_back({row.text(1), row.text(2), row.text(3), kept_slot_ms(row, 4)});
  }
}

void put_by(SQLite::Statement& put, int64_t of, const UsageKey& key, int64_t slot_ms) {
  put.bind(1, of);
  put.bind(2, key.session);
  put.bind(3, key.user);
  put.bind(4, key.account);
  put.bind(5, slot_ms);
  put.exec();
  put.reset();
}

}  // namespace

SavedUsage load_usage(SQLite::Database& db) {
  SavedUsage usage;
  if (!db.tableExists("usage_open")) return usage;
  load_open(db, usage);
  load_closed(db, usage);
  SQLite::Statement agent(db, "select usage_number, usage_saved_ms, usage_listed_ms from agent");
  if (!agent.executeStep()) return usage;
  const KeptRow row(agent, "agent");
  usage.last_number = row.counter(0);
  usage.saved_ms = row.time_ms(1);
  if (!row.null(2)) usage.listed_at = Instant{row.time_ms(2)};
  return usage;
}

void put_open_usage(SQLite::Database& db, const SavedUsage& usage) {
  db.exec("delete from usage_open; delete from usage_open_by");
  SQLite::Statement group(db, "insert into usage_open values (?, ?, ?, ?, ?)");
  SQLite::Statement by(db, "insert into usage_open_by values (?, ?, ?, ?, ?)");
  for (const OpenUsage& open : usage.open) {
    const auto generation = static_cast<int64_t>(open.generation);
    group.bind(1, generation);
    group.bind(2, open.since_ms);
    group.bind(3, open.counted_ms);
    group.bind(4, open.slots);
    group.bind(5, open.total_slot_ms);
    group.exec();
    group.reset();
    for (const auto& [key, slot_ms] : open.slot_ms) put_by(by, generation, key, slot_ms);
  }
  SQLite::Statement agent(db,
                          "update agent set usage_number = ?, usage_saved_ms = ?, "
                          "usage_listed_ms = ?");
  agent.bind(1, static_cast<int64_t>(usage.last_number));
  agent.bind(2, usage.saved_ms);
  if (usage.listed_at) agent.bind(3, usage.listed_at->ms);  // else null
  agent.exec();
}

void put_closed_usage(SQLite::Database& db, const SavedUsage& usage) {
  db.exec("delete from usage_closed; delete from usage_closed_by");
  SQLite::Statement put(db, "insert into usage_closed values (?, ?, ?, ?, ?, ?)");
  SQLite::Statement by(db, "insert into usage_closed_by values (?, ?, ?, ?, ?)");
  for (const wire::UsedSlots& used : usage.closed) {
    const auto number = static_cast<int64_t>(used.number);
    put.bind(1, number);
    put.bind(2, static_cast<int64_t>(used.generation));
    put.bind(3, used.since_ms);
    put.bind(4, used.until_ms);
    put.bind(5, used.others_slot_ms);
    put.bind(6, used.unnamed_slot_ms);
    put.exec();
    put.reset();
    for (const wire::UsedBy& part : used.by) {
      put_by(by, number, {part.session, part.user, part.account}, part.slot_ms);
    }
  }
}

}  // namespace leasehold::agent
