#include "broker/replay/timeline.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <variant>

#include "broker/views/answer.hpp"
#include "broker/views/lists/path.hpp"
#include "broker/views/tables/csv.hpp"
#include "common/text/json_text.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

namespace {

using RowMember = std::variant<int64_t HistoryRow::*, Instant HistoryRow::*,
                               std::string HistoryRow::*, std::optional<int64_t> HistoryRow::*>;

struct HistoryField {
  const char* name;
  RowMember member;
};

/// JSON, CSV and the reading of JSON have these fields, in this order.
constexpr HistoryField kFields[] = {
    {"id", &HistoryRow::id},           {"time", &HistoryRow::time},
    {"kind", &HistoryRow::kind},       {"lease", &HistoryRow::lease},
    {"epoch", &HistoryRow::epoch},     {"cluster", &HistoryRow::cluster},
    {"reason", &HistoryRow::reason},   {"slots", &HistoryRow::slots},
    {"from", &HistoryRow::from},       {"to", &HistoryRow::to},
    {"numbers", &HistoryRow::numbers}, {"by", &HistoryRow::by},
    {"verb", &HistoryRow::verb},       {"object", &HistoryRow::object},
    {"options", &HistoryRow::options}, {"where", &HistoryRow::where},
    {"why", &HistoryRow::why},         {"rule_reason", &HistoryRow::rule_reason},
    {"job", &HistoryRow::job},         {"user", &HistoryRow::user},
    {"fate", &HistoryRow::fate},       {"exit_code", &HistoryRow::exit_code},
    {"session", &HistoryRow::session}, {"account", &HistoryRow::account}};

/// The only field that is text in a database and an object in JSON.
bool are_numbers(const RowMember& member) {
  return member == RowMember(&HistoryRow::numbers);
}

Json json_of(int64_t value) {
  return value;
}
Json json_of(Instant value) {
  return format_utc(value);
}
Json json_of(const std::string& value) {
  return value.empty() ? Json() : Json(value);
}
Json json_of(const std::optional<int64_t>& value) {
  return value ? Json(*value) : Json();
}

/// Returns an empty object where the database holds something else.
Json numbers_of(const std::string& numbers) {
  const Json parsed = parse_json<Json>(numbers).value_or(Json());
  return parsed.is_object() ? parsed : Json::object();
}

/// Turns {"wanted":4,"released":3} into "wanted 4, released 3".
std::string numbers_in_words(const Json& numbers) {
  std::string text;
  for (const auto& [key, value] : numbers.items()) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', ' ');
    text += (text.empty() ? "" : ", ") + name + " " +
            value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return printable(text);
}

void read(const Json& json, const char* key, int64_t& value) {
  value = number_at(json, key);
}
void read(const Json& json, const char* key, Instant& value) {
  value = parse_time(has_text(json, key) ? text_at(json, key) : "", {}).value_or(Instant{});
}
void read(const Json& json, const char* key, std::string& value) {
  if (has_text(json, key)) value = printable(text_at(json, key));
}
void read(const Json& json, const char* key, std::optional<int64_t>& value) {
  if (!part_at(json, key).is_null()) value = number_at(json, key);
}

/// Reads a row of JSON back, its texts printable and its numbers in words. Throws where a value is
/// of another kind.
HistoryRow history_row_of(const Json& json) {
  HistoryRow row;
  for (const auto& [name, member] : kFields) {
    if (are_numbers(member)) {
      row.numbers = numbers_in_words(object_at(json, name));
    } else {
      std::visit([&, key = name](auto place) { read(json, key, row.*place); }, member);
    }
  }
  return row;
}

const std::string& subject(const HistoryRow& row) {
  return row.lease.empty() ? row.cluster : row.lease;
}

std::string movement(const HistoryRow& row) {
  std::string text;
  if (row.slots.value_or(0) != 0) {
    text = std::to_string(*row.slots) + (*row.slots == 1 ? " slot" : " slots");
  }
  if (row.from.empty() && row.to.empty()) return text;
  if (!text.empty()) text += ' ';
  return text + (row.from.empty() ? "-" : row.from) + " -> " + (row.to.empty() ? "-" : row.to);
}

/// Returns the order as it was typed, "drain east --provider"; people's reasons are quoted.
std::string order_in_words(const HistoryRow& row) {
  std::string text = row.verb;
  for (const std::string& part : {row.object, row.options}) {
    if (!part.empty()) text += (text.empty() ? "" : " ") + part;
  }
  return text;
}

/// Describes what an operator did or tried: what, why, by whom, from where.
std::string order_details(const HistoryRow& row) {
  std::string text = order_in_words(row);
  if (row.kind != "operator-command" && !row.reason.empty()) text += "; " + row.reason;
  if (row.kind == "operator-refused") text += "; " + row.numbers;
  if (!row.why.empty()) text += "; why: " + row.why;
  if (!row.by.empty()) text += "; by " + row.by;
  if (!row.where.empty()) text += " from " + row.where;
  return text;
}

/// Returns "job 42 of ann requeued, account physics". A session is named where its user does not
/// name it.
std::string job_in_words(const HistoryRow& row) {
  const bool by_user = row.session == "user " + row.user;
  return "job " + row.job + (row.user.empty() ? "" : " of " + row.user) + " " + row.fate +
         (row.exit_code ? ", exit code " + std::to_string(*row.exit_code) : "") +
         (row.account.empty() ? "" : ", account " + row.account) +
         (row.session.empty() || by_user ? "" : ", session " + row.session);
}

std::string details(const HistoryRow& row) {
  if (!row.verb.empty()) return order_details(row);
  std::string text = row.job.empty() ? "" : job_in_words(row);
  const std::string moved = movement(row);
  if (!moved.empty()) text += (text.empty() ? "" : "; ") + moved;
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  };
  add(row.reason);
  if (!row.rule_reason.empty()) add("rule: " + row.rule_reason);
  if (row.job.empty()) add(row.numbers);
  if (!row.by.empty()) add("by " + row.by);
  return text;
}

