#include "broker/views/tables/tables.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/leases/order_words.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/tables/columns.hpp"
#include "broker/views/tables/explain.hpp"
#include "broker/views/tables/plan.hpp"
#include "broker/views/tables/work.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

namespace {

using columns::Column;
using columns::kLeft;
using columns::kRight;
using columns::kStatus;
using columns::slots;
using columns::text;

using Row = const Json&;

constexpr Column kLeaseHostColumns[] = {
    {"host", "HOST"},
    {"state", "STATE", kStatus},
    {"provider_used", "PROVIDER", kRight, 0,
     [](Row r, const char* name) { return text(r, name) + "/" + text(r, "provider_slots"); }},
    {"consumer_used", "CONSUMER", kRight, 0,
     [](Row r, const char* name) { return text(r, name) + "/" + text(r, "consumer_slots"); }},
    {"in_transfer", "MOVING", kRight},
    {"unallocated", "UNALLOCATED", kRight}};

constexpr Column kTransferColumns[] = {
    {"id", "TRANSFER", kRight}, {"from", "FROM"}, {"to", "TO"},
    {"slots", "SLOTS", kRight}, {"step", "STEP"}, {"since", "SINCE", kLeft, 0, columns::time}};

constexpr Column kDecisionColumns[] = {{"time", "TIME", kLeft, 0, columns::time},
                                       {"kind", "WHAT"},
                                       {"reason", "REASON"},
                                       {"slots", "SLOTS", kRight},
                                       {"from", "FROM"},
                                       {"to", "TO"}};

std::string list_of(const Json& rows, const Listing& list, const char* none,
                    const TableStyle& style) {
  if (!rows.empty()) return columns::render(rows, columns_of(list), style);
  return style.header ? std::string(none) + "\n" : "";
}

/// Returns what holds for all of the rows, shown below their table.
std::string broker_text(const Json& rows) {
  std::string out;
  if (rows.empty()) return out;
  if (part_at(rows.front(), "mode") == "observe") {
    out += "\nobserve: the broker decides and records, and orders nothing\n";
  }
  if (flag_at(rows.front(), "frozen")) {
    out += "\nfrozen: nothing moves until leasectl thaw\n";
  }
  return out;
}

void add_once(std::string& lines, const std::string& line) {
  if (lines.find(line) == std::string::npos) lines += line;
}

std::string drain_line(const Json& row) {
  const std::string half =
      text(part_at(row, "drain"), "half") == "provider" ? "exports" : "imports";
  const std::string remote = has_text(row, "remote") ? " (" + text(row, "remote") + ")" : "";
  return text(row, "cluster") + remote + ": " + half + " drained " +
         order_text(part_at(row, "drain")) + "; left: " + text(row, "left") + "\n";
}

}  // namespace

/// Below the table, explains each refusal and each drain once: they are more than a token or a
/// word.
std::string clusters_text(const Json& rows, const TableStyle& style) {
  const std::string out = list_of(rows, listings::kClusters, "no cluster is configured", style);
  if (!style.header) return out;
  std::string seen;
  for (const Json& row : rows) {
    if (has_text(row, "detail")) {
      add_once(seen, text(row, "cluster") + ": " + text(row, "detail") + "\n");
    }
    if (!object_at(row, "drain").is_null()) add_once(seen, drain_line(row));
  }
  return (seen.empty() ? out : out + "\n" + seen) + work_text(rows, style) + broker_text(rows);
}

namespace {

/// Lists the slots that the columns leave out, because their host is down for one side.
std::string down_text(const Json& rows) {
  std::string out;
  for (Row row : rows) {
    const Json& down = object_at(row, "slots_down");
    if (number_at(down, "provider") == 0 && number_at(down, "consumer") == 0) continue;
    out += text(row, "id") + ": on hosts down for one side, " + text(row, "provider") + " has " +
           text(down, "provider") + " more slots and " + text(row, "consumer") + " " +
           text(down, "consumer") + "\n";
  }
  return out.empty() ? out : "\n" + out;
}

}  // namespace

std::string leases_text(const Json& rows, const TableStyle& style) {
  const std::string out = list_of(rows, listings::kLeases, "there are no leases", style);
  return style.header ? out + down_text(rows) + broker_text(rows) : out;
}

namespace {

/// Returns "may not be split: east says pinned-cores".
std::string not_split_text(const Json& division) {
  std::string who;
  for (const Json& said : division) {
    who += (who.empty() ? "" : ", ") + text(said, "cluster") + " says " + text(said, "says");
  }
  return "may not be split between two clusters: " + who + "\n";
}

/// Returns "reserved for later: maint, from … to …; closed to west; work ends from …".
std::string horizon_text(const Json& horizon) {
  std::string closed;
  for (const Json& cluster : list_at(horizon, "closed_to")) {
    if (cluster.is_string()) {
      closed += (closed.empty() ? "; closed to " : ", ") + cluster.get<std::string>();
    }
  }
  if (has_text(horizon, "work_ends_from")) {
    closed +=
        "; work of others there is asked to end from " + columns::time(horizon, "work_ends_from");
  }
  return (flag_at(horizon, "begun") ? "reserved: " : "reserved for later: ") +
         text(horizon, "reservation") + ", from " + columns::time(horizon, "from") + " to " +
         columns::time(horizon, "until") + closed + "\n";
}

}  // namespace

