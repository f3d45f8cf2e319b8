// KeptRow reads a row of a file that the agent keeps, and that may be damaged. A value that cannot
// be right is thrown as DamagedRow, which names it; KeptDatabase::run() makes an Error of that.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <string>

#include "common/bounds.hpp"

namespace leasehold::agent {

struct DamagedRow : SQLite::Exception {
  explicit DamagedRow(const std::string& what) : SQLite::Exception(what) {}
};

/// A time or a length in milliseconds that a sum with others like it does not overflow.
inline constexpr int64_t kKeptMsMax = int64_t{1} << 52;

class KeptRow {
 public:
  /// `table` is for errors. The statement is at a row.
  KeptRow(SQLite::Statement& row, const char* table) : row_(row), table_(table) {}

  bool null(int column) const { return row_.getColumn(column).isNull(); }
  /// Returns any number of 64 bits, as unsigned numbers are stored.
  uint64_t bits(int column) const { return static_cast<uint64_t>(whole(column)); }
  int64_t number(int column, int64_t least, int64_t most) const;
  uint64_t counter(int column) const;
  int32_t slots(int column, int32_t least = 0, int32_t most = kSlotsMax) const;
  /// Returns a length from 0 to kLongestMs.
  int64_t length_ms(int column) const { return number(column, 0, kLongestMs); }
  /// Returns a time of some clock, or a length that may be below 0.
  int64_t time_ms(int column) const { return number(column, -kKeptMsMax, kKeptMsMax); }
  /// Returns the same, or INT64_MAX for one without an end.
  int64_t endless_ms(int column) const;
  bool flag(int column) const { return whole(column) != 0; }
  std::string text(int column) const;
  /// Throws: `why` follows the name of the column.
  [[noreturn]] void refuse(int column, const std::string& why) const;

 private:
  int64_t whole(int column) const;

  SQLite::Statement& row_;
  const char* table_;
};

}  // namespace leasehold::agent
