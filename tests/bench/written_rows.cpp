#include "tests/bench/written_rows.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>

#include "common/check.hpp"

namespace leasehold::bench {

namespace {

/// The word after INTO, FROM or UPDATE; "" of a COMMIT.
std::string table_of(std::string_view sql) {
  for (const std::string_view word : {"INTO ", "DELETE FROM ", "UPDATE "}) {
    const size_t at = sql.find(word);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = sql.substr(at + word.size());
    return std::string(rest.substr(0, rest.find(' ')));
  }
  return "";
}

}  // namespace

std::unique_ptr<SqliteStore> WrittenRows::open(const std::string& path) {
  StoreOptions options;
  options.fault = [this](std::string_view sql) { return before_statement(sql); };
  auto store = SqliteStore::open(path, OpenMode::broker, std::move(options));
  LEASEHOLD_CHECK(store.has_value(), "a new database opens");
  store_ = store->get();
  return std::move(*store);
}

void WrittenRows::begin() {
  rows_.clear();
  table_.clear();
  counting_ = true;
}

void WrittenRows::end() {
  counting_ = false;
}

/// What changed since the last call was the statement before.
int WrittenRows::before_statement(std::string_view sql) {
  if (!counting_) return 0;
  const int64_t changes = store_->database().getTotalChanges();
  if (!table_.empty() && changes > changes_) rows_[table_] += changes - changes_;
  changes_ = changes;
  table_ = table_of(sql);
  return 0;
}

}  // namespace leasehold::bench
