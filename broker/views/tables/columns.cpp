#include "broker/views/tables/columns.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "broker/views/answer.hpp"
#include "common/text/printable.hpp"
#include "common/time/instant.hpp"

namespace leasehold::columns {

namespace {

enum class Meaning { good, passing, bad, none };

struct WordMeaning {
  std::string_view word;
  Meaning meaning;
};

constexpr WordMeaning kMeanings[] = {
    {"ok", Meaning::good},          {"up", Meaning::good},
    {"active", Meaning::good},      {"conn", Meaning::passing},
    {"offered", Meaning::passing},  {"inactive", Meaning::passing},
    {"draining", Meaning::passing}, {"degraded", Meaning::bad},
    {"disc", Meaning::bad},         {"lost", Meaning::bad},
    {"refused", Meaning::bad},      {"down", Meaning::bad},
    {"absent", Meaning::bad},       {"closed", Meaning::passing},
    {"unknown", Meaning::bad},      {"frozen", Meaning::passing},
    {"drained", Meaning::passing},  {"observe", Meaning::passing},
    {"stopped", Meaning::bad},      {"silent", Meaning::bad},
    {"asleep", Meaning::passing},   {"waking", Meaning::passing},
    {"not-now", Meaning::passing},  {"freeze-ahead", Meaning::passing},
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

constexpr size_t kBetween = 2;
/// Cells are not cut below this width, even on a narrow terminal.
constexpr size_t kCellLeast = 20;

struct Shown {
  const Column* column;
  std::vector<std::string> cells;
  size_t width = 0;
};

/// On a terminal no cell takes more than half of the width.
Shown shown_of(const Column& column, const Json& rows, const TableStyle& style) {
  Shown shown{&column, {}, style.header ? width_of(column.title) : 0};
  const bool cut = style.width > 0 && !style.wide;
  const size_t most = std::max(kCellLeast, style.width / 2);
  for (const Json& row : rows) {
    std::string cell = column.cell(row, column.name);
    if (cut && cell.size() > most) cell = cut_to(cell, most);
    shown.width = std::max(shown.width, width_of(cell));
    shown.cells.push_back(std::move(cell));
  }
  return shown;
}

size_t width_of_all(const std::vector<Shown>& shown) {
  size_t sum = 0;
  for (const Shown& each : shown) sum += each.width + kBetween;
  return sum - std::min(sum, kBetween);
}

/// Removes columns until the rest fits; returns the titles of those removed.
std::string leave_out(std::vector<Shown>& shown, const TableStyle& style) {
  std::vector<std::string> titles;
  while (style.width > 0 && !style.wide && shown.size() > 1 && width_of_all(shown) > style.width) {
    auto least = shown.begin() + 1;
    for (auto each = least; each != shown.end(); ++each) {
      if (each->column->drop_order >= least->column->drop_order) least = each;
    }
    titles.emplace_back(least->column->title);
    shown.erase(least);
  }
  std::string text;
  for (const std::string& title : titles) text += (text.empty() ? "" : ", ") + title;
  return text;
}

/// Appends one line; `row` 0 is the title.
void add_line(std::string& text, const std::vector<Shown>& shown, size_t row, bool colour) {
  const size_t begin = text.size();
  for (const Shown& each : shown) {
    const std::string_view cell =
        row == 0 ? std::string_view(each.column->title) : std::string_view(each.cells[row - 1]);
    const size_t pad = each.width - std::min(each.width, width_of(cell));
    if (&each != &shown.front()) text.append(kBetween, ' ');
    if (each.column->look == kRight) text.append(pad, ' ');
    if (colour && each.column->look == kStatus && row > 0) {
      text += coloured(std::string(cell), true);
    } else {
      text += cell;
    }
    if (each.column->look != kRight) text.append(pad, ' ');
  }
  while (text.size() > begin && text.back() == ' ') text.pop_back();
  text += '\n';
}

}  // namespace

std::string render(const Json& rows, std::span<const Column> columns, const TableStyle& style) {
  std::vector<Shown> shown;
  for (const Column& column : columns) {
    if (column.drop_order == kOnlyWide && !style.wide) continue;
    shown.push_back(shown_of(column, rows, style));
  }
  const std::string left_out = leave_out(shown, style);
  std::string text;
  for (size_t row = style.header ? 0 : 1; row <= rows.size(); ++row) {
    add_line(text, shown, row, style.colour);
  }
  if (left_out.empty() || !style.header) return text;
  return text + "(no room for: " + left_out + "; -o wide shows all)\n";
}

std::string cell_text(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return printable(value.get_ref<const std::string&>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string text(const Json& row, const char* key) {
  return cell_text(part_at(row, key));
}

std::string text(const Json& row, const char* key, const char* inner) {
  return text(part_at(row, key), inner);
}

std::string at_name(const Json& row, const char* name) {
  const char* dot = std::strchr(name, '.');
  return dot == nullptr ? text(row, name)
                        : text(part_at(row, std::string(name, dot).c_str()), dot + 1);
}

std::string number(const Json& row, const char* key) {
  return part_at(row, key).is_null() ? "-" : std::to_string(number_at(row, key));
}

std::string duration(const Json& row, const char* key) {
  return part_at(row, key).is_null() ? "-" : format_duration(number_at(row, key));
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
