// Rows of a query, column by column, and what their texts mean. Inner header of the store.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/core/model/effect.hpp"
#include "common/instant.hpp"
#include "common/reason.hpp"
#include "common/result.hpp"

namespace leasehold {

/// A query whose columns are taken one after the other.
class Rows {
 public:
  Rows(SQLite::Database& db, const char* sql) : query_(db, sql) {}
  bool next() {
    column_ = 0;
    more_ = query_.executeStep();
    return more_;
  }
  bool more() const { return more_; }
  int64_t integer() { return query_.getColumn(column_++).getInt64(); }
  template <class T>
  void take(T& value) {
    value = static_cast<T>(integer());
  }
  void take(bool& value) { value = integer() != 0; }
  void take(std::string& text) { text = bytes(); }
  void take_instant(Instant& at, Instant if_null) {
    at = query_.isColumnNull(column_) ? if_null : Instant{query_.getColumn(column_).getInt64()};
    ++column_;
  }
  void take_index(uint32_t& index) {
    index = query_.isColumnNull(column_)
                ? kNoIndex
                : static_cast<uint32_t>(query_.getColumn(column_).getInt64());
    ++column_;
  }
  /// Good until the next step.
  std::string_view bytes() {
    const SQLite::Column column = query_.getColumn(column_++);
    const auto* data = static_cast<const char*>(column.getBlob());
    return {data ? data : "", static_cast<size_t>(column.getBytes())};
  }

 private:
  SQLite::Statement query_;
  int column_ = 0;
  bool more_ = false;
};

inline constexpr Instant kNotYet{INT64_MIN};

inline tl::unexpected<Error> odd(const std::string& what) {
  return fail(ErrorCode::corrupt,
              what + " in the database does not hold together; restore a backup of the database");
}

inline bool find_reason(std::string_view text, Reason& reason) {
  if (text == token(reason)) return true;  // mostly the same as in the row before
  const std::optional<Reason> found = reason_from_token(text);
  if (found) reason = *found;
  return found.has_value();
}

}  // namespace leasehold
