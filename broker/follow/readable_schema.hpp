// The schema of the readable tables: schema/sql/readable/tables.sql, built in.
#pragma once

#include <cstdint>

namespace leasehold {

struct ReadableSchema {
  int64_t number = 0;  // computed from the text: another text has another number
  const char* sql = "";
};
const ReadableSchema& readable_schema();

/// "LSHT": tells a file of readable tables from other SQLite files.
inline constexpr int kReadableId = 0x4C534854;

}  // namespace leasehold
