#include "agent/workload/open_workload.hpp"

#include "agent/workload/call.hpp"
#include "agent/workload/command.hpp"
#include "agent/workload/gridengine.hpp"
#include "agent/workload/lsf.hpp"
#include "agent/workload/slurm.hpp"

namespace leasehold::agent {

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