std::string hosts_text(const Json& rows, const TableStyle& style) {
  const char* none = style.exported_only ? "no host is exported" : "no agent has reported hosts";
  const std::string out = list_of(rows, listings::kHosts, none, style);
  if (!style.header) return out;
  std::string lines;
  for (const Json& row : rows) {
    const std::string name = text(row, "host") + "@" + text(row, "cluster") + ": ";
    if (!object_at(row, "closed").is_null()) {
      lines += name + "closed " + order_text(part_at(row, "closed")) + "\n";
    }
    for (const Json& order : list_at(row, "closed_for_orders")) {
      lines += name + "closed for " + text(order, "cluster") + " " + order_text(order) + "\n";
    }
    for (const Json& down : list_at(row, "down")) {
      lines += name + "not up at " + text(down, "cluster") + " since " +
               columns::time(down, "since") + ": " + text(down, "why") + "\n";
    }
    if (part_at(row, "divisible") == false) {
      lines += name + not_split_text(list_at(row, "division"));
    }
    if (object_at(row, "horizon").is_object()) {
      lines += name + horizon_text(object_at(row, "horizon"));
    }
    for (const Json& end : list_at(row, "window_ends")) {
      lines += name + "its export ends at " + columns::time(end, "at") + ": " +
               text(end, "cluster") + " starts nothing there before\n";
    }
  }
  return lines.empty() ? out : out + "\n" + lines;
}

std::string lease_text(const Json& lease, const TableStyle& style) {
  std::string out = columns::render(Json::array({lease}), columns_of(listings::kLeases), style);
  out += "\n" + columns::render(list_at(lease, "hosts"), kLeaseHostColumns, style);
  if (!list_at(lease, "transfers").empty()) {
    out += "\n" + columns::render(list_at(lease, "transfers"), kTransferColumns, style);
  }
  if (!list_at(lease, "decisions").empty()) {
    out += "\n" + columns::render(list_at(lease, "decisions"), kDecisionColumns, style);
  }
  return out;
}

namespace {

/// Returns a line for each present condition, with what follows by itself and what a person could
/// do.
std::string conditions_text(const Json& conditions, const TableStyle& style) {
  std::string out;
  for (const Json& row : conditions) {
    out += columns::coloured(text(row, "condition"), style.colour) + ": " + text(row, "sentence") +
           "\n";
    if (has_text(row, "then")) {
      out += "  then: " + text(row, "then") +
             (has_text(row, "at") ? " at " + columns::time(row, "at") : "") + "\n";
    }
    if (has_text(row, "command")) out += "  would help: " + text(row, "command") + "\n";
  }
  return out;
}

/// Lists the orders in force, with who gave them and why.
std::string orders_text(const Json& orders) {
  std::string out;
  for (const Json& order : orders) {
    const std::string object = part_at(order, "object") == "" ? "" : " " + text(order, "object");
    out += "ordered: " + text(order, "verb") + object + " " + order_text(order) + "\n";
  }
  return out;
}

/// An answer that does not say what it is about is about a lease.
bool is_other(const Json& row) {
  const Json& kind = part_at(row, "kind");
  return !kind.is_null() && kind != "lease";
}

}  // namespace

std::string explain_text(const Json& row, const TableStyle& style) {
  if (is_other(row)) return explain_other_text(row, style);
  const std::string now =
      conditions_text(list_at(row, "conditions"), style) + orders_text(list_at(row, "orders"));
  std::string out = text(row, "id") + "  " + columns::coloured(text(row, "phase"), style.colour) +
                    "\n" + now + (now.empty() ? "" : "\nthe last evaluation:\n") +
                    text(row, "reason") + ": " + text(row, "sentence") + "\n";
  if (has_text(row, "evaluated_at")) out += "found at " + columns::time(row, "evaluated_at") + "\n";
  const std::string numbers = numbers_text(object_at(row, "numbers"));
  if (!numbers.empty()) out += "from:\n" + numbers;
  out += "now: provider " + slots(part_at(row, "now"), "provider_slots") +
         " slots used, consumer " + slots(part_at(row, "now"), "consumer_slots") + "\n";
  if (has_text(row, "waits_for")) out += "waits for: " + text(row, "waits_for") + "\n";
  out += shadow_lines(object_at(row, "shadow"));
  return out + lines_of("what would change it", list_at(row, "would_change"));
}

}  // namespace leasehold
