#include "common/config/keys/reader.hpp"

namespace leasehold {

namespace {

std::string quoted_name(const KeyRow& row) {
  return "'" + std::string(row.name) + "'";
}

void tell_fault(const ConfigTable& table, const KeyRow& row, const std::string& text) {
  if (row.notes.fault == nullptr) return;
  if (std::string fault = row.notes.fault(text); !fault.empty()) {
    table.error(row.name, std::move(fault));
  }
}

/// Reads a decimal number, of which the member keeps `parts` parts of one.
int64_t rounded(const ConfigTable& table, const KeyRow& row, int64_t value, double parts) {
  const IntRange range = row.notes.range;
  const double decimal =
      table.decimal(row.name, static_cast<double>(value) / parts,
                    static_cast<double>(range.min) / parts, static_cast<double>(range.max) / parts);
  return static_cast<int64_t>(decimal * parts + 0.5);
}

int64_t part(const ConfigTable& table, const KeyRow& row, int64_t value) {
  constexpr int64_t kOfOneThousandth = 1000;  // files have three decimals
  const IntRange range = row.notes.range;
  const int64_t milli = table.milli(row.name, value / kOfOneThousandth);
  if (milli >= range.min / kOfOneThousandth && milli <= range.max / kOfOneThousandth) {
    return milli * kOfOneThousandth;
  }
  table.error(row.name, quoted_name(row) + " must be a part from 0.001 to 1.0");
  return value;
}

int64_t number(const ConfigTable& table, const KeyRow& row, int64_t value) {
  switch (row.notes.unit) {
    case Unit::none:
      break;
    case Unit::milliseconds:
      if (row.notes.may_be_empty && table.text(row.name).empty()) return value;
      return table.duration_ms(row.name, value, row.notes.range);
    case Unit::millionths:
      return part(table, row, value);
    case Unit::rounded_thousandths:
      return rounded(table, row, value, 1e3);
    case Unit::rounded_millionths:
      return rounded(table, row, value, 1e6);
  }
  return table.integer(row.name, value, row.notes.range);
}

}  // namespace

bool is_missing(const ConfigTable& table, const KeyRow& row) {
  if (row.notes.wanted.empty() || table.has(row.name)) return false;
  table.error(row.name, "missing key " + quoted_name(row) + ": " + std::string(row.notes.wanted));
  return true;
}

void take_value(const ConfigTable& table, const KeyRow& row, std::string& value) {
  const bool wanted = !row.notes.wanted.empty();
  std::string text =
      wanted ? table.required_text(row.name, row.notes.wanted) : table.text(row.name, value);
  if (!wanted || !text.empty()) tell_fault(table, row, text);
  value = row.notes.path ? relative_to(table.file(), text) : std::move(text);
}

void take_value(const ConfigTable& table, const KeyRow& row, bool& value) {
  value = table.flag(row.name, value);
}

void take_value(const ConfigTable& table, const KeyRow& row, int32_t& value) {
  if (!is_missing(table, row)) value = static_cast<int32_t>(number(table, row, value));
}

void take_value(const ConfigTable& table, const KeyRow& row, int64_t& value) {
  if (!is_missing(table, row)) value = number(table, row, value);
}

void take_value(const ConfigTable& table, const KeyRow& row, uint64_t& value) {
  value = static_cast<uint64_t>(number(table, row, static_cast<int64_t>(value)));
}

void take_value(const ConfigTable& table, const KeyRow& row, double& value) {
  constexpr double kThousandths = 1e3;
  value = table.decimal(row.name, value, static_cast<double>(row.notes.range.min) / kThousandths,
                        static_cast<double>(row.notes.range.max) / kThousandths);
}

void take_value(const ConfigTable& table, const KeyRow& row, std::optional<int64_t>& value) {
  constexpr int64_t kWrong = -1;
  const int64_t taken = number(table, row, kWrong);
  if (taken != kWrong) value = taken;  // otherwise it is absent, or an error was added
}

void take_value(const ConfigTable& table, const KeyRow& row, std::optional<uint64_t>& value) {
  std::optional<int64_t> taken;
  take_value(table, row, taken);
  if (taken) value = static_cast<uint64_t>(*taken);
}

void take_value(const ConfigTable& table, const KeyRow& row, std::vector<std::string>& value) {
  value = row.notes.or_one ? table.text_or_texts(row.name) : table.texts(row.name);
  if (value.empty() && !row.notes.wanted.empty()) {
    table.error(row.name,
                quoted_name(row) + " is missing or empty; write " + std::string(row.notes.wanted));
  }
  for (const std::string& text : value) tell_fault(table, row, text);
}

}  // namespace leasehold
