#include "agent/workload/managers.hpp"

#include <array>
#include <utility>

#include "agent/workload/command/command.hpp"
#include "agent/workload/gridengine/gridengine.hpp"
#include "agent/workload/lsf/lsf.hpp"
#include "agent/workload/simulated/simulated.hpp"
#include "agent/workload/slurm/slurm.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/support/cap_journal.hpp"
#include "agent/workload/support/host_owners.hpp"
#include "common/files/kept_file.hpp"

namespace leasehold::agent {

namespace {

Status outcome(const auto& done) {
  if (!done) return tl::unexpected(done.error());
  return {};
}

Result<std::unique_ptr<Workload>> open(const SimulatedSettings& own, const AdapterSettings&,
                                       bool read_only, const Caller&) {
  return open_simulated(
      own, [clock = Clock()] { return clock.now().ms; }, read_only);
}
Status check(const SimulatedSettings& own, const AdapterSettings& adapter) {
  if (const Status kept = check_kept_database(own.state); !kept) return kept;
  return outcome(open(own, adapter, true, call));
}

Result<std::unique_ptr<Workload>> open(const SlurmSettings& own, const AdapterSettings& adapter,
                                       bool read_only, const Caller& caller) {
  return open_slurm(own, adapter, read_only, caller);
}
Status check(const SlurmSettings&, const AdapterSettings& adapter) {
  return HostOwners::check(adapter.names);
}

Result<std::unique_ptr<Workload>> open(const GridEngineSettings& own,
                                       const AdapterSettings& adapter, bool read_only,
                                       const Caller& caller) {
  return open_gridengine(own, adapter, caller, read_only);
}
Status check(const GridEngineSettings& own, const AdapterSettings& adapter) {
  return check_gridengine(own, adapter.names);
}

Result<std::unique_ptr<Workload>> open(const LsfSettings& own, const AdapterSettings& adapter,
                                       bool read_only, const Caller& caller) {
  return open_lsf(own, adapter, caller, read_only);
}
Status check(const LsfSettings&, const AdapterSettings& adapter) {
  return HostOwners::check(adapter.names);
}

Result<std::unique_ptr<Workload>> open(const CommandSettings& own, const AdapterSettings& adapter,
                                       bool read_only, const Caller& caller) {
  return open_command(own, adapter, caller, read_only);
}
Status check(const CommandSettings&, const AdapterSettings&) {
  return {};
}

/// Implements OwnSettings by the functions above and those of a manager's settings.hpp.
template <class Settings>
class Own : public OwnSettings {
 public:
  explicit Own(Settings settings) : settings_(std::move(settings)) {}

  void check_named_files(const ConfigTable& table) const override {
    leasehold::agent::check_named_files(table, settings_);
  }
  Status check(const AdapterSettings& adapter) const override {
    return agent::check(settings_, adapter);
  }
  Result<std::unique_ptr<Workload>> open(const AdapterSettings& adapter, bool read_only,
                                         const Caller& caller) const override {
    return agent::open(settings_, adapter, read_only, caller);
  }

 private:
  Settings settings_;
};

template <class Settings>
std::shared_ptr<const OwnSettings> read(const ConfigTable& table) {
  Settings settings;
  read_settings(table, settings);
  return std::make_shared<Own<Settings>>(std::move(settings));
}

template <class Settings>
void describe_settings(KeyReference& reference) {
  describe_keys(Settings{}, reference);
}

template <class Settings>
constexpr ManagerRow row_of(const char* name, bool needs_host_names, const char* about) {
  return {name, needs_host_names, about, read<Settings>, describe_settings<Settings>};
}

constexpr std::array kManagers{
    row_of<SimulatedSettings>("simulated", false, "Pretends: for demonstrations and tests."),
    row_of<SlurmSettings>("slurm", true, ""), row_of<GridEngineSettings>("gridengine", true, ""),
    row_of<LsfSettings>("lsf", true, ""),
    row_of<CommandSettings>("command", false, "A program of your own.")};

}  // namespace

std::span<const ManagerRow> managers() {
  return kManagers;
}

const ManagerRow* find_manager(const std::string& name) {
  for (const ManagerRow& row : kManagers) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

std::string manager_names() {
  std::string names;
  for (size_t i = 0; i < kManagers.size(); ++i) {
    names += i == 0 ? "" : i + 1 == kManagers.size() ? " or " : ", ";
    names += std::string("\"") + kManagers[i].name + "\"";
  }
  return names;
}

Status check_workload(const WorkloadSettings& settings) {
  if (const Status good = settings.own->check(settings.adapter); !good) return good;
  return outcome(CapJournal::open(settings.adapter.journal, true));
}

Result<std::unique_ptr<Workload>> open_workload(const WorkloadSettings& settings, bool read_only,
                                                const Caller& caller) {
  return settings.own->open(settings.adapter, read_only, caller);
}

}  // namespace leasehold::agent
