#include "broker/views/tables/reload.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/tables/columns.hpp"
#include "common/text/printable.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

namespace {

using columns::Column;
using columns::kLeft;
using columns::kRight;
using columns::text;
using Row = const Json&;

constexpr Column kChangeColumns[] = {{"lease", "LEASE"},
                                     {"provider", "PROVIDER"},
                                     {"consumer", "CONSUMER"},
                                     {"slots_before", "SLOTS NOW", kRight},
                                     {"slots_after", "THEN", kRight},
                                     {"slots_used_losing", "RUNNING WORK ON", kRight}};

/// Returns "1m30s" for a number of seconds; "-" where it is absent.
std::string seconds(Row row, const char* key) {
  constexpr double kMostMs = 9e18;
  const Json& value = part_at(row, key);
  if (value.is_null()) return "-";
  const double ms = value.get<double>() * 1000;
  return format_duration(static_cast<int64_t>(std::clamp(ms, -kMostMs, kMostMs)));
}

/// Returns a line for each reclaim: how many slots, for whom, how long work has.
std::string reclaims_text(const Json& changes) {
  std::string out;
  for (const Json& change : changes) {
    for (const Json& reclaim : list_at(change, "reclaims")) {
      const std::string to = part_at(reclaim, "to").is_null() ? "nobody" : text(reclaim, "to");
      out += text(change, "lease") + ": " + text(reclaim, "slots") + " reclaimed for " + to + " (" +
             text(reclaim, "reason") + "); work there is ended and requeued after " +
             seconds(reclaim, "grace_s") + ", the slots are back after " +
             seconds(reclaim, "worst_wait_s") + " at the latest\n";
    }
  }
  return out;
}

/// Returns "[export_policy] pool", and the key where the section is in both.
std::string setting_name(Row row, const char* section) {
  std::string name = "[" + text(row, section) + "]";
  if (has_text(row, "name")) name += " " + text(row, "name");
  return has_text(row, "key") ? name + "  " + text(row, "key") : name;
}

/// The value before of what was added is absent, and so is the one after of what was removed.
std::string value_of(Row row, const char* key) {
  const std::string change = text(row, "change");
  const std::string_view then = key;
  if (change == "added" ? then == "before" : change == "removed" && then == "after") {
    return "(absent)";
  }
  if (part_at(row, "key").is_null()) return "(present)";
  return text(row, key);
}

constexpr Column kSettingColumns[] = {{"section", "SETTING", kLeft, 0, setting_name},
                                      {"before", "NOW", kLeft, 0, value_of},
                                      {"after", "THEN", kLeft, 0, value_of}};

std::string warnings_text(const Json& warnings) {
  std::string out;
  for (const Json& warning : warnings) {
    out += printable(warning.get<std::string>()) + " (warning)\n";
  }
  return out;
}

}  // namespace

std::string reload_text(const Json& preview, const TableStyle& style) {
  std::string out;
  const auto add = [&out](const std::string& part) {
    if (!part.empty()) out += (out.empty() ? "" : "\n") + part;
  };
  const Json& settings = list_at(preview, "settings");
  const Json& changes = list_at(preview, "changes");
  add(settings.empty() ? "" : columns::render(settings, kSettingColumns, style));
  add(changes.empty() ? "no lease gains or loses slots\n"
                      : columns::render(changes, kChangeColumns, style));
  add(reclaims_text(changes));
  add(warnings_text(list_at(preview, "warnings")));
  return out;
}

}  // namespace leasehold
