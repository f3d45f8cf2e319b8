#include "broker/follow/readable_tables.hpp"

#include "broker/follow/readable_schema.hpp"

namespace leasehold {

namespace {

/// Returns false if the text is not a hash of 64 digits.
bool read_hex(const std::string& text, Hash& hash) {
  if (text.size() != 2 * hash.size()) return false;
  for (size_t i = 0; i < hash.size(); ++i) {
    const size_t digits = text.find_first_not_of("0123456789abcdef", 2 * i);
    if (digits < 2 * i + 2) return false;
    hash[i] = static_cast<unsigned char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  }
  return true;
}

}  // namespace

void make_readable_tables(SQLite::Database& db) {
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  db.exec(readable_schema().sql);
  db.exec("PRAGMA application_id = " + std::to_string(kReadableId));
  transaction.commit();
}

std::optional<Follows> tables_follow(SQLite::Database& db, uint64_t inode) {
  if (db.execAndGet("PRAGMA application_id").getInt() != kReadableId) return std::nullopt;
  if (!db.tableExists("follows")) return std::nullopt;
  SQLite::Statement query(
      db, "SELECT last_event, batch, hash FROM follows WHERE schema = ? AND inode = ?");
  query.bind(1, readable_schema().number);
  query.bind(2, static_cast<int64_t>(inode));
  if (!query.executeStep()) return std::nullopt;
  Follows follows{query.getColumn(0).getInt64(), query.getColumn(1).getInt64(), {}};
  if (!read_hex(query.getColumn(2).getString(), follows.hash)) return std::nullopt;
  return follows;
}

ReadableTables::ReadableTables(SQLite::Database& db, uint64_t inode)
    : db_(db),
      inode_(inode),
      current_(db),
      event_(db, none_, "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      event_gone_(db, none_, "DELETE FROM event WHERE id < ?"),
      broker_(db, none_, "INSERT OR REPLACE INTO broker VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)"),
      follows_(db, none_, "INSERT OR REPLACE INTO follows VALUES (1, ?, ?, ?, ?, ?)") {}

void ReadableTables::write(std::span<const HistoryRow> events, int64_t first_event,
                           const State& state, const Follows& follows) {
  SQLite::Transaction transaction(db_, SQLite::TransactionBehavior::IMMEDIATE);
  for (const HistoryRow& row : events) write_event(row);
  event_gone_(first_event);
  current_.write(state);
  write_head(state, follows);
  transaction.commit();
}

void ReadableTables::write_event(const HistoryRow& row) {
  event_(row.id, row.batch, row.time.ms, row.kind, TextOrNull{row.lease}, row.generation, row.epoch,
         TextOrNull{row.cluster}, TextOrNull{row.reason}, row.slots, TextOrNull{row.from},
         TextOrNull{row.to}, TextOrNull{row.numbers}, TextOrNull{row.by},
         TextOrNull{row.rule_reason});
}

void ReadableTables::write_head(const State& state, const Follows& follows) {
  broker_(follows.batch, follows.last_event, state.now.ms, state.started.ms, state.incarnation,
          state.generation_next, state.transfer_next, state.frozen);
  const std::string hash = hex(follows.hash);
  follows_(readable_schema().number, follows.last_event, follows.batch, hash, inode_);
}

}  // namespace leasehold
