#include "agent/io/read_workload.hpp"

namespace leasehold::agent {

namespace {

/// As `kill -l` names it, with or without SIG; what ends a process at once warns nobody.
std::string read_signal(const ConfigTable& table) {
  std::string name = table.text("interrupt_signal", "USR1");
  if (name.rfind("SIG", 0) == 0) name.erase(0, 3);
  for (const char* known : {"USR1", "USR2", "TERM", "INT", "HUP", "XCPU", "URG", "WINCH", "CONT"})
    if (name == known) return name;
  table.error("interrupt_signal", "'" + name + "' is no signal that a job could be warned by; " +
                                      "right would be \"USR1\", \"USR2\" or \"TERM\"");
  return "USR1";
}

void warn_of_others(const ConfigTable& table, const ManagerRow& manager) {
  for (const ManagerRow& other : managers()) {
    if (&other == &manager || !table.has(other.name)) continue;
    table.warn(other.name, std::string("[workload.") + other.name +
                               "] is not read: the manager is \"" + manager.name + "\"");
  }
}

}  // namespace

void read_workload(const ConfigTable& table, const std::string& file, WorkloadSettings& settings) {
  const std::string name =
      table.required_text("manager", "the workload manager: " + manager_names());
  settings.adapter.interrupt_signal = read_signal(table);
  settings.manager = find_manager(name);
  if (settings.manager != nullptr) {
    warn_of_others(table, *settings.manager);
    settings.own = settings.manager->read(table.table(name), file);
    return;
  }
  for (const ManagerRow& row : managers()) static_cast<void>(table.has(row.name));  // known keys
  if (name.empty() || table.kind("manager") != ConfigKind::text) return;
  table.error("manager", "'" + name + "' is not known; right would be " + manager_names());
}

}  // namespace leasehold::agent
