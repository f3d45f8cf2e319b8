#include "broker/views/tables/explain.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/tables/attention.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

std::string lines_of(const char* title, const Json& lines) {
  std::string out = lines.empty() ? "" : std::string(title) + ":\n";
  for (const Json& line : lines) out += "  - " + printable(line.get<std::string>()) + "\n";
  return out;
}

std::string numbers_text(const Json& numbers) {
  std::string out;
  for (const auto& [name, value] : numbers.items()) {
    out += "  " + printable(name) + " = " +
           printable(value.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
  }
  return out;
}

std::string shadow_lines(const Json& shadow) {
  if (shadow.is_null()) return "";
  const int64_t slots = number_at(shadow, "slots");
  std::string out = "beside it, never ordered:\n  " + columns::text(shadow, "rule") + ": " +
                    columns::text(shadow, "reason") + ": " + columns::text(shadow, "sentence") +
                    "\n  ";
  if (slots == 0) {
    out += "it would move nothing";
  } else {
    out += "it would move " + std::to_string(slots) + (slots == 1 ? " slot " : " slots ") +
           columns::text(shadow, "from") + " -> " + columns::text(shadow, "to");
  }
  out += flag_at(shadow, "same") ? ", as the rule in force" : ", the rule in force otherwise";
  return out + "; found at " + columns::time(shadow, "evaluated_at") + "\n";
}

/// Lists what stands in the way of each shape of waiting work. Older brokers do not say it.
std::string obstacles_text(const Json& row) {
  std::string out;
  if (part_at(row, "waiting").is_null()) return out;
  for (const Json& work : list_at(row, "waiting")) {
    for (const Json& one : list_at(work, "obstacles")) {
      out += "  - " + columns::text(work, "wants") + ", " + columns::text(one, "of") + " as " +
             columns::text(one, "role") + ": " + columns::text(one, "sentence") + "\n";
    }
  }
  return out.empty() ? out : "what stands in its way:\n" + out;
}

/// Renders the explanation of anything but a lease.
std::string explain_other_text(const Json& row, const TableStyle& style) {
  std::string out = columns::text(row, "id") + "  " + columns::text(row, "kind") + "\n" +
                    columns::text(row, "sentence") + "\n";
  if (!list_at(row, "needs").empty()) {
    out += "\n" + attention_text(list_at(row, "needs"), style) + "\n";
  }
  out += numbers_text(object_at(row, "numbers"));
  out += lines_of("work that waits", list_at(row, "work"));
  out += obstacles_text(row);
  if (!list_at(row, "leases").empty()) out += "leases:\n";
  for (const Json& lease : list_at(row, "leases")) {
    out += "  " + columns::text(lease, "id") + "  " + columns::text(lease, "used") + "/" +
           columns::text(lease, "slots") + " as " + columns::text(lease, "role") + ": " +
           columns::text(lease, "sentence");
    if (has_text(lease, "waits_for")) out += "; waits for " + columns::text(lease, "waits_for");
    out += "\n";
  }
  if (number_at(row, "leases_left") != 0) {
    out += "  and " + columns::text(row, "leases_left") + " more\n";
  }
  return out + lines_of("what would change it", list_at(row, "would_change"));
}

}  // namespace leasehold
