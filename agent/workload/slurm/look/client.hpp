// SlurmClient asks and orders by Slurm's programs: each call is a function here. reach.hpp says how
// a program runs, fence/fences.hpp decides what to fence and when.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/workload/slurm/look/reach.hpp"
#include "agent/workload/slurm/printed/text.hpp"
#include "agent/workload/slurm/settings.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"

namespace leasehold::agent {

/// A fence that Slurm has: "leasehold-<host>-<number>". It covers either cores of the host that no
/// job has, or the host as a whole, whatever runs there.
struct SlurmFenceFound {
  std::string name;  // of the reservation; of a hold job: its id
  std::string host;
  int64_t number = 0;
  int32_t cores = 0;
  bool whole = false;
  int64_t start_s = 0;
  bool ending = false;  // a hold job that was cancelled: it keeps nothing, and is no work
};

/// slurm.conf keeps imported hosts drained for a reason that begins with this word; they wait for
/// the agent's fence.
inline constexpr std::string_view kWaitsForFence = "leasehold";

/// Reads the host and the number from a fence's name; they are "" and 0 if it is not one.
SlurmFenceFound read_fence_name(const std::string& name);

/// The nodes, the reservations on them and the partitions.
struct SlurmInventory {
  std::vector<SlurmNode> nodes;
  std::vector<SlurmReservation> reservations;
  std::vector<SlurmPartition> partitions;
};

/// The wants of pending jobs, by the job's number.
using SlurmWantsByJob = std::unordered_map<std::string, SlurmWants>;

class SlurmClient {
 public:
  SlurmClient(const SlurmSettings& settings, const AdapterSettings& adapter, Caller caller)
      : reach_(settings, adapter.call_timeout_ms, std::move(caller)) {}

  Status answers() const { return reach_.answers(); }
  Result<SlurmController> controller() const;
  /// Runs its programs side by side.
  Result<SlurmInventory> inventory() const;
  Result<std::vector<SlurmJob>> jobs() const;
  /// Runs its programs side by side.
  Result<std::pair<SlurmController, SlurmWantsByJob>> controller_and_wants() const;
  /// Returns the controller's record of the user's accounts; "" if it keeps none.
  Result<std::string> account_of(const std::string& user) const;
  Result<std::string> own_account() const;  // of the user that this process is
  /// Returns our own hold jobs; `cores` counts their CPUs.
  Result<std::vector<SlurmFenceFound>> hold_jobs() const;
  /// Returns the CPUs of this job by node; it is empty if they are not certain. `numbered` is as in
  /// parse_slurm_shares().
  Result<std::vector<SlurmShare>> shares(const SlurmJob& job, const std::vector<std::string>& nodes,
                                         int32_t numbered) const;
  /// Returns the text that shares() reads, for all jobs in one call.
  Result<SlurmJobLines> job_lines() const;
  /// Returns the facts of jobs that run or complete; pending jobs add nothing to it. running.hpp
  /// reads it.
  Result<std::string> running_facts() const;
  /// Returns how the job ended; Slurm remembers ended jobs for MinJobAge.
  Result<JobEnd> end_of(const std::string& id) const;
  /// Asks for the best known form that this Slurm can print (printed/forms.hpp).
  Result<std::string> jobs_as_json() const;

  /// Reserves so many idle cores of the host. It is false if the host has fewer, or cannot be
  /// fenced so now.
  Result<bool> fence(const std::string& host, int64_t number, int32_t cores) const;
  /// Reserves the whole host, whatever runs there and whatever state it is in.
  Status close(const std::string& host, int64_t number) const;
  Status unfence(const std::string& reservation) const;
  /// Returns the ids of the jobs that use this reservation.
  Result<std::set<std::string>> jobs_of(const std::string& reservation) const;
  /// Drains the host for everybody: nothing new starts there until resume().
  Status drain(const std::string& host) const;
  Status resume(const std::string& host) const;
  /// Switches on a host that power saving has switched off: Slurm calls ResumeProgram.
  Status power_up(const std::string& host) const;
  /// Changes SuspendExcNodes by a list of names, from 23.02 on; the change lasts until the
  /// controller starts again or reads its file again.
  Status except_from_power_saving(const std::string& hosts, bool excepted) const;
  /// Starts a job that does nothing, with so many CPUs of the host; false if they are not idle.
  Result<bool> hold(const std::string& host, int64_t number, int32_t cpus) const;

  // These take WorkUnit::name(), which means this job alone: the number of an array's last task
  // means all of them.
  /// Signals the job's script; if the job has no script, its steps.
  Status signal(const std::string& name, const std::string& signal) const;
  /// Requeues the job unless it has ended meanwhile: a job that has ended would start again.
  Status requeue(const std::string& name) const;
  Status cancel(const std::string& name) const;
  /// Uses the job's number: `scontrol notify` takes the name of a task for the whole array.
  Status notify_of_end(const WorkUnit& job, int64_t grace_ms) const;

 private:
  Result<std::string> json_form() const;
  Result<std::string> jobs_in_form() const;
  Result<bool> create(const std::string& host, std::vector<std::string> how, int64_t number) const;
  Status tell(std::vector<std::string> argv) const;

  SlurmReach reach_;
  mutable std::optional<std::string>
      form_;  // of JSON, to be asked for; found out when first needed
};

}  // namespace leasehold::agent
