#include "broker/views/tables/compare.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

namespace {

using columns::Column;
using columns::text;

using Row = const Json&;

constexpr const char* kNone =
    "no policy had a shadow then; a policy has one by shadow = \"…\" beside its rule\n";
constexpr const char* kHonest =
    "The shadow judged each time the slots as the rule in force had left them, so it\n"
    "may name the same slots several times.\n";

using columns::duration;

const std::vector<Column>& compare_columns() {
  static const std::vector<Column> list{
      {"LEASE", [](Row r) { return text(r, "lease"); }},
      {"RULE", [](Row r) { return text(r, "rule"); }, false, false, 2},
      {"SHADOW", [](Row r) { return text(r, "shadow"); }},
      {"FLIPS", [](Row r) { return text(r, "flips"); }, true},
      {"MOVED", [](Row r) { return text(r, "slots_moved"); }, true},
      {"WOULD FLIP", [](Row r) { return text(r, "shadow_moves"); }, true},
      {"WOULD MOVE", [](Row r) { return text(r, "shadow_slots"); }, true},
      {"SAME", [](Row r) { return duration(r, "same_ms"); }, true},
      {"DIFFERED", [](Row r) { return duration(r, "differed_ms"); }, true},
      {"DECIDED", [](Row r) { return text(r, "rule_moves"); }, true, false, columns::kOnlyWide},
      {"OF SLOTS", [](Row r) { return text(r, "rule_slots"); }, true, false, columns::kOnlyWide},
      {"EVALUATIONS", [](Row r) { return text(r, "evaluations"); }, true, false,
       columns::kOnlyWide}};
  return list;
}

const std::vector<Column>& reason_columns() {
  static const std::vector<Column> list{
      {"LEASE", [](Row r) { return text(r, "lease"); }},
      {"RULE FOUND", [](Row r) { return text(r, "rule_reason"); }},
      {"SHADOW FOUND", [](Row r) { return text(r, "shadow_reason"); }},
      {"SAME", [](Row r) { return std::string(flag_at(r, "same") ? "yes" : "no"); }},
      {"FOR", [](Row r) { return duration(r, "ms"); }, true},
      {"TIMES", [](Row r) { return text(r, "evaluations"); }, true}};
  return list;
}

/// Returns one row for each pair of answers of each lease.
Json reasons_of(const Json& rows) {
  Json list = Json::array();
  for (const Json& row : rows) {
    for (Json reason : list_at(row, "reasons")) {
      require_object(reason);
      reason["lease"] = part_at(row, "lease");
      list.push_back(std::move(reason));
    }
  }
  return list;
}

std::string in_all(const Json& rows) {
  std::map<std::string, int64_t> sums;
  for (const Json& row : rows) {
    for (const char* key :
         {"flips", "slots_moved", "shadow_moves", "shadow_slots", "same_ms", "differed_ms"}) {
      int64_t sum = 0;
      const bool fits = !__builtin_add_overflow(sums[key], number_at(row, key), &sum);
      if (fits) sums[key] = sum;
    }
  }
  return rows::count_of(static_cast<int64_t>(rows.size()), "row") + ": the rules in force moved " +
         rows::count_of(sums["slots_moved"], "slot") + " in " +
         rows::count_of(sums["flips"], "flip") + ";\nthe shadows would have moved " +
         rows::count_of(sums["shadow_slots"], "slot") + " in " +
         rows::count_of(sums["shadow_moves"], "decision") + ";\nboth said the same for " +
         format_duration(sums["same_ms"]) + ", and differed for " +
         format_duration(sums["differed_ms"]) + "\n";
}

}  // namespace

std::string compare_text(const Json& rows, const TableStyle& style) {
  if (rows.empty()) return style.header ? kNone : "";
  const std::string table = columns::render(rows, compare_columns(), style);
  if (!style.header) return table;
  const Json reasons = reasons_of(rows);
  return table + (reasons.empty() ? "" : "\n" + columns::render(reasons, reason_columns(), style)) +
         "\n" + in_all(rows) + kHonest;
}

}  // namespace leasehold
