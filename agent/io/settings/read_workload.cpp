#include "agent/io/settings/read_workload.hpp"

#include "agent/core/work/signals.hpp"
#include "agent/io/settings/keys.hpp"
#include "common/config/keys/reader.hpp"

namespace leasehold::agent {

namespace {

void warn_of_others(const ConfigTable& table, const ManagerRow& manager) {
  for (const ManagerRow& other : managers()) {
    if (&other == &manager || !table.has(other.name)) continue;
    table.warn(other.name, std::string("[workload.") + other.name +
                               "] is not read: the manager is \"" + manager.name + "\"");
  }
}

}  // namespace

std::string signal_caution(const std::string& signal) {
  if (signal == kNoSignal || is_harmless(signal)) return "";
  return "interrupt_signal = \"" + signal + "\" " +
         (signal == "CONT" ? "wakes what is suspended" : "ends at once what does not catch it") +
         ", so it is sent to no job by itself: only a job whose comment asks for a signal gets one "
         "(leasehold:signal=USR1); right would be \"none\", \"URG\" or \"WINCH\"";
}

void read_workload(const ConfigTable& table, WorkloadSettings& settings) {
  read_keys(table, kWorkloadKeys, settings);
  settings.interrupt_signal = signal_name(settings.interrupt_signal);
  if (const std::string caution = signal_caution(settings.interrupt_signal); !caution.empty()) {
    table.warn("interrupt_signal", caution);
  }
  const std::string name =
      table.required_text("manager", "the workload manager: " + manager_names());
  settings.manager = find_manager(name);
  if (settings.manager != nullptr) {
    warn_of_others(table, *settings.manager);
    settings.own = settings.manager->read(table.table(name));
    return;
  }
  for (const ManagerRow& row : managers()) static_cast<void>(table.has(row.name));  // known keys
  if (name.empty() || table.kind("manager") != ConfigKind::text) return;
  table.error("manager", "'" + name + "' is not known; right would be " + manager_names());
}

}  // namespace leasehold::agent
