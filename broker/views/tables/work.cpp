#include "broker/views/tables/work.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "broker/views/answer.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

namespace {

using columns::Column;
using columns::kLeft;
using columns::kRight;
using columns::text;

using Row = const Json&;

std::string types_of(Row row, const char* name) {
  std::string list;
  for (const Json& type : list_at(row, name)) {
    list += (list.empty() ? "" : " ") + printable(type.get<std::string>());
  }
  return list.empty() ? "any" : list;
}

/// Returns "4, whole": the slots needed on each host, and whether the host must be whole.
std::string on_a_host(Row row, const char* name) {
  const Json& whole = part_at(row, "whole");
  return text(row, name) + (whole == true ? ", whole" : "");
}

constexpr Column kDemandColumns[] = {{"cluster", "CLUSTER"},
                                     {"jobs", "JOBS WAIT", kRight},
                                     {"slots", "SLOTS", kRight},
                                     {"slots_per_host", "ON A HOST", kRight, 0, on_a_host},
                                     {"hosts", "HOSTS", kRight},
                                     {"limit", "LIMIT"},
                                     {"oldest", "OLDEST", kLeft, 0, columns::time},
                                     {"host_types", "HOST TYPES", kLeft, 0, types_of}};

constexpr Column kEndingColumns[] = {
    {"cluster", "CLUSTER"}, {"left", "ENDS WITHIN"}, {"slots", "SLOTS", kRight}};

/// Returns "12.5 %" for 125 thousandths.
std::string percent(int64_t milli) {
  return std::to_string(milli / 10) + "." + std::to_string(milli % 10) + " %";
}

struct WorkTables {
  Json demand = Json::array();
  Json ending = Json::array();
  std::string words;
};

void add_named(Json& rows, const Json& more, const std::string& cluster) {
  for (Json row : more) {
    require_object(row);
    row["cluster"] = cluster;
    rows.push_back(std::move(row));
  }
}

void add(WorkTables& tables, const Json& work, const std::string& cluster) {
  const Json& demand = list_at(work, "demand");
  const Json& ending = object_at(work, "ending");
  add_named(tables.demand, demand, cluster);
  if (demand.is_null() && part_at(work, "pending").is_number()) {
    tables.words += printable(cluster) + ": " + text(work, "pending") +
                    " slots wanted; its agent does not say in which shapes\n";
  }
  if (ending.is_null()) return;
  add_named(tables.ending, list_at(ending, "slots"), cluster);
  const std::optional<int64_t> error = integer_at(ending, "error_milli");
  if (!error || *error < 0) return;
  tables.words += printable(cluster) + ": expected ends were wrong by " + percent(*error) +
                  " of the length in the mean\n";
}

}  // namespace

std::string work_text(const Json& rows, const TableStyle& style) {
  WorkTables tables;
  std::set<std::string> seen;
  for (const Json& row : rows) {
    const std::string cluster = text_at(row, "cluster");
    const Json& work = object_at(row, "work");
    if (!work.is_null() && seen.insert(cluster).second) add(tables, work, cluster);
  }
  std::string out;
  if (!tables.demand.empty()) {
    out += "\n" + columns::render(tables.demand, kDemandColumns, style);
  }
  if (!tables.ending.empty()) {
    out += "\n" + columns::render(tables.ending, kEndingColumns, style);
  }
  return tables.words.empty() ? out : out + "\n" + tables.words;
}

}  // namespace leasehold
