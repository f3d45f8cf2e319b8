#include "broker/replay/timeline.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/views/tables/csv.hpp"
#include "common/reason.hpp"
#include "common/text/json_text.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

namespace {

constexpr std::string HistoryRow::*kTexts[] = {
    &HistoryRow::kind,        &HistoryRow::lease, &HistoryRow::cluster, &HistoryRow::reason,
    &HistoryRow::from,        &HistoryRow::to,    &HistoryRow::numbers, &HistoryRow::by,
    &HistoryRow::rule_reason, &HistoryRow::job,   &HistoryRow::user,    &HistoryRow::fate};

const std::string& subject(const HistoryRow& row) {
  return row.lease.empty() ? row.cluster : row.lease;
}

/// Turns {"wanted":4,"released":3} into "wanted 4, released 3".
std::string numbers_in_words(const std::string& numbers) {
  const Result<Json> parsed = parse_json<Json>(numbers);
  if (!parsed || !parsed->is_object()) return numbers;
  std::string text;
  for (const auto& [key, value] : parsed->items()) {
    std::string name = printable(key);
    std::replace(name.begin(), name.end(), '_', ' ');
    text += (text.empty() ? "" : ", ") + name + " " + value.dump();
  }
  return text;
}

/// Returns null where the database holds something else.
Json numbers_of(const HistoryRow& row) {
  if (row.numbers.empty()) return Json::object();
  return parse_json<Json>(row.numbers).value_or(Json());
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
  if (row.kind == "operator-refused") text += "; " + numbers_in_words(row.numbers);
  if (!row.why.empty()) text += "; why: " + row.why;
  if (!row.by.empty()) text += "; by " + row.by;
  if (!row.where.empty()) text += " from " + row.where;
  return text;
}

/// Returns "job 42 of ann requeued".
std::string job_in_words(const HistoryRow& row) {
  return "job " + row.job + (row.user.empty() ? "" : " of " + row.user) + " " + row.fate +
         (row.exit_code ? ", exit code " + std::to_string(*row.exit_code) : "");
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
  if (!row.numbers.empty() && row.job.empty()) add(numbers_in_words(row.numbers));
  if (!row.by.empty()) add("by " + row.by);
  return text;
}

const char* colour_of(const std::string& kind) {
  if (kind == "flip" || kind == "lease-made" || kind == "transfer-done") return "\033[32m";
  if (kind == "breach" || kind == "alarm" || kind == "database-older") return "\033[31m";
  if (kind == "agent-lost" || kind == "transfer-failed" || kind == "operator-refused")
    return "\033[33m";
  if (kind.rfind("transfer", 0) == 0) return "\033[36m";
  return "";
}

std::string padded(std::string text, size_t width) {
  text.append(width - std::min(width, width_of(text)), ' ');
  return text;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}
Json integer_or_null(const std::optional<int64_t>& value) {
  return value ? Json(*value) : Json();
}
std::string integer(const std::optional<int64_t>& value) {
  return value ? std::to_string(*value) : "";
}

}  // namespace

std::string timeline(std::span<const HistoryRow> as_kept, bool colour) {
  std::vector<HistoryRow> rows(as_kept.begin(), as_kept.end());
  for (HistoryRow& row : rows) {
    for (std::string HistoryRow::*text : kTexts) row.*text = printable(row.*text);
  }
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

std::string history_csv(std::span<const HistoryRow> rows) {
  std::string out =
      "id,time,kind,lease,epoch,cluster,reason,slots,from,to,numbers,by,verb,object,options,"
      "where,why,rule_reason,job,user,fate,exit_code\n";
  for (const HistoryRow& row : rows) {
    out += csv_line({std::to_string(row.id),
                     format_utc(row.time),
                     row.kind,
                     row.lease,
                     integer(row.epoch),
                     row.cluster,
                     row.reason,
                     integer(row.slots),
                     row.from,
                     row.to,
                     row.numbers,
                     row.by,
                     row.verb,
                     row.object,
                     row.options,
                     row.where,
                     row.why,
                     row.rule_reason,
                     row.job,
                     row.user,
                     row.fate,
                     integer(row.exit_code)});
  }
  return out;
}

Json history_json(std::span<const HistoryRow> rows) {
  Json list = Json::array();
  for (const HistoryRow& row : rows) {
    const Json numbers = numbers_of(row);
    list.push_back({{"id", row.id},
                    {"time", format_utc(row.time)},
                    {"kind", row.kind},
                    {"lease", text_or_null(row.lease)},
                    {"epoch", integer_or_null(row.epoch)},
                    {"cluster", text_or_null(row.cluster)},
                    {"reason", text_or_null(row.reason)},
                    {"slots", integer_or_null(row.slots)},
                    {"from", text_or_null(row.from)},
                    {"to", text_or_null(row.to)},
                    {"numbers", numbers.is_object() ? numbers : Json::object()},
                    {"by", text_or_null(row.by)},
                    {"verb", text_or_null(row.verb)},
                    {"object", text_or_null(row.object)},
                    {"options", text_or_null(row.options)},
                    {"where", text_or_null(row.where)},
                    {"why", text_or_null(row.why)},
                    {"rule_reason", text_or_null(row.rule_reason)},
                    {"job", text_or_null(row.job)},
                    {"user", text_or_null(row.user)},
                    {"fate", text_or_null(row.fate)},
                    {"exit_code", integer_or_null(row.exit_code)}});
  }
  return list;
}

}  // namespace leasehold
