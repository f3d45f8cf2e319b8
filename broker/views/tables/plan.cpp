#include "broker/views/tables/plan.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/tables/columns.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

namespace {

using columns::Column;
using columns::text;
using Row = const Json&;

constexpr Column kValueColumns[] = {{"key", "  KEY", columns::kLeft, 0,
                                     [](Row r, const char* name) { return "  " + text(r, name); }},
                                    {"value", "VALUE"},
                                    {"from", "FROM"}};

/// Renders the rows of each resource group below its name.
template <class Show>
std::string by_group(const Json& rows, Show show) {
  std::string out;
  for (size_t i = 0; i < rows.size();) {
    Json group = Json::array();
    const std::string name = text(rows[i], "resource_group");
    for (; i < rows.size() && text(rows[i], "resource_group") == name; ++i) {
      group.push_back(rows[i]);
    }
    out += (out.empty() ? "" : "\n") + name + "\n" + show(group);
  }
  return out;
}

}  // namespace

std::string values_text(const Json& values, const TableStyle& style) {
  return columns::render(values, kValueColumns, style);
}

namespace {

/// Renders the agent's scheduling as values whose source is the agent.
std::string scheduling_text(const Json& scheduling, const TableStyle& style) {
  if (scheduling.is_null()) return "";
  Json values = Json::array();
  for (const auto& [key, value] : scheduling.items()) {
    values.push_back({{"key", key}, {"value", value}, {"from", "its agent"}});
  }
  return "work that must end, as its cluster chooses it\n" + values_text(values, style);
}

}  // namespace

std::string consumers_text(const Json& rows, const TableStyle& style) {
  if (rows.empty()) return style.header ? "there is no resource plan\n" : "";
  if (!style.header && !style.details) {
    return columns::render(rows, columns_of(listings::kConsumers), style);
  }
  return by_group(rows, [&](const Json& group) {
    if (!style.details) return columns::render(group, columns_of(listings::kConsumers), style);
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
  if (!style.details) return columns::render(rows, columns_of(listings::kGroups), style);
  std::string out;
  for (const Json& row : rows) {
    out += (out.empty() ? "" : "\n") + text(row, "resource_group") + " (" + text(row, "source") +
           ")\n" + values_text(list_at(row, "values"), style);
  }
  return out;
}

namespace {

bool is_unnamed(const Json& row) {
  return has_text(row, "counted") && text_at(row, "counted") == "unnamed";
}

std::string used_by_text(const Json& rows, const TableStyle& style) {
  std::string out = columns::render(rows, columns_of(listings::kUsedBy), style);
  for (const Json& row : rows) {
    if (!style.header || !is_unnamed(row)) continue;
    out += text(row, "cluster") + " reports work without a user: its use is one number\n";
  }
  return out;
}

}  // namespace

std::string usage_text(const Json& rows, const TableStyle& style) {
  if (rows.empty()) return style.header ? "nothing was leased\n" : "";
  if (!part_at(rows.front(), "by").is_null()) return used_by_text(rows, style);
  return columns::render(rows, columns_of(listings::kUsage), style);
}

}  // namespace leasehold
