#include "broker/ctl/plan/answer.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/views/plan/json.hpp"
#include "broker/views/plan/lookup.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/tables/columns.hpp"
#include "common/reason.hpp"

namespace leasehold::ctl {

namespace {

using columns::Column;
using columns::kLeft;
using columns::kRight;
using columns::text;
using rows::count_of;
using Row = const Json&;

constexpr Column kConsumerColumns[] = {
    {"path", "CONSUMER"},
    {"demand", "DEMAND", kRight},
    {"allocated", "ALLOCATED", kRight},
    {"quota", "QUOTA", kRight},
    {"change", "CHANGE", kRight, 0,
     [](Row r, const char* name) { return (r[name] > 0 ? "+" : "") + text(r, name); }},
    {"owned", "OWNED", kRight},
    {"reserved", "RESERVED", kRight},
    {"limit", "LIMIT", kRight},
    {"borrowed", "BORROWED", kRight},
    {"lent", "LENT", kRight},
    {"shared", "SHARED", kRight},
    {"free", "FREE", kRight}};

constexpr Column kMoveColumns[] = {
    {"slots", "SLOTS", kRight},
    {"from", "FROM", kLeft, 0,
     [](Row r, const char* name) { return r[name].is_null() ? "(idle)" : text(r, name); }},
    {"to", "TO", kLeft, 0,
     [](Row r, const char* name) { return r[name].is_null() ? "(nobody)" : text(r, name); }},
    {"grace_s", "GRACE", kRight, 0,
     [](Row r, const char* name) { return r["kind"] == "reclaim" ? text(r, name) + " s" : "-"; }},
    {"reason", "REASON"},
    {"detail", "BECAUSE"}};

std::string heading(const Plan& plan, const PlanAnswer& answer, std::optional<Instant> at) {
  std::string text = plan.name + ": " + token(plan.policy) + ", " + count_of(answer.slots, "slot");
  if (answer.idle < 0) {
    text += ", " + std::to_string(-answer.idle) + " more held than exist";
  } else {
    text += ", " + std::to_string(answer.idle) + " idle";
  }
  return text + (at ? ", at " + format_utc(*at) : ", outside of every window") + "\n";
}

/// Returns for each consumer, by position, whether it is a leaf.
std::vector<bool> leaves_of(const Plan& plan) {
  std::vector<bool> leaves(plan.consumers.size(), true);
  for (const PlanConsumer& consumer : plan.consumers) {
    if (consumer.parent != kNoIndex) leaves[consumer.parent] = false;
  }
  return leaves;
}

/// Returns "gain: /A 8, /B 2"; "" if nobody does.
std::string changed(const Plan& plan, const PlanAnswer& answer, bool gains) {
  const std::vector<bool> leaves = leaves_of(plan);
  std::string list;
  for (const PlanRow& row : answer.rows) {
    if (row.change == 0 || (row.change > 0) != gains || !leaves[row.consumer]) continue;
    list += (list.empty() ? "" : ", ") + plan.consumers[row.consumer].path + " " +
            std::to_string(row.change > 0 ? row.change : -row.change);
  }
  return list.empty() ? "" : (gains ? "gain: " : "lose: ") + list + "\n";
}

std::string given_up_later(const Plan& plan, const PlanAnswer& answer) {
  const std::vector<bool> leaves = leaves_of(plan);
  std::string text;
  for (const PlanRow& row : answer.rows) {
    if (row.shrink == 0 || !leaves[row.consumer]) continue;
    text += plan.consumers[row.consumer].path + " gives up " + count_of(row.shrink, "slot") +
            " as its work ends\n";
  }
  return text;
}

std::string reclaims(const PlanAnswer& answer) {
  int64_t slots = 0;
  int64_t longest_ms = 0;
  for (const PlanMove& move : answer.moves) {
    if (!move.reclaim()) continue;
    slots += move.slots;
    longest_ms = std::max(longest_ms, move.grace_ms);
  }
  if (slots == 0) return "";
  return count_of(slots, "slot") + " would be reclaimed; work that runs there has " +
         (longest_ms == 0 ? "no grace" : "at most " + format_duration(longest_ms)) +
         " before it is ended and requeued\n";
}

}  // namespace

Json plan_json(const Plan& plan, const PlanAnswer& answer) {
  Json json;
  json["resource_group"] = plan.name;
  json["slots"] = answer.slots;
  json["idle"] = answer.idle;
  json["consumers"] = Json::array();
  for (const PlanRow& row : answer.rows) json["consumers"].push_back(plan_row_json(plan, row));
  json["moves"] = Json::array();
  for (const PlanMove& move : answer.moves) json["moves"].push_back(plan_move_json(plan, move));
  return json;
}

std::string plan_text(const Plan& plan, const PlanAnswer& answer, std::optional<Instant> at) {
  const Json json = plan_json(plan, answer);
  std::string text = heading(plan, answer, at) + "\n" +
                     columns::render(json["consumers"], kConsumerColumns, {}) + "\n";
  if (answer.moves.empty()) {
    text += "Nothing would move.\n";
  } else {
    text += columns::render(json["moves"], kMoveColumns, {}) + "\n";
    text += changed(plan, answer, true) + changed(plan, answer, false) + reclaims(answer);
  }
  return text + given_up_later(plan, answer);
}

}  // namespace leasehold::ctl
