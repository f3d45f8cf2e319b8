#include "agent/workload/open_workload.hpp"

#include "agent/workload/command/command.hpp"
#include "agent/workload/gridengine/gridengine.hpp"
#include "agent/workload/lsf/lsf.hpp"
#include "agent/workload/slurm/names.hpp"
#include "agent/workload/slurm/slurm.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/support/cap_journal.hpp"
#include "common/kept_file.hpp"

namespace leasehold::agent {

namespace {

Status outcome(const auto& opened) {
  if (!opened) return tl::unexpected(opened.error());
  return {};
}

Status check_kind(const WorkloadSettings& settings) {
  switch (settings.kind) {
    case WorkloadKind::simulated:
      if (const Status kept = check_kept_file(settings.simulated.state); !kept) return kept;
      return outcome(open_workload(settings, true));
    case WorkloadKind::slurm:
      return outcome(ImportedNames::of(settings.adapter.names));
    case WorkloadKind::gridengine:
      return check_gridengine(settings.gridengine, settings.adapter.names);
    case WorkloadKind::lsf:
    case WorkloadKind::command:
      return {};
  }
  return {};
}

}  // namespace

Status check_workload(const WorkloadSettings& settings) {
  if (const Status good = check_kind(settings); !good) return good;
  return outcome(CapJournal::open(settings.adapter.journal, true));
}

Result<std::unique_ptr<Workload>> open_workload(const WorkloadSettings& settings, bool read_only) {
  switch (settings.kind) {
    case WorkloadKind::simulated:
      return open_simulated(
          settings.simulated, [clock = Clock()] { return clock.now().ms; }, read_only);
    case WorkloadKind::slurm:
      return open_slurm(settings.slurm, settings.adapter, read_only);
    case WorkloadKind::gridengine:
      return open_gridengine(settings.gridengine, settings.adapter, call, read_only);
    case WorkloadKind::lsf:
      return open_lsf(settings.lsf, settings.adapter, call, read_only);
    case WorkloadKind::command:
      return open_command(settings.command, settings.adapter, call, read_only);
  }
  return fail(ErrorCode::usage, "this workload manager is not supported by this version yet");
}

}  // namespace leasehold::agent
