#include "common/config/keys/reference.hpp"

#include <cmath>

#include "common/time/instant.hpp"

namespace leasehold {

namespace {

constexpr int64_t kThousandths = 1'000;
constexpr int64_t kMillionths = 1'000'000;

/// Writes 1500 thousandths as "1.5".
std::string decimal(int64_t value, int64_t parts) {
  std::string decimals = std::to_string(parts + value % parts).substr(1);
  decimals.erase(std::max<size_t>(1, decimals.find_last_not_of('0') + 1));
  return std::to_string(value / parts) + "." + decimals;
}

/// Writes "number, 1 … 10", with the bounds formatted by `write`.
std::string in_range(const std::string& kind, IntRange range, const auto& write) {
  if (range.max == INT64_MAX) return kind + ", at least " + write(range.min);
  return kind + ", " + write(range.min) + " … " + write(range.max);
}

std::string decimal_in_range(IntRange range, int64_t parts) {
  return in_range("decimal number", range,
                  [parts](int64_t bound) { return decimal(bound, parts); });
}

}  // namespace

std::string in_code(std::string_view text) {
  return "`" + std::string(text) + "`";
}
std::string in_code_quoted(std::string_view text) {
  return "`\"" + std::string(text) + "\"`";
}

std::string kind_of(const KeyRow& row, const std::string&) {
  return row.notes.path ? "path" : "text";
}
std::string kind_of(const KeyRow&, bool) {
  return "`true` or `false`";
}
std::string kind_of(const KeyRow& row, int32_t value) {
  return kind_of(row, int64_t{value});
}
std::string kind_of(const KeyRow& row, int64_t) {
  const IntRange range = row.notes.range;
  switch (row.notes.unit) {
    case Unit::none:
      break;
    case Unit::milliseconds:
      return in_range("duration", range, format_duration);
    case Unit::millionths:
      return "a part, 0.001 … 1.0";
    case Unit::rounded_thousandths:
      return decimal_in_range(range, kThousandths);
    case Unit::rounded_millionths:
      return decimal_in_range(range, kMillionths);
  }
  return in_range("number", range, [](int64_t bound) { return std::to_string(bound); });
}
std::string kind_of(const KeyRow& row, uint64_t) {
  return kind_of(row, int64_t{0});
}
std::string kind_of(const KeyRow& row, double) {
  return decimal_in_range(row.notes.range, kThousandths);
}
std::string kind_of(const KeyRow& row, const std::vector<std::string>&) {
  return row.notes.or_one ? "text, or list of texts" : "list of texts";
}

std::string default_of(const KeyRow&, const std::string& value) {
  return in_code_quoted(value);
}
std::string default_of(const KeyRow&, bool value) {
  return value ? "`true`" : "`false`";
}
std::string default_of(const KeyRow& row, int32_t value) {
  return default_of(row, int64_t{value});
}
std::string default_of(const KeyRow& row, int64_t value) {
  switch (row.notes.unit) {
    case Unit::none:
      break;
    case Unit::milliseconds:
      return in_code_quoted(format_duration(value));
    case Unit::rounded_thousandths:
      return in_code(decimal(value, kThousandths));
    case Unit::millionths:
    case Unit::rounded_millionths:
      return in_code(decimal(value, kMillionths));
  }
  return in_code(std::to_string(value));
}
std::string default_of(const KeyRow&, uint64_t value) {
  return in_code(std::to_string(value));
}
std::string default_of(const KeyRow&, double value) {
  return in_code(decimal(std::llround(value * static_cast<double>(kThousandths)), kThousandths));
}

void KeyReference::section(const std::string& title, const std::string& about) {
  text_ += "\n## " + title + "\n\n" + (about.empty() ? "" : about + "\n\n") +
           "| Key | Is | Default | |\n|---|---|---|---|\n";
}

void KeyReference::add_one(std::string_view name, const std::string& kind, const std::string& usual,
                           const std::string& notes) {
  text_ += "| " + in_code(name) + " | " + kind + " | " + usual + " | " + notes + " |\n";
}

void KeyReference::add_row(const KeyRow& row, const std::string& kind, const std::string& usual) {
  const KeyNotes& notes = row.notes;
  const std::string written = !notes.wanted.empty() ? "required"
                              : notes.usual.empty() ? usual
                                                    : std::string(notes.usual);
  std::string text(notes.help);
  if (!notes.lsf.empty()) text += ". LSF: " + std::string(notes.lsf);
  if (more_ != nullptr) text += more_(row);
  if (notes.at_start) text += ". Changes with the next start only";
  add_one(row.name, notes.kind.empty() ? kind : std::string(notes.kind), written, text);
}

}  // namespace leasehold
