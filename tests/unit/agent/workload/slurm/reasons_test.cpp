// Which pending jobs of a Slurm cluster are demand: those that would start if there were more
// slots.
#include <catch2/catch.hpp>
#include <sstream>

#include "agent/workload/slurm/printed/text.hpp"

using namespace leasehold;
using namespace leasehold::agent;

namespace {

/// These are reasons of 22.05 to 26.05, and one of a version to come.
constexpr const char* kElsewhere =
    "AccountNotAllowed AccountingPolicy AssocGrpCpuLimit AssocGrpCPUMinutesLimit AssocGrpBilling "
    "AssocGrpCPURunMinutesLimit AssocGrpJobsLimit AssocMaxJobsLimit AssocMaxCpuPerJobLimit "
    "AssociationJobLimit BadConstraints BeginTime BurstBufferResources Cleaning Constraints "
    "DeadLine "
    "Dependency DependencyNeverSatisfied FedJobLock InvalidAccount InvalidQOS JobArrayTaskLimit "
    "JobHeldAdmin JobHeldUser JobHoldMaxRequeue JobLaunchFailure Licenses MaxBillingPerAccount "
    "MaxCpuPerAccount MaxCpuRunMinsPerUser MaxGRESPerAccount MaxJobsPerAccount MaxMemPerLimit "
    "MaxNodePerAccount MaxPoweredUpNodes MaxSubmitJobsPerAccount MpiPortsBusy NvidiaImexChannels "
    "OutOfMemory PartitionConfig PartitionDown PartitionInactive PartitionNodeLimit "
    "PartitionTimeLimit Prolog QOSGrpCpuLimit QOSJobLimit QOSMaxCpuPerUserLimit "
    "QOSMaxJobsPerUserLimit QOSMinCpuNotSatisfied QOSNotAllowed QOSUsageThreshold ReqResv "
    "RequeueExit Reservation ReservationDeleted ReservationInvalid SystemFailure TimeLimit "
    "launch_failed_requeued_held ANewReasonOf2031";

SlurmPhase phase_with(const std::string& reason) {
  const auto jobs =
      parse_slurm_jobs("1|PENDING|2|batch|N/A|||OK|1|UNLIMITED|N/A|N/A|1||" + reason + "\n");
  REQUIRE(jobs);
  return jobs->front().phase;
}

}  // namespace

TEST_CASE("slurm: jobs that a limit holds back are no demand for slots") {
  std::istringstream words(kElsewhere);
  for (std::string reason; words >> reason;) {
    INFO(reason);
    CHECK_FALSE(slots_would_help(reason));
    CHECK(phase_with(reason) == SlurmPhase::waits);
  }
}

TEST_CASE("slurm: jobs that wait for resources are demand, however Slurm puts it") {
  for (const char* reason : {"None", "Priority", "Resources", "ReqNodeNotAvail", "NodeDown",
                             "SchedDefer", "ReqNodeNotAvail, UnavailableNodes:p[1-3]",
                             "ReqNodeNotAvail,_May_be_reserved_for_other_job",
                             "Nodes required for job are DOWN, DRAINED or reserved for jobs in "
                             "higher priority partitions",
                             "Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved"}) {
    INFO(reason);
    CHECK(slots_would_help(reason));
    CHECK(phase_with(reason) == SlurmPhase::pending);
  }
}
