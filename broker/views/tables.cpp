#include "broker/views/tables.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/columns.hpp"
#include "broker/views/tables_plan.hpp"

namespace leasehold {

namespace {

using columns::Column;
using columns::slots;
using columns::text;

using Row = const Json&;

const std::vector<Column>& cluster_columns() {
  static const std::vector<Column> list{
      {"CLUSTER", [](Row r) { return text(r, "cluster"); }},
      {"REMOTE", [](Row r) { return text(r, "remote"); }},
      {"FLOW", [](Row r) { return text(r, "flow"); }},
      {"STATUS", [](Row r) { return text(r, "status"); }, false, true},
      {"AGENT", [](Row r) { return text(r, "agent"); }, false, true},
      {"OWN", [](Row r) { return text(r, "slots", "own"); }, true},
      {"EXPORTED", [](Row r) { return text(r, "slots", "exported"); }, true},
      {"IMPORTED", [](Row r) { return text(r, "slots", "imported"); }, true},
      {"LEASES", [](Row r) { return text(r, "leases"); }, true},
      {"LAST REPORT", [](Row r) { return columns::time(r, "last_report"); }},
      {"REASON", [](Row r) { return text(r, "reason"); }}};
  return list;
}

const std::vector<Column>& lease_columns() {
  static const std::vector<Column> list{
      {"LEASE", [](Row r) { return text(r, "id"); }},
      {"PROVIDER", [](Row r) { return text(r, "provider"); }},
      {"USED/AVAIL", [](Row r) { return slots(r, "provider_slots"); }, true},
      {"CONSUMER", [](Row r) { return text(r, "consumer"); }},
      {"USED/AVAIL", [](Row r) { return slots(r, "consumer_slots"); }, true},
      {"MOVING", [](Row r) { return text(r, "in_transfer"); }, true},
      {"PHASE", [](Row r) { return text(r, "phase"); }, false, true},
      {"FLIPS", [](Row r) { return text(r, "flips"); }, true},
      {"NEXT EVALUATION", [](Row r) { return columns::time(r, "next_evaluation"); }},
      {"REASON", [](Row r) { return text(r, "reason"); }}};
  return list;
}

std::string leased_to(Row row) {
  std::string list;
  for (const Json& part : row["leased_to"]) {
    list += (list.empty() ? "" : " ") + text(part, "cluster") + "=" + text(part, "slots");
  }
  return list.empty() ? "-" : list;
}

const std::vector<Column>& host_columns() {
  static const std::vector<Column> list{
      {"HOST", [](Row r) { return text(r, "host") + "@" + text(r, "cluster"); }},
      {"STATE", [](Row r) { return text(r, "state"); }, false, true},
      {"SLOTS", [](Row r) { return text(r, "slots"); }, true},
      {"USED", [](Row r) { return text(r, "used"); }, true},
      {"EXPORTED", [](Row r) { return text(r, "exported"); }, true},
      {"LEASED TO", leased_to}};
  return list;
}

std::string hosts_of_policy(Row row) {
  if (row["select"].is_string()) return text(row, "nhosts") + " x " + text(row, "select");
  std::string list;
  for (const Json& host : row["hosts"]) {
    list += (list.empty() ? "" : ",") + columns::printable(host.get<std::string>());
  }
  return list + " x " + text(row, "slots_per_host");
}

std::string distribution_of(Row row) {
  std::string list;
  for (const Json& share : row["distribution"]) {
    list += (list.empty() ? "" : " ") + text(share, "cluster") + "=" + text(share, "shares");
  }
  return list;
}

const std::vector<Column>& policy_columns() {
  static const std::vector<Column> list{{"POLICY", [](Row r) { return text(r, "policy"); }},
                                        {"PROVIDER", [](Row r) { return text(r, "provider"); }},
                                        {"TYPE", [](Row r) { return text(r, "type"); }},
                                        {"RULE", [](Row r) { return text(r, "rule"); }},
                                        {"HOSTS", hosts_of_policy},
                                        {"CONSUMERS", distribution_of},
                                        {"OPEN", [](Row r) { return text(r, "open"); }},
                                        {"LEASES", [](Row r) { return text(r, "leases"); }, true},
                                        {"SOURCE", [](Row r) { return text(r, "source"); }}};
  return list;
}

const std::vector<Column>& lease_host_columns() {
  static const std::vector<Column> list{
      {"HOST", [](Row r) { return text(r, "host"); }},
      {"STATE", [](Row r) { return text(r, "state"); }, false, true},
      {"PROVIDER", [](Row r) { return text(r, "provider_used") + "/" + text(r, "provider_slots"); },
       true},
      {"CONSUMER", [](Row r) { return text(r, "consumer_used") + "/" + text(r, "consumer_slots"); },
       true},
      {"MOVING", [](Row r) { return text(r, "in_transfer"); }, true}};
  return list;
}

const std::vector<Column>& transfer_columns() {
  static const std::vector<Column> list{{"TRANSFER", [](Row r) { return text(r, "id"); }, true},
                                        {"FROM", [](Row r) { return text(r, "from"); }},
                                        {"TO", [](Row r) { return text(r, "to"); }},
                                        {"SLOTS", [](Row r) { return text(r, "slots"); }, true},
                                        {"STEP", [](Row r) { return text(r, "step"); }},
                                        {"SINCE", [](Row r) { return columns::time(r, "since"); }}};
  return list;
}

const std::vector<Column>& decision_columns() {
  static const std::vector<Column> list{{"TIME", [](Row r) { return columns::time(r, "time"); }},
                                        {"WHAT", [](Row r) { return text(r, "kind"); }},
                                        {"REASON", [](Row r) { return text(r, "reason"); }},
                                        {"SLOTS", [](Row r) { return text(r, "slots"); }, true},
                                        {"FROM", [](Row r) { return text(r, "from"); }},
                                        {"TO", [](Row r) { return text(r, "to"); }}};
  return list;
}

const std::vector<Column>& change_columns() {
  static const std::vector<Column> list{
      {"LEASE", [](Row r) { return text(r, "lease"); }},
      {"PROVIDER", [](Row r) { return text(r, "provider"); }},
      {"CONSUMER", [](Row r) { return text(r, "consumer"); }},
      {"SLOTS NOW", [](Row r) { return text(r, "slots_before"); }, true},
      {"THEN", [](Row r) { return text(r, "slots_after"); }, true},
      {"RUNNING WORK ON", [](Row r) { return text(r, "slots_used_losing"); }, true}};
  return list;
}

std::string list_of(const Json& rows, const std::vector<Column>& columns, const char* none,
                    const TableStyle& style) {
  return rows.empty() ? std::string(none) + "\n" : columns::render(rows, columns, style.colour);
}

/// Refusals are more than their token: each once, below the table.
std::string clusters_text(const Json& rows, const TableStyle& style) {
  std::string out = list_of(rows, cluster_columns(), "no cluster is configured", style);
  std::string seen;
  for (const Json& row : rows) {
    const std::string line = text(row, "cluster") + ": " + text(row, "detail") + "\n";
    if (!row["detail"].is_string() || seen.find(line) != std::string::npos) continue;
    seen += line;
  }
  return seen.empty() ? out : out + "\n" + seen;
}

std::string lease_text(const Json& lease, const TableStyle& style) {
  std::string out = columns::render(Json::array({lease}), lease_columns(), style.colour);
  out += "\n" + columns::render(lease["hosts"], lease_host_columns(), style.colour);
  if (!lease["transfers"].empty()) {
    out += "\n" + columns::render(lease["transfers"], transfer_columns(), style.colour);
  }
  if (!lease["decisions"].empty()) {
    out += "\n" + columns::render(lease["decisions"], decision_columns(), style.colour);
  }
  return out;
}

std::string policies_text(const Json& rows, const TableStyle& style) {
  if (!style.details) {
    return list_of(rows, policy_columns(), "no export policy is configured", style);
  }
  std::string out;
  for (const Json& row : rows) {
    out += (out.empty() ? "" : "\n") + text(row, "policy") + " (" + text(row, "source") + ")\n" +
           values_text(row["values"], style);
  }
  return out.empty() ? "no export policy is configured\n" : out;
}

std::string explain_text(const Json& row, const TableStyle& style) {
  std::string out = text(row, "id") + "  " + columns::coloured(text(row, "phase"), style.colour) +
                    "\n" + text(row, "reason") + ": " + text(row, "sentence") + "\n";
  if (row["evaluated_at"].is_string())
    out += "found at " + columns::time(row, "evaluated_at") + "\n";
  if (!row["numbers"].empty()) out += "from:\n";
  for (const auto& [name, value] : row["numbers"].items()) {
    out += "  " + name + " = " + value.dump() + "\n";
  }
  out += "now: provider " + slots(row["now"], "provider_slots") + " slots used, consumer " +
         slots(row["now"], "consumer_slots") + "\n";
  if (row["waits_for"].is_string()) out += "waits for: " + text(row, "waits_for") + "\n";
  if (!row["would_change"].empty()) out += "what would change it:\n";
  for (const Json& line : row["would_change"]) {
    out += "  - " + columns::printable(line.get<std::string>()) + "\n";
  }
  return out;
}

}  // namespace

std::string table_of(const std::string& command, const Json& answer, const TableStyle& style) {
  if (command == "clusters") return clusters_text(answer, style);
  if (command == "leases") return list_of(answer, lease_columns(), "there are no leases", style);
  if (command == "lease") return lease_text(answer, style);
  if (command == "hosts") {
    return list_of(answer, host_columns(),
                   style.exported_only ? "no host is exported" : "no agent has reported hosts",
                   style);
  }
  if (command == "policies") return policies_text(answer, style);
  if (command == "groups") return groups_text(answer, style);
  if (command == "consumers") return consumers_text(answer, style);
  if (command == "usage") return usage_text(answer, style);
  if (command == "explain") return explain_text(answer, style);
  if (command == "reload") {
    const std::string reclaims = reclaims_text(answer);
    return list_of(answer, change_columns(), "no lease gains or loses slots", style) +
           (reclaims.empty() ? "" : "\n" + reclaims);
  }
  return answer.dump(2) + "\n";
}

}  // namespace leasehold
