#include "broker/views/tables/plan.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/tables/columns.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

namespace {

using columns::Column;
using columns::text;
using Row = const Json&;

/// Says which set of windows that may be open at once is in force.
std::string windows_of(Row row) {
  const int64_t variants = number_at(row, "variants");
  const int64_t now = number_at(row, "variant");
  if (variants <= 1) return "-";
  return (now == 0 ? "none" : std::to_string(now)) + " of " + std::to_string(variants - 1);
}

/// Returns "from /L 5, /M 2; to /B 3".
std::string partners(Row row) {
  std::string list;
  for (const auto& [word, key] : {std::pair("from", "borrowed_from"), std::pair("to", "lent_to")}) {
    bool first = true;
    for (const auto& [path, slots] : object_at(row, key).items()) {
      if (first) list += (list.empty() ? "" : "; ") + std::string(word);
      list += (first ? " " : ", ") + printable(path) + " " + columns::cell_text(slots);
      first = false;
    }
  }
  return list.empty() ? "-" : list;
}

/// BORROWED, LENT and SHARED are what is held now; the last column names the partners.
const std::vector<Column>& consumer_columns() {
  static const std::vector<Column> list{
      {"CONSUMER", [](Row r) { return text(r, "path"); }},
      {"CLUSTER", [](Row r) { return text(r, "cluster"); }},
      {"DEMAND", [](Row r) { return text(r, "demand"); }, true},
      {"QUOTA", [](Row r) { return text(r, "quota"); }, true},
      {"ALLOCATED", [](Row r) { return text(r, "allocated"); }, true},
      {"OWNED", [](Row r) { return text(r, "owned_in_use") + "/" + text(r, "owned"); }, true},
      {"BORROWED", [](Row r) { return text(r, "borrowed"); }, true},
      {"LENT", [](Row r) { return text(r, "lent"); }, true},
      {"SHARED", [](Row r) { return text(r, "shared"); }, true, false, 1},
      {"FREE", [](Row r) { return text(r, "free"); }, true, false, 2},
      {"REASON", [](Row r) { return text(r, "reason"); }, false, false, 3},
      {"BORROWED, LENT", partners, false, false, 4}};
  return list;
}

const std::vector<Column>& value_columns() {
  static const std::vector<Column> list{{"  KEY", [](Row r) { return "  " + text(r, "key"); }},
                                        {"VALUE", [](Row r) { return text(r, "value"); }},
                                        {"FROM", [](Row r) { return text(r, "from"); }}};
  return list;
}

std::string policies_of(Row row) {
  std::string list;
  for (const Json& policy : list_at(row, "policies")) {
    list += (list.empty() ? "" : ",") + printable(policy.get<std::string>());
  }
  return list;
}

/// Returns the value as a configuration writes it: texts in quotes.
std::string shown_value(const Json& value) {
  return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Lists the settings that differ from the usual: flags by their name, numbers with their value.
std::string switches_of(Row row) {
  static const Json kUsual{{"reclaim_shared", true},
                           {"share_enforcement", "leaf"},
                           {"net_policy_switch", true},
                           {"max_share_moved", 1.0}};
  std::string list;
  for (const auto& [name, value] : object_at(row, "switches").items()) {
    const Json usual = kUsual.value(name, value.is_boolean() ? Json(false) : Json(0));
    if (value == usual) continue;
    const std::string shown = value == true ? "" : "=" + shown_value(value);
    list += (list.empty() ? "" : " ") + printable(name) + shown;
  }
  return list.empty() ? "-" : list;
}

const std::vector<Column>& group_columns() {
  static const std::vector<Column> list{
      {"GROUP", [](Row r) { return text(r, "resource_group"); }},
      {"POLICY", [](Row r) { return text(r, "policy"); }},
      {"SLOTS", [](Row r) { return text(r, "slots"); }, true},
      {"CONFIGURED", [](Row r) { return text(r, "configured_slots"); }, true, false, 3},
      {"IDLE", [](Row r) { return text(r, "idle"); }, true},
      {"UNALLOCATED", [](Row r) { return text(r, "unallocated"); }, true},
      {"LEAVES", [](Row r) { return text(r, "leaves"); }, true, false, 1},
      {"EXPORT POLICIES", policies_of},
      {"CYCLE", [](Row r) { return columns::duration(r, "cycle_ms"); }, true, false, 2},
      {"PLACEMENT", [](Row r) { return text(r, "placement"); }, false, false, 5},
      {"WINDOWS", windows_of, true, false, 4},
      {"NEXT EVALUATION", [](Row r) { return columns::time(r, "next_evaluation"); }, false, false,
       6},
      {"SWITCHES", switches_of, false, false, 7}};
  return list;
}

const std::vector<Column>& usage_columns() {
  static const std::vector<Column> list{
      {"CLUSTER", [](Row r) { return text(r, "cluster"); }},
      {"CONSUMER", [](Row r) { return text(r, "consumer"); }},
      {"GROUP", [](Row r) { return text(r, "resource_group"); }},
      {"OWNED SLOT-S", [](Row r) { return text(r, "owned_slot_s"); }, true},
      {"LENT", [](Row r) { return text(r, "lent_slot_s"); }, true},
      {"BORROWED", [](Row r) { return text(r, "borrowed_slot_s"); }, true},
      {"SHARED", [](Row r) { return text(r, "shared_slot_s"); }, true},
      {"IN TRANSFER", [](Row r) { return text(r, "in_transfer_slot_s"); }, true}};
  return list;
}

/// Renders the rows of each resource group below its name.
template <class Show>
std::string by_group(const Json& rows, Show show) {
  std::string out;
  for (size_t i = 0; i < rows.size();) {
    Json group = Json::array();
    const std::string name = text(rows[i], "resource_group");
    for (; i < rows.size() && text(rows[i], "resource_group") == name; ++i)
      group.push_back(rows[i]);
    out += (out.empty() ? "" : "\n") + name + "\n" + show(group);
  }
  return out;
}

}  // namespace

std::string values_text(const Json& values, const TableStyle& style) {
  return columns::render(values, value_columns(), style);
}

namespace {

/// Renders the agent's scheduling as values whose source is the agent.
std::string scheduling_text(const Json& scheduling, const TableStyle& style) {
  if (scheduling.is_null()) return "";
  Json values = Json::array();
  for (const auto& [key, value] : scheduling.items())
    values.push_back({{"key", key}, {"value", value}, {"from", "its agent"}});
  return "work that must end, as its cluster chooses it\n" + values_text(values, style);
}

}  // namespace

std::string consumers_text(const Json& rows, const TableStyle& style) {
  if (rows.empty()) return style.header ? "there is no resource plan\n" : "";
  if (!style.header && !style.details) return columns::render(rows, consumer_columns(), style);
  return by_group(rows, [&](const Json& group) {
    if (!style.details) return columns::render(group, consumer_columns(), style);
    std::string out;
    for (const Json& row : group) {
      out += (out.empty() ? "" : "\n") + text(row, "path") + "\n" +
             values_text(list_at(row, "values"), style);
      out += scheduling_text(object_at(row, "scheduling"), style);
    }
    return out;
  });
}

std::string groups_text(const Json& rows, const TableStyle& style) {
  if (rows.empty()) return style.header ? "no resource group is configured\n" : "";
  if (!style.details) return columns::render(rows, group_columns(), style);
  std::string out;
  for (const Json& row : rows) {
    out += (out.empty() ? "" : "\n") + text(row, "resource_group") + " (" + text(row, "source") +
           ")\n" + values_text(list_at(row, "values"), style);
  }
  return out;
}

std::string usage_text(const Json& rows, const TableStyle& style) {
  if (rows.empty()) return style.header ? "nothing was leased\n" : "";
  return columns::render(rows, usage_columns(), style);
}

}  // namespace leasehold
