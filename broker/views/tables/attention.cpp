#include "broker/views/tables/attention.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/leases/order_words.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

namespace {

using columns::number;
using columns::text;

/// Returns "2026-11-22 10:00:00Z  agent-lost  west".
std::string head_of(const Json& need, bool colour) {
  const bool site = !has_text(need, "subject");
  return columns::time(need, "since") + "  " + columns::coloured(text(need, "kind"), colour) +
         "  " + (site ? "the whole site" : text(need, "subject"));
}

std::string indented(const char* title, const std::string& line) {
  return std::string("  ") + title + line + "\n";
}

/// Returns "5 active, 1 draining".
std::string phases_of(const Json& leases) {
  std::string list;
  for (const auto& [phase, count] : object_at(leases, "by_phase").items()) {
    if (count == 0) continue;
    list += (list.empty() ? "" : ", ") + columns::cell_text(count) + " " + printable(phase);
  }
  return list.empty() ? "" : " (" + list + ")";
}

/// Returns ", 3 WORDS", or nothing where the number is 0.
std::string unless_none(const Json& of, const char* key, const char* words) {
  return number_at(of, key) == 0 ? "" : ", " + number(of, key) + words;
}

std::string orders_text(const Json& status) {
  std::string out;
  if (!object_at(status, "frozen").is_null()) {
    out += "frozen      " + order_text(part_at(status, "frozen")) + "; leasectl thaw\n";
  }
  if (!object_at(status, "freeze_ahead").is_null()) {
    out += "freeze      " + order_text(part_at(status, "freeze_ahead")) + "; leasectl thaw\n";
  }
  for (const Json& order : list_at(status, "drained")) {
    const std::string half = part_at(order, "half") == "provider" ? " (exports)" : " (imports)";
    out += "drained     " + text(order, "cluster") + half + " " + order_text(order) + "\n";
  }
  if (number_at(status, "hosts_closed") != 0) {
    out += "closed      " + number(status, "hosts_closed") + " hosts; leasectl hosts\n";
  }
  return out;
}

std::string silent_text(const Json& status) {
  std::string out;
  for (const Json& row : list_at(status, "silent")) {
    out += "silent      " + text(row, "cluster") + ": " + text(row, "agent") + ", last connected " +
           columns::time(row, "last_heard");
    if (has_text(row, "then")) out += "; " + text(row, "then");
    if (has_text(row, "at")) out += " at " + columns::time(row, "at");
    out += "\n";
  }
  return out;
}

/// A database records no refusals, clocks and rates.
std::string nobody_needed(const TableStyle& style) {
  return style.of_record ? "nothing needs a person, as far as the record shows"
                         : "nothing needs a person";
}

}  // namespace

std::string attention_text(const Json& needs, const TableStyle& style) {
  if (needs.empty()) return nobody_needed(style) + "\n";
  std::string out;
  for (const Json& need : needs) {
    out += head_of(need, style.colour) + "\n" + indented("", text(need, "detail"));
    if (has_text(need, "then")) {
      const std::string at = has_text(need, "at") ? " at " + columns::time(need, "at") : "";
      out += indented("by itself: ", text(need, "then") + at);
    }
    if (has_text(need, "command")) out += indented("do: ", text(need, "command"));
  }
  return out;
}

std::string doctor_text(const Json& findings, const TableStyle& style) {
  std::string faults;
  std::string sound;
  for (const Json& row : findings) {
    if (part_at(row, "status") == "ok") {
      sound += columns::coloured("ok", style.colour) + "     " + text(row, "check") + ": " +
               text(row, "finding") + "\n";
      continue;
    }
    const std::string of = has_text(row, "subject") ? text(row, "subject") + ": " : "";
    const std::string status = text(row, "status");
    faults += columns::coloured(status, style.colour) + (status == "fault" ? "  " : " ") +
              text(row, "check") + ": " + of + text(row, "finding") + "\n";
    if (has_text(row, "mend")) faults += indented("     do: ", text(row, "mend"));
  }
  return faults + sound;
}

/// Returns "" where the broker makes no readable tables.
std::string tables_line(const Json& status) {
  const Json& tables = object_at(status, "tables");
  if (tables.is_null()) return "";
  const std::string made =
      has_text(tables, "made") ? "made " + columns::time(tables, "made") : "not made yet";
  return "tables      " + made + (has_text(tables, "failing") ? ", and not since" : "") + ": " +
         text(tables, "file") + "\n";
}

std::string status_text(const Json& status, const TableStyle& style) {
  const Json& clusters = object_at(status, "clusters");
  const Json& leases = object_at(status, "leases");
  const Json& slots = object_at(status, "slots");
  const Json& transfers = object_at(status, "transfers");
  std::string out = "broker      " + text(status, "broker") + " " + text(status, "version") +
                    ", mode " + text(status, "mode") + ", " + columns::time(status, "time") + "\n";
  out += "clusters    " + number(clusters, "all") + ", " + number(clusters, "up") + " up" +
         unless_none(clusters, "degraded", " degraded") +
         unless_none(clusters, "pending", " slots pending") + "\n";
  out += silent_text(status);
  out += "leases      " + number(leases, "all") + phases_of(leases) +
         unless_none(leases, "in_breach", " in breach") + "\n";
  out += "slots       " + number(slots, "exported") + " exported: providers use " +
         number(slots, "provider_used") + " of " + number(slots, "provider") + ", consumers " +
         number(slots, "consumers_used") + " of " + number(slots, "consumers") +
         unless_none(slots, "in_transfer", " in transfer") +
         unless_none(slots, "unallocated", " unallocated") + "\n";
  out += "transfers   " + number(transfers, "open") + " open" +
         (has_text(transfers, "oldest_since")
              ? ", the oldest since " + columns::time(transfers, "oldest_since")
              : "") +
         "\n";
  out += orders_text(status) + tables_line(status);
  const bool none = number_at(status, "attention") == 0;
  const std::string needs =
      none ? nobody_needed(style)
           : number(status, "attention") + " need a person: leasectl attention";
  return out + "attention   " + (none ? needs : columns::coloured(needs, style.colour)) + "\n";
}

}  // namespace leasehold
