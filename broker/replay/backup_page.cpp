#include "broker/replay/backup_page.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <nlohmann/json.hpp>

#include "broker/store/sqlite/log_table.hpp"
#include "broker/store/sqlite/store.hpp"
#include "common/base64.hpp"

namespace leasehold {

namespace {

class Page {
 public:
  Page(SQLite::Database& db, const BackupPlace& from, size_t page_bytes)
      : db_(db),
        page_bytes_(page_bytes),
        after_(from.after.value_or(first_place())),
        part_(from.part) {}
  Result<Json> read();

 private:
  int64_t first_place();
  bool is_full() const { return bytes_ >= page_bytes_; }
  void add(Json item, const std::string& body, const Hash& hash);
  void add_base();
  Result<bool> add_row();

  SQLite::Database& db_;
  size_t page_bytes_;
  int64_t after_;
  int64_t part_;
  size_t bytes_ = 0;
  Json items_ = Json::array();
};

/// Before event 1, or after the base with which the log begins.
int64_t Page::first_place() {
  return db_
      .execAndGet(
          "SELECT CASE WHEN ifnull((SELECT min(first_event) FROM log), 0) = 1 THEN 0 ELSE "
          "ifnull((SELECT min(last_event) FROM base WHERE part = 0), 0) END")
      .getInt64();
}

void Page::add(Json item, const std::string& body, const Hash& hash) {
  item["body"] = base64(body);
  item["hash"] = base64(bytes_of(hash));
  bytes_ += body.size() + hash.size();
  items_.push_back(std::move(item));
}

void Page::add_base() {
  SQLite::Statement parts(db_,
                          "SELECT part, time_ms, body, hash FROM base WHERE last_event = ?1 AND "
                          "part >= ?2 AND EXISTS (SELECT 1 FROM base WHERE last_event = ?1 AND "
                          "part = 0) ORDER BY part");
  parts.bind(1, after_);
  parts.bind(2, part_);
  while (!is_full() && parts.executeStep()) {
    const SQLite::Column body = parts.getColumn(2);
    const SQLite::Column hash = parts.getColumn(3);
    Hash kept{};
    take_hash({static_cast<const char*>(hash.getBlob()), static_cast<size_t>(hash.getBytes())},
              kept);
    part_ = parts.getColumn(0).getInt64() + 1;
    add({{"base", {after_, part_ - 1, parts.getColumn(1).getInt64()}}},
        {static_cast<const char*>(body.getBlob()), static_cast<size_t>(body.getBytes())}, kept);
  }
}

Result<bool> Page::add_row() {
  LogRows rows(db_, after_ + 1);
  LogRow row;
  Result<bool> there = rows.next(row);
  if (there && *there && row.first_event <= after_) there = rows.next(row);
  if (!there || !*there) return there;
  if (row.first_event != after_ + 1) {
    return fail(ErrorCode::refused, "retention removed what comes after event " +
                                        std::to_string(after_) +
                                        " while the copy was made; make it again");
  }
  const Result<LogBody> body = LogBody::read(row);
  if (!body) return tl::unexpected(body.error());
  add({{"row",
        {row.first_event, row.batch, row.time.ms, row.clock_set, row.core_version, row.epoch}},
       {"events", body->events()}},
      row.body, row.hash);
  after_ = row.first_event + body->events() - 1;
  part_ = 0;
  return true;
}

Result<Json> Page::read() {
  const SQLite::Transaction one_view(db_);
  const Result<LogEnd> end = read_end(db_);
  if (!end) return tl::unexpected(end.error());
  while (!is_full()) {
    add_base();
    if (is_full()) break;
    const Result<bool> more = add_row();
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
  }
  return Json{{"items", std::move(items_)},
              {"after", after_},
              {"part", part_},
              {"last_event", end->last_event}};
}

}  // namespace

Result<Json> backup_page(SqliteStore& store, const BackupPlace& from, size_t page_bytes) {
  try {
    return Page(store.database(), from, page_bytes).read();
  } catch (const SQLite::Exception& error) {
    return database_error(store.path(), error);
  }
}

}  // namespace leasehold
