#include "agent/workload/support/kept_row.hpp"

namespace leasehold::agent {

namespace {

constexpr int kTextMost = 1 << 16;

}  // namespace

void KeptRow::refuse(int column, const std::string& why) const {
  throw DamagedRow(std::string(table_) + "." + row_.getColumnName(column) + " " + why);
}

int64_t KeptRow::whole(int column) const {
  const SQLite::Column value = row_.getColumn(column);
  if (!value.isInteger()) refuse(column, "is no whole number");
  return value.getInt64();
}

int64_t KeptRow::number(int column, int64_t least, int64_t most) const {
  const int64_t value = whole(column);
  if (const auto fault = out_of("", value, least, most)) refuse(column, fault->substr(1));
  return value;
}

uint64_t KeptRow::counter(int column) const {
  return static_cast<uint64_t>(number(column, 0, static_cast<int64_t>(kNumberMax)));
}

int32_t KeptRow::slots(int column, int32_t least, int32_t most) const {
  return static_cast<int32_t>(number(column, least, most));
}

int64_t KeptRow::endless_ms(int column) const {
  return whole(column) == INT64_MAX ? INT64_MAX : time_ms(column);
}

std::string KeptRow::text(int column) const {
  const SQLite::Column value = row_.getColumn(column);
  if (!value.isText()) refuse(column, "is no text");
  if (value.getBytes() > kTextMost) {
    refuse(column, "has " + std::to_string(value.getBytes()) + " bytes; at most " +
                       std::to_string(kTextMost) + " can be right");
  }
  return value.getString();
}

}  // namespace leasehold::agent