const char* colour_of(const std::string& kind) {
  if (kind == "flip" || kind == "lease-made" || kind == "transfer-done") return "\033[32m";
  if (kind == "breach" || kind == "alarm" || kind == "database-older") return "\033[31m";
  if (kind == "agent-lost" || kind == "transfer-failed" || kind == "operator-refused") {
    return "\033[33m";
  }
  if (kind.rfind("transfer", 0) == 0) return "\033[36m";
  return "";
}

std::string padded(std::string text, size_t width) {
  text.append(width - std::min(width, width_of(text)), ' ');
  return text;
}

}  // namespace

std::string timeline(const Json& list, bool colour) {
  std::vector<HistoryRow> rows;
  for (const Json& row : list) rows.push_back(history_row_of(row));
  size_t subject_width = 0;
  size_t kind_width = 0;
  for (const HistoryRow& row : rows) {
    subject_width = std::max(subject_width, std::max<size_t>(width_of(subject(row)), 1));
    kind_width = std::max(kind_width, width_of(row.kind));
  }
  std::string out;
  for (const HistoryRow& row : rows) {
    const std::string name = subject(row).empty() ? "-" : subject(row);
    const char* paint = colour ? colour_of(row.kind) : "";
    std::string line = format_utc(row.time) + "  " + padded(name, subject_width) + "  " + paint +
                       padded(row.kind, kind_width) + (*paint == '\0' ? "" : "\033[0m") + "  " +
                       details(row);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string history_csv(const Json& rows, bool header) {
  std::vector<std::string> cells;
  for (const HistoryField& field : kFields) cells.emplace_back(field.name);
  std::string out = header ? csv_line(cells) : "";
  for (const Json& row : rows) {
    cells.clear();
    for (const HistoryField& field : kFields) {
      const Json& value = part_at(row, field.name);
      const bool none = value.is_object() && value.empty();
      cells.push_back(none ? "" : path::cell_text(value));
    }
    out += csv_line(cells);
  }
  return out;
}

Json history_json(std::span<const HistoryRow> rows) {
  Json list = Json::array();
  for (const HistoryRow& row : rows) {
    Json& json = list.emplace_back(Json::object());
    for (const auto& [name, member] : kFields) {
      json[name] = are_numbers(member)
                       ? numbers_of(row.numbers)
                       : std::visit([&](auto place) { return json_of(row.*place); }, member);
    }
  }
  return list;
}

}  // namespace leasehold
