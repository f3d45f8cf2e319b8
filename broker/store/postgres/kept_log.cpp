#include "broker/store/postgres/kept_log.hpp"

#include <algorithm>

#include "common/time/clock.hpp"

namespace leasehold {

namespace {

/// Counts the body and, as an estimate, 128 bytes for the rest of the row.
int64_t bytes_of_row(const std::string& body) {
  return static_cast<int64_t>(body.size()) + 128;
}

/// Commits what `act` does after the leadership was renewed; nothing of it where that fails.
template <class Do>
Status as_leader(PostgresSession& session, const Leadership& mine, Do act) {
  if (Status begun = session.begin(PostgresSession::Sees::newest); !begun) return begun;
  Status done = renew(session, mine);
  if (done) done = act();
  if (done) return session.commit();
  session.roll_back();
  return done;
}

}  // namespace

void Pace::took(int64_t ms) {
  constexpr int64_t kMost = 1 << 20;
  much_ = std::clamp(much_ * kStepMs / std::max(ms, kStepMs / 2), least_, kMost);
}

void Pace::failed() {
  much_ = std::max(least_, much_ / 8);
}

Status PostgresKept::put_one(const BasePart& part) {
  const auto done = session_.run("INSERT INTO base VALUES ($1, $2, $3, $4, $5)", part.last_event,
                                 part.part, part.time.ms, pqxx::binarystring(part.chunk.body),
                                 pqxx::binarystring(std::string(bytes_of(part.chunk.hash))));
  return done ? Status{} : tl::unexpected(done.error());
}

Status PostgresKept::put(std::span<const BasePart> parts) {
  Status done = as_leader(session_, mine_, [&]() -> Status {
    for (const BasePart& part : parts) {
      if (Status put = put_one(part); !put) return put;
    }
    return {};
  });
  if (!done || !counted_) return done;
  for (const BasePart& part : parts) bytes_ += bytes_of_row(part.chunk.body);
  return done;
}

Result<KeptLog::Since> PostgresKept::since_base() {
  const auto found = session_.run(
      "WITH newest AS (SELECT max(last_event) AS event FROM base WHERE part = 0) SELECT "
      "(SELECT coalesce(sum(length(body)), 0) FROM base, newest WHERE last_event = event), "
      "coalesce(sum(length(body)), 0), least(min(time_ms), "
      "(SELECT min(time_ms) FROM base, newest WHERE last_event = event)) FROM log "
      "WHERE first_event > coalesce((SELECT event FROM newest), 0)");
  if (!found) return tl::unexpected(found.error());
  const pqxx::row row = (*found)[0];
  Since since;
  since.base_bytes = row[0].as<int64_t>();
  since.bytes = row[1].as<int64_t>();
  if (!row[2].is_null()) since.time = Instant{row[2].as<int64_t>()};
  return since;
}

Result<int64_t> PostgresKept::before_first() {
  const auto found = session_.run("SELECT coalesce(min(first_event) - 1, 0) FROM log");
  if (!found) return tl::unexpected(found.error());
  return (*found)[0][0].as<int64_t>();
}

/// Counts a step of the rows. A row that comes later is added as it is committed.
Status PostgresKept::count_some() {
  const int64_t begun_ms = boottime_ms();
  if (!counted_to_) {
    const Result<int64_t> before = before_first();
    if (!before) return tl::unexpected(before.error());
    counted_to_ = *before;
    bytes_ = 0;
  }
  const int64_t to = std::min(mine_.log_end, *counted_to_ + count_pace_.much());
  const auto found = session_.run(
      "SELECT coalesce(sum(length(body) + 128), 0) FROM log "
      "WHERE first_event > $1 AND first_event <= $2",
      *counted_to_, to);
  if (!found) return tl::unexpected(found.error());
  bytes_ += (*found)[0][0].as<int64_t>();
  counted_to_ = to;
  count_pace_.took(spend_since(begun_ms));
  return to == mine_.log_end ? count_bases() : Status{};
}

/// Counts all bases at once, for they are few.
Status PostgresKept::count_bases() {
  const auto found = session_.run("SELECT coalesce(sum(length(body) + 128), 0) FROM base");
  if (!found) return tl::unexpected(found.error());
  bytes_ += (*found)[0][0].as<int64_t>();
  counting_ = false;
  counted_ = true;
  return {};
}

Result<int64_t> PostgresKept::used_bytes() {
  if (!counted_) {
    counting_ = true;
    if (Status done = count_some(); !done) return tl::unexpected(done.error());
  }
  return bytes_;
}

/// Removes the oldest bases first, and of each its first part first, without which it counts as
/// none: what is left is whole.
Status PostgresKept::remove_bases() {
  const int64_t begun_ms = boottime_ms();
  const auto gone = session_.run(
      "WITH gone AS (DELETE FROM base WHERE (last_event, part) IN (SELECT last_event, part "
      "FROM base WHERE last_event < $1 ORDER BY last_event, part LIMIT $2) "
      "RETURNING length(body) + 128 AS bytes) SELECT count(*), coalesce(sum(bytes), 0) FROM gone",
      *removing_, base_pace_.much());
  if (!gone) return tl::unexpected(gone.error());
  bases_gone_ = (*gone)[0][0].as<int64_t>() < base_pace_.much();
  bytes_ -= (*gone)[0][1].as<int64_t>();
  base_pace_.took(boottime_ms() - begun_ms);
  return {};
}

/// Removes the oldest rows first, up to a base that stays.
Status PostgresKept::remove_rows() {
  if (!removed_to_) {
    const Result<int64_t> before = before_first();
    if (!before) return tl::unexpected(before.error());
    removed_to_ = *before;
  }
  const int64_t begun_ms = boottime_ms();
  const int64_t to = std::min(*removing_, *removed_to_ + row_pace_.much());
  const auto gone = session_.run(
      "WITH gone AS (DELETE FROM log WHERE first_event > $1 AND first_event <= $2 "
      "RETURNING length(body) + 128 AS bytes) SELECT coalesce(sum(bytes), 0) FROM gone",
      *removed_to_, to);
  if (!gone) return tl::unexpected(gone.error());
  bytes_ -= (*gone)[0][0].as<int64_t>();
  removed_to_ = std::max(*removed_to_, to);
  row_pace_.took(boottime_ms() - begun_ms);
  return {};
}

/// Removes bases first: without its base a row can be read, without its rows a base is the log's
/// damage.
Status PostgresKept::remove_some() {
  const int64_t begun_ms = boottime_ms();
  const Status done = as_leader(session_, mine_, [&]() -> Status {
    if (!bases_gone_) {
      if (Status gone = remove_bases(); !gone) return gone;
    }
    return bases_gone_ ? remove_rows() : Status{};
  });
  spend_since(begun_ms);
  if (done && removed_to_ && *removed_to_ >= *removing_) removing_.reset();
  return done;
}

Status PostgresKept::remove_before(int64_t base) {
  removing_ = base;
  bases_gone_ = false;
  return remove_some();
}

Status PostgresKept::go_on() {
  return removing_ ? remove_some() : count_some();
}

int64_t PostgresKept::spend_since(int64_t begun_ms) {
  const int64_t ms = boottime_ms() - begun_ms;
  spent_ms_ += std::max<int64_t>(ms, 1);
  return ms;
}

void PostgresKept::committed(const LogRow& row) {
  if (counted_) bytes_ += bytes_of_row(row.body);
}

void PostgresKept::forget() {
  for (Pace* pace : {&base_pace_, &row_pace_, &count_pace_}) pace->failed();
  removed_to_.reset();
  bases_gone_ = false;
  counted_ = false;
  counted_to_.reset();
  bytes_ = 0;
}

}  // namespace leasehold
