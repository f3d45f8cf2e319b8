// The table of export policies.
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/tables/columns.hpp"
#include "broker/views/tables/plan.hpp"
#include "broker/views/tables/tables.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

namespace {

using columns::Column;
using columns::kLeft;
using columns::kOnlyWide;
using columns::kRight;
using columns::text;

using Row = const Json&;

constexpr const char* kNone = "no export policy is configured\n";

std::string hosts_of_policy(Row row, const char* name) {
  if (has_text(row, "select")) return text(row, "nhosts") + " x " + text(row, "select");
  std::string list;
  for (const Json& host : list_at(row, name)) {
    list += (list.empty() ? "" : ",") + printable(host.get<std::string>());
  }
  return list + " x " + text(row, "slots_per_host");
}

std::string distribution_of(Row row, const char* name) {
  std::string list;
  for (const Json& share : list_at(row, name)) {
    list += (list.empty() ? "" : " ") + text(share, "cluster") + "=" + text(share, "shares");
  }
  return list;
}

constexpr Column kPolicyColumns[] = {{"policy", "POLICY"},
                                     {"provider", "PROVIDER"},
                                     {"type", "TYPE", kLeft, 1},
                                     {"rule", "RULE"},
                                     {"hosts", "HOSTS", kLeft, 0, hosts_of_policy},
                                     {"distribution", "CONSUMERS", kLeft, 0, distribution_of},
                                     {"open", "OPEN"},
                                     {"leases", "LEASES", kRight, 2},
                                     {"source", "SOURCE", kLeft, 3},
                                     {"resource_group", "GROUP", kLeft, kOnlyWide}};

/// Lists the hosts that policies name and no agent reports.
std::string unknown_text(const Json& rows) {
  std::string out;
  for (const Json& row : rows) {
    std::string names;
    for (const Json& host : list_at(row, "unknown_hosts")) {
      names += (names.empty() ? "" : ", ") + printable(host.get<std::string>());
    }
    if (names.empty()) continue;
    out += text(row, "policy") + ": unknown to the agent of " + text(row, "provider") + ": " +
           names + "\n";
  }
  return out.empty() ? out : "\n" + out;
}

/// Lists the hosts that may not be split and of which policies export a part.
std::string indivisible_text(const Json& row) {
  std::string out;
  for (const Json& host : list_at(row, "indivisible_hosts")) {
    out += text(row, "policy") + ": nothing is lent of " + text(host, "host") +
           ", which may not be split (" + text(host, "division") + "): " + text(host, "mend") +
           "\n";
  }
  return out;
}

std::string indivisible_texts(const Json& rows) {
  std::string out;
  for (const Json& row : rows) out += indivisible_text(row);
  return out.empty() ? out : "\n" + out;
}

}  // namespace

std::string policies_text(const Json& rows, const TableStyle& style) {
  if (!style.details) {
    if (rows.empty()) return style.header ? kNone : "";
    const std::string out = columns::render(rows, kPolicyColumns, style);
    return style.header ? out + unknown_text(rows) + indivisible_texts(rows) : out;
  }
  std::string out;
  for (const Json& row : rows) {
    out += (out.empty() ? "" : "\n") + text(row, "policy") + " (" + text(row, "source") + ")\n" +
           values_text(list_at(row, "values"), style) + indivisible_text(row);
  }
  return out.empty() ? kNone : out;
}

}  // namespace leasehold
