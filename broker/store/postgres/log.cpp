#include "broker/store/postgres/log.hpp"

#include <deque>

#include "broker/store/postgres/schema.hpp"

namespace leasehold {

namespace {

/// Rows that come at once: at first few, since most readers want one or all.
constexpr int64_t kFewRows = 8;
constexpr int64_t kManyRows = 512;

constexpr const char* kOldestFirst =
    "SELECT first_event, batch, time_ms, clock_set, core_version, epoch, body, hash FROM log "
    "WHERE first_event >= CASE WHEN $2 THEN "
    "coalesce((SELECT max(first_event) FROM log WHERE first_event <= $1), $1) ELSE $1 END "
    "ORDER BY first_event LIMIT $3";
constexpr const char* kNewestFirst =
    "SELECT first_event, batch, time_ms, clock_set, core_version, epoch, body, hash FROM log "
    "WHERE first_event <= $1 AND ($2 OR true) ORDER BY first_event DESC LIMIT $3";

std::string bytes_at(const pqxx::row& row, int column) {
  return pqxx::binarystring(row[column]).str();
}

Result<LogRow> log_row_of(const pqxx::row& from) {
  LogRow row;
  row.first_event = from[0].as<int64_t>();
  row.batch = from[1].as<int64_t>();
  row.time.ms = from[2].as<int64_t>();
  row.clock_set = from[3].as<bool>();
  row.core_version = from[4].as<int>();
  row.epoch = from[5].as<int64_t>();
  row.body = bytes_at(from, 6);
  if (!take_hash(bytes_at(from, 7), row.hash)) {
    return no_hash("event " + std::to_string(row.first_event));
  }
  return row;
}

class PostgresRows : public LogRows {
 public:
  PostgresRows(PostgresSession& session, int64_t from, Order order)
      : session_(session), order_(order), from_(from) {}

  Result<bool> next(LogRow& row) override {
    if (at_ == got_.size() && !ended_) {
      if (Status more = get_more(); !more) return tl::unexpected(more.error());
    }
    if (at_ == got_.size()) return false;
    Result<LogRow> found = log_row_of(got_[at_++]);
    if (!found) return tl::unexpected(found.error());
    row = std::move(*found);
    from_ = order_ == Order::oldest_first ? row.first_event + 1 : row.first_event - 1;
    within_ = false;
    return true;
  }
  void begin_at(int64_t from) override {
    got_ = {};
    at_ = 0;
    ended_ = false;
    within_ = false;
    wanted_ = kFewRows;
    from_ = from;
  }

 private:
  Status get_more() {
    const char* sql = order_ == Order::oldest_first ? kOldestFirst : kNewestFirst;
    auto got = session_.run(sql, from_, within_, wanted_);
    if (!got) return tl::unexpected(got.error());
    got_ = std::move(*got);
    at_ = 0;
    ended_ = static_cast<int64_t>(got_.size()) < wanted_;
    wanted_ = kManyRows;
    return {};
  }

  PostgresSession& session_;
  const Order order_;
  int64_t from_;
  bool within_ = true;  // the first row may begin before
  int64_t wanted_ = kFewRows;
  pqxx::result got_;
  pqxx::result::size_type at_ = 0;
  bool ended_ = false;
};

class PostgresView : public OneView {
 public:
  explicit PostgresView(PostgresSession& session) : session_(session) {}
  PostgresView(const PostgresView&) = delete;
  PostgresView& operator=(const PostgresView&) = delete;
  ~PostgresView() override { session_.roll_back(); }

 private:
  PostgresSession& session_;
};

/// Within a transaction that is open already: its own.
class ViewOfOuter : public OneView {};

}  // namespace

Result<std::unique_ptr<PostgresLog>> PostgresLog::open(const std::string& url) {
  auto session = PostgresSession::open(url, PostgresSession::Use::to_read);
  if (!session) return tl::unexpected(session.error());
  if (Status known = check_schema(**session); !known) return tl::unexpected(known.error());
  auto log = std::make_unique<PostgresLog>(**session);
  log->own_ = std::move(*session);
  return log;
}

Result<std::unique_ptr<OneView>> PostgresLog::one_view() {
  if (session_->has_begun()) return std::make_unique<ViewOfOuter>();
  if (Status begun = session_->begin(PostgresSession::Sees::one); !begun) {
    return tl::unexpected(begun.error());
  }
  return std::make_unique<PostgresView>(*session_);
}

std::unique_ptr<LogRows> PostgresLog::rows(int64_t from, Order order) {
  return std::make_unique<PostgresRows>(*session_, from, order);
}

Result<std::optional<RowPlace>> PostgresLog::row_by(int64_t event) {
  const auto found = session_->run(
      "SELECT first_event, time_ms FROM log WHERE first_event <= $1 ORDER BY first_event DESC "
      "LIMIT 1",
      event);
  if (!found) return tl::unexpected(found.error());
  if (found->empty()) return std::nullopt;
  return RowPlace{(*found)[0][0].as<int64_t>(), {(*found)[0][1].as<int64_t>()}};
}

Result<int64_t> PostgresLog::first_event() {
  const auto found = session_->run("SELECT coalesce(min(first_event), 0) FROM log");
  if (!found) return tl::unexpected(found.error());
  return (*found)[0][0].as<int64_t>();
}

Result<std::vector<BasePlace>> PostgresLog::bases() {
  const auto found =
      session_->run("SELECT last_event, time_ms FROM base WHERE part = 0 ORDER BY last_event");
  if (!found) return tl::unexpected(found.error());
  std::vector<BasePlace> bases;
  for (const pqxx::row& row : *found) {
    bases.push_back({row[0].as<int64_t>(), {row[1].as<int64_t>()}});
  }
  return bases;
}

Result<std::vector<Chunk>> PostgresLog::parts(int64_t last_event, int64_t part, int64_t most) {
  const auto found = session_->run(
      "SELECT body, hash FROM base WHERE last_event = $1 AND part >= $2 ORDER BY part LIMIT $3",
      last_event, part, most);
  if (!found) return tl::unexpected(found.error());
  std::vector<Chunk> parts;
  for (const pqxx::row& row : *found) {
    Chunk& chunk = parts.emplace_back();
    chunk.body = bytes_at(row, 0);
    if (!take_hash(bytes_at(row, 1), chunk.hash)) return no_hash("a base");
  }
  return parts;
}

Result<std::vector<TimeSetBack>> PostgresLog::times_set_back() {
  const auto found =
      session_->run("SELECT first_event, time_ms FROM log WHERE clock_set ORDER BY first_event");
  if (!found) return tl::unexpected(found.error());
  std::vector<TimeSetBack> sets;
  for (const pqxx::row& row : *found) {
    sets.push_back({row[0].as<int64_t>(), {row[1].as<int64_t>()}});
  }
  return sets;
}

}  // namespace leasehold
