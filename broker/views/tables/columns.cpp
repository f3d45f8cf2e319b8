#include "broker/views/tables/columns.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/printable.hpp"

namespace leasehold::columns {

namespace {

enum class Meaning { good, passing, bad, none };

struct WordMeaning {
  std::string_view word;
  Meaning meaning;
};

constexpr WordMeaning kMeanings[] = {
    {"ok", Meaning::good},          {"up", Meaning::good},         {"active", Meaning::good},
    {"conn", Meaning::passing},     {"offered", Meaning::passing}, {"inactive", Meaning::passing},
    {"draining", Meaning::passing}, {"degraded", Meaning::bad},    {"disc", Meaning::bad},
    {"lost", Meaning::bad},         {"refused", Meaning::bad},     {"down", Meaning::bad},
    {"absent", Meaning::bad},       {"closed", Meaning::passing},  {"unknown", Meaning::bad},
    {"frozen", Meaning::passing},   {"drained", Meaning::passing}, {"observe", Meaning::passing},
    {"stopped", Meaning::bad},      {"silent", Meaning::bad},
};

Meaning meaning_of(std::string_view word) {
  for (const WordMeaning& known : kMeanings) {
    if (known.word == word) return known.meaning;
  }
  return Meaning::none;
}

const char* escape_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::good:
      return "\033[32m";
    case Meaning::passing:
      return "\033[33m";
    case Meaning::bad:
      return "\033[31m";
    case Meaning::none:
      return "";
  }
  return "";
}

std::string as_text(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return printable(value.get_ref<const std::string&>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump();
}

using Cells = std::vector<std::vector<std::string>>;

Cells cells_of(const Json& rows, const std::vector<Column>& columns) {
  Cells cells(1);
  for (const Column& column : columns) cells[0].emplace_back(column.title);
  for (const Json& row : rows) {
    std::vector<std::string>& line = cells.emplace_back();
    for (const Column& column : columns) line.push_back(column.cell(row));
  }
  return cells;
}

std::vector<size_t> widths_of(const Cells& cells) {
  std::vector<size_t> widths(cells[0].size());
  for (const auto& line : cells) {
    for (size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], width_of(line[c]));
  }
  return widths;
}

std::string line_of(const std::vector<std::string>& line, const std::vector<size_t>& widths,
                    const std::vector<Column>& columns, bool colour) {
  std::string text;
  for (size_t c = 0; c < line.size(); ++c) {
    const std::string pad(widths[c] - width_of(line[c]), ' ');
    const std::string shown = coloured(line[c], colour && columns[c].status);
    text += (c == 0 ? "" : "  ") + (columns[c].right ? pad + shown : shown + pad);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

}  // namespace

std::string render(const Json& rows, const std::vector<Column>& columns, bool colour) {
  const Cells cells = cells_of(rows, columns);
  const std::vector<size_t> widths = widths_of(cells);
  std::string text;
  for (size_t i = 0; i < cells.size(); ++i) {
    text += line_of(cells[i], widths, columns, colour && i > 0);
  }
  return text;
}

std::string text(const Json& row, const char* key) {
  auto found = row.find(key);
  return found == row.end() ? "-" : as_text(*found);
}

std::string text(const Json& row, const char* key, const char* inner) {
  auto found = row.find(key);
  return found == row.end() || !found->is_object() ? "-" : text(*found, inner);
}

std::string slots(const Json& row, const char* key) {
  return text(row, key, "used") + "/" + text(row, key, "available");
}

std::string time(const Json& row, const char* key) {
  std::string at = text(row, key);
  // 2026-11-21T17:01:00.000Z
  if (at.size() == 24) at = at.substr(0, 10) + " " + at.substr(11, 8) + "Z";
  return at;
}

std::string coloured(const std::string& word, bool colour) {
  const Meaning meaning = colour ? meaning_of(word) : Meaning::none;
  return meaning == Meaning::none ? word : escape_of(meaning) + word + "\033[0m";
}

}  // namespace leasehold::columns
