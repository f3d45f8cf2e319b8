// Stands in for the adapters, which no reader of settings opens: it defines what managers.cpp
// names.
#include "agent/workload/command/command.hpp"
#include "agent/workload/gridengine/gridengine.hpp"
#include "agent/workload/lsf/lsf.hpp"
#include "agent/workload/simulated/simulated.hpp"
#include "agent/workload/slurm/slurm.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/support/cap_journal.hpp"
#include "agent/workload/support/host_owners.hpp"
#include "common/check.hpp"

namespace leasehold::agent {

namespace {

tl::unexpected<Error> none() {
  LEASEHOLD_CHECK(false, "reading settings opens nothing");
  return fail(ErrorCode::refused, "");
}

}  // namespace

Result<std::unique_ptr<Workload>> open_simulated(const SimulatedSettings&, WallClock, bool,
                                                 const TimeSource&) {
  return none();
}
Result<std::unique_ptr<Workload>> open_slurm(const SlurmSettings&, const AdapterSettings&, bool,
                                             Caller, const TimeSource&) {
  return none();
}
Result<std::unique_ptr<Workload>> open_gridengine(const GridEngineSettings&, const AdapterSettings&,
                                                  Caller, bool, const TimeSource&) {
  return none();
}
Result<std::unique_ptr<Workload>> open_lsf(const LsfSettings&, const AdapterSettings&, Caller, bool,
                                           const TimeSource&) {
  return none();
}
Result<std::unique_ptr<Workload>> open_command(const CommandSettings&, const AdapterSettings&,
                                               Caller, bool) {
  return none();
}

Result<CallAnswer> call(const CallRequest&) {
  return none();
}
Status check_gridengine(const GridEngineSettings&, const HostNames&) {
  return none();
}
Status HostOwners::check(const HostNames&) {
  return none();
}
Result<CapJournal> CapJournal::open(const std::string&, bool) {
  return none();
}

}  // namespace leasehold::agent
