#include "agent/workload/command/units.hpp"

#include <algorithm>
#include <memory>
#include <set>

namespace leasehold::agent {

namespace {

/// Reads the slots of a job on one host. `shared` lists those of the host's slots that another job
/// may use, too.
UnitHost read_place(JsonObject& row) {
  UnitHost place;
  place.host = row.text("host");
  place.slots = static_cast<int32_t>(row.integer("slots", 1, kCommandSlotsMost));
  if (!row.has("shared")) return place;
  place.shared = row.distinct("shared", 0, kCommandSlotsMost - 1);
  if (place.shared.size() != static_cast<size_t>(place.slots)) {
    row.refuse("shared", "names " + std::to_string(place.shared.size()) +
                             " slots, but 'slots' is " + std::to_string(place.slots));
  }
  return place;
}

/// Reads a job's hosts: each occurs once, and their slots add up to the job's.
void read_places(JsonObject& row, WorkUnit& unit) {
  std::set<std::string> names;
  int64_t sum = 0;
  row.objects("hosts", [&](JsonObject& place) {
    unit.hosts.push_back(read_place(place));
    sum += unit.hosts.back().slots;
    if (!names.insert(unit.hosts.back().host).second) {
      place.refuse("host", "'" + unit.hosts.back().host + "' is there twice");
    }
  });
  if (unit.hosts.empty()) return;
  unit.started = Instant{row.integer("started_ms", 0, kCommandTimeMostMs)};
  if (sum != unit.slots) {
    row.refuse("slots",
               "is " + std::to_string(unit.slots) + ", but its hosts have " + std::to_string(sum));
  }
}

/// Reads where a pending job could start: nowhere if it is kept back or can only be served
/// elsewhere.
void read_verdict(JsonObject& row, WorkUnit& unit, std::vector<std::string>& unknown) {
  std::vector<std::string> hosts;
  if (row.has("fits")) hosts = row.texts("fits");
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  const std::string waits = row.text_or("waits", "could-start");
  const bool could_start = waits == "could-start";
  if (unit.running() || (could_start && !row.has("fits"))) return;
  if (!could_start && waits != "kept-back" && waits != "elsewhere") {
    unknown.push_back("'waits' of a pending job is '" + waits +
                      "', which is not a known word: such jobs count as kept back");
  }
  if (!could_start) hosts.clear();
  unit.fits = std::make_shared<const std::vector<std::string>>(std::move(hosts));
}

/// Reads how a pending job, or each of the jobs in the row, wants its slots.
void read_width(JsonObject& row, WorkUnit& unit) {
  unit.tasks = static_cast<int32_t>(row.integer_or("tasks", 1, kCommandSlotsMost, 1));
  unit.slots_per_host =
      static_cast<int32_t>(row.integer_or("slots_per_host", 1, kCommandSlotsMost, 1));
  unit.hosts_wanted = static_cast<int32_t>(row.integer_or("hosts_wanted", 1, kCommandSlotsMost, 1));
  if (!row.good()) {
    unit.tasks = 1;  // a number that was refused reads as 0
    return;
  }
  if (unit.slots % unit.tasks != 0) {
    row.refuse("tasks", "is " + std::to_string(unit.tasks) + ", but 'slots', " +
                            std::to_string(unit.slots) + ", is not a multiple of it");
  } else if (int64_t{unit.slots_per_host} * unit.hosts_wanted > unit.slots_of_task()) {
    row.refuse("slots", "is less than 'tasks' * 'hosts_wanted' * 'slots_per_host'");
  }
}

}  // namespace

WorkUnit read_unit(JsonObject& row, std::vector<std::string>& unknown) {
  WorkUnit unit;
  unit.id = row.text("id");
  unit.slots = static_cast<int32_t>(row.integer("slots", 1, kCommandSlotsMost));
  read_places(row, unit);
  read_verdict(row, unit, unknown);
  read_width(row, unit);
  unit.submitted = Instant{row.integer_or("submitted_ms", 0, kCommandTimeMostMs, unit.started.ms)};
  unit.priority = row.integer_or("priority", -kCommandNumberMost, kCommandNumberMost, 0);
  unit.requeueable = row.flag_or("requeueable", true);
  unit.whole_hosts = row.flag_or("whole_hosts", false);
  unit.user = row.text_or("user", "");
  unit.account = row.text_or("account", "");
  unit.partition = row.text_or("partition", "");
  unit.qos = row.text_or("qos", "");
  unit.comment = row.text_or("comment", "");
  return unit;
}

}  // namespace leasehold::agent
