#include "broker/views/tables/compare.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

namespace {

using columns::Column;

constexpr const char* kNone =
    "no policy had a shadow then; a policy has one by shadow = \"…\" beside its rule\n";
constexpr const char* kHonest =
    "The shadow judged each time the slots as the rule in force had left them, so it\n"
    "may name the same slots several times.\n";

constexpr Column kReasonColumns[] = {{"lease", "LEASE"},
                                     {"rule_reason", "RULE FOUND"},
                                     {"shadow_reason", "SHADOW FOUND"},
                                     {"same", "SAME"},
                                     {"ms", "FOR", kRight, 0, columns::duration},
                                     {"evaluations", "TIMES", kRight}};

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
  const std::string table = columns::render(rows, columns_of(listings::kCompare), style);
  if (!style.header) return table;
  const Json reasons = reasons_of(rows);
  return table + (reasons.empty() ? "" : "\n" + columns::render(reasons, kReasonColumns, style)) +
         "\n" + in_all(rows) + kHonest;
}

}  // namespace leasehold
