#include "broker/store/sqlite/bases.hpp"

#include "broker/record/state_bytes.hpp"
#include "common/version.hpp"

namespace leasehold {

Bases::Bases(SQLite::Database& db, const Fault& fault, std::shared_ptr<BaseMaker> maker)
    : db_(db), fault_(fault), maker_(std::move(maker)), write_(db, fault) {
  read_since();
}

void Bases::read_since() {
  SQLite::Statement base(db_,
                         "SELECT last_event, sum(length(body)) FROM base WHERE last_event = "
                         "(SELECT max(last_event) FROM base WHERE part = 0) GROUP BY last_event");
  int64_t after = 0;
  if (base.executeStep()) {
    after = base.getColumn(0).getInt64();
    since_.base_bytes = base.getColumn(1).getInt64();
  }
  SQLite::Statement rows(
      db_, "SELECT ifnull(sum(length(body)), 0), min(time_ms) FROM log WHERE first_event > ?");
  rows.bind(1, after);
  rows.executeStep();
  since_.bytes = rows.getColumn(0).getInt64();
  if (!rows.isColumnNull(1)) since_.time = Instant{rows.getColumn(1).getInt64()};
}

bool Bases::is_due(const Retention& retention, Instant now) const {
  return base_due(retention, since_.bytes, since_.base_bytes, since_.time.value_or(now), now);
}

/// Whoever should make it did not.
bool Bases::is_late(const Retention& retention) const {
  return wanted_ != 0 &&
         since_.bytes - bytes_at_want_ >= base_interval_bytes(retention, since_.base_bytes);
}

/// Asked before the commit, whose row nobody can have read yet: so the state after it is met.
void Bases::before_commit(const LogRow& row, int64_t last_event, const State& state) {
  since_.bytes += static_cast<int64_t>(row.body.size());
  // Also where time was set back: the next one is due as long after it as ever.
  if (!since_.time || *since_.time > row.time) since_.time = row.time;
  if (!std::exchange(due_, false)) return;
  maker_->want({last_event, row.hash, unimaged_of(state)});
  wanted_ = last_event;
  bytes_at_want_ = since_.bytes;
}

bool Bases::after_commit(const Retention& retention, const LogEnd& end, const State& state) {
  if (made_ || wanted_ != 0) {
    if (write_some()) return true;
    if (made_ || !is_late(retention)) return false;
  } else if (!is_due(retention, state.now)) {
    return false;
  } else if (maker_ != nullptr) {
    due_ = true;
    return false;
  }
  write_all(end, state);
  return true;
}

/// Of what was made beside the loop a part, if it is there. True: that was the last one.
bool Bases::write_some() {
  if (!made_) {
    std::optional<MadeBase> made = maker_->take();
    if (!made || made->last_event != wanted_) return false;
    made_ = std::move(made);
    parts_left_ = made_->chunks.size();
  }
  meet_fault(fault_, "base");
  SQLite::Transaction transaction(db_, SQLite::TransactionBehavior::IMMEDIATE);
  write_part();
  transaction.commit();
  if (--parts_left_ > 0) return false;
  int64_t bytes = 0;
  for (const Chunk& chunk : made_->chunks) bytes += static_cast<int64_t>(chunk.body.size());
  since_ = {since_.bytes - bytes_at_want_, made_->time, bytes};
  made_.reset();
  wanted_ = 0;
  return true;
}

void Bases::write_part() {
  const size_t left = made_->chunks.size() - parts_left_;
  const size_t part = (left + 1) % made_->chunks.size();  // the first one last
  write_.part(made_->last_event, static_cast<int64_t>(part), made_->time, made_->chunks[part]);
}

void Bases::write_all(const LogEnd& end, const State& state) {
  meet_fault(fault_, "base");
  Base base{end.last_event, end.batch, state.now, kCoreVersion, end.hash, {}};
  encode_state(state, base.state);
  const std::vector<Chunk> chunks = chunks_of(base);
  SQLite::Transaction transaction(db_, SQLite::TransactionBehavior::IMMEDIATE);
  write_.base(base.last_event, base.time, chunks);
  transaction.commit();
  since_ = {0, state.now, static_cast<int64_t>(base.state.size())};
  wanted_ = 0;
}

}  // namespace leasehold
