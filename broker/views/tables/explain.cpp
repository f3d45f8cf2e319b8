#include "broker/views/tables/explain.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/tables/attention.hpp"
#include "common/printable.hpp"

namespace leasehold {

std::string lines_of(const char* title, const Json& lines) {
  std::string out = lines.empty() ? "" : std::string(title) + ":\n";
  for (const Json& line : lines) out += "  - " + printable(line.get<std::string>()) + "\n";
  return out;
}

/// Of what is no lease.
std::string explain_other_text(const Json& row, const TableStyle& style) {
  std::string out = columns::text(row, "id") + "  " + columns::text(row, "kind") + "\n" +
                    columns::text(row, "sentence") + "\n";
  if (!row["needs"].empty()) out += "\n" + attention_text(row["needs"], style) + "\n";
  for (const auto& [name, value] : row["numbers"].items()) {
    out += "  " + name + " = " + value.dump() + "\n";
  }
  out += lines_of("work that waits", row["work"]);
  if (!row["leases"].empty()) out += "leases:\n";
  for (const Json& lease : row["leases"]) {
    out += "  " + columns::text(lease, "id") + "  " + columns::text(lease, "used") + "/" +
           columns::text(lease, "slots") + " as " + columns::text(lease, "role") + ": " +
           columns::text(lease, "sentence");
    if (lease["waits_for"].is_string()) out += "; waits for " + columns::text(lease, "waits_for");
    out += "\n";
  }
  if (row["leases_left"] != 0) out += "  and " + columns::text(row, "leases_left") + " more\n";
  return out + lines_of("what would change it", row["would_change"]);
}

}  // namespace leasehold
