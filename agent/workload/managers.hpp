// Managers: the workload managers that this agent knows, one row each; all else about one is in its
// own folder. To add another, make a folder; managers.cpp needs its include, an open(), a check()
// and a row.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/workload.hpp"
#include "common/config/keys/reference.hpp"

namespace leasehold::agent {

/// The settings of one manager; only its adapter knows their content.
class OwnSettings {
 public:
  virtual ~OwnSettings() = default;
  virtual void check_named_files(const ConfigTable& table) const = 0;
  /// Checks all that opening would refuse before it asks the workload manager.
  virtual Status check(const AdapterSettings& adapter) const = 0;
  virtual Result<std::unique_ptr<Workload>> open(const AdapterSettings& adapter, bool read_only,
                                                 const Caller& caller) const = 0;
};

struct ManagerRow {
  const char* name;  // as in `manager` and in its table [workload.NAME]
  /// True if the manager calls hosts by its own names, so that those of other clusters need a rule
  /// or a map.
  bool needs_host_names;
  const char* about;  // for the reference of keys
  /// Reads its table; mistakes are added to the table's file.
  std::shared_ptr<const OwnSettings> (*read)(const ConfigTable& table);
  void (*describe)(KeyReference& reference);
};

std::span<const ManagerRow> managers();
/// Returns nullptr where none has that name.
const ManagerRow* find_manager(const std::string& name);
/// Returns the names in quotes, with "or" before the last, for messages.
std::string manager_names();

/// Work that must end gets a message only.
inline constexpr const char* kNoSignal = "none";

/// The settings of [workload]. Contract: a manager was read before anything is asked of it.
struct WorkloadSettings {
  const ManagerRow* manager = nullptr;
  AdapterSettings adapter;
  std::string interrupt_signal = kNoSignal;  // without SIG; for work that asks for none itself
  std::shared_ptr<const OwnSettings> own;
};

/// Checks a configuration: all that open_workload() would refuse before it asks the workload
/// manager. Nothing is changed.
Status check_workload(const WorkloadSettings& settings);

/// `read_only`: nothing is changed and enforce() is refused. `caller` runs the manager's programs.
Result<std::unique_ptr<Workload>> open_workload(const WorkloadSettings& settings,
                                                bool read_only = false,
                                                const Caller& caller = call_all);

}  // namespace leasehold::agent
