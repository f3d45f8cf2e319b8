// Managers: the workload managers that this agent knows, a row each; what one needs besides stands
// in its own folder. Who adds another makes a folder and a row.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/workload.hpp"
#include "common/config/keys/reference.hpp"

namespace leasehold::agent {

/// The settings that one manager alone has; its adapter knows what is in them.
class OwnSettings {
 public:
  virtual ~OwnSettings() = default;
  virtual void check_named_files(const ConfigTable& table) const = 0;
  /// What opening would refuse before it asks the workload manager anything.
  virtual Status check(const AdapterSettings& adapter) const = 0;
  virtual Result<std::unique_ptr<Workload>> open(const AdapterSettings& adapter, bool read_only,
                                                 const Caller& caller) const = 0;
};

struct ManagerRow {
  const char* name;  // as `manager` says it, and of its table [workload.NAME]
  /// It knows hosts by names of its own, so that those of other clusters need a rule or a map.
  bool names_hosts;
  const char* about;  // for the reference of keys
  /// Reads its table; mistakes are added to the table's file.
  std::shared_ptr<const OwnSettings> (*read)(const ConfigTable& table);
  /// Adds the rows of its keys.
  void (*describe)(KeyReference& reference);
};

std::span<const ManagerRow> managers();
/// nullptr: none of that name.
const ManagerRow* find_manager(const std::string& name);
/// In quotes, with "or" before the last: for messages.
std::string manager_names();

/// Work that must end gets a message only.
inline constexpr const char* kNoSignal = "none";

/// What [workload] says. Contract: nothing is asked of it before a manager was read.
struct WorkloadSettings {
  const ManagerRow* manager = nullptr;
  AdapterSettings adapter;
  std::string interrupt_signal = kNoSignal;  // without SIG; for work that asks for none itself
  std::shared_ptr<const OwnSettings> own;
};

/// What open_workload() would refuse before it asks the workload manager anything; nothing is
/// changed. For checking a configuration.
Status check_workload(const WorkloadSettings& settings);

/// `read_only`: for a look; nothing is changed and enforce() is refused. `caller` runs the
/// manager's programs.
Result<std::unique_ptr<Workload>> open_workload(const WorkloadSettings& settings,
                                                bool read_only = false,
                                                const Caller& caller = call_all);

}  // namespace leasehold::agent
