// GridEngineCell: the questions to and orders for one Grid Engine cell, each one call of its own
// programs. It decides nothing. printed/text.hpp reads what the programs print.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/workload/gridengine/printed/quotas.hpp"
#include "agent/workload/gridengine/printed/reservations.hpp"
#include "agent/workload/gridengine/printed/text.hpp"
#include "agent/workload/gridengine/settings.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"

namespace leasehold::agent {

class GridEngineCell {
 public:
  GridEngineCell(const GridEngineSettings& settings, int64_t timeout_ms, Caller caller);

  /// Returns "cell/queue@root".
  std::string name() const;
  const std::string& cell_name() const { return settings_.cell; }
  const std::string& queue_name() const { return settings_.queue; }

  Result<GridEngineLook> look() const;
  /// Returns the numbers of pending jobs whose start time has not come.
  Result<std::set<std::string>> timed() const;
  /// Returns the quotas of slots in which something counts.
  Result<std::vector<GridEngineQuota>> quotas() const;
  /// Returns the projects of pending jobs that have one, by number.
  Result<std::map<std::string, std::string>> projects() const;
  /// Returns all advance reservations, without their slots.
  Result<GridEngineReservations> reservations() const;
  /// Returns those with these numbers, with their slots. Ones that are gone are left out.
  Result<GridEngineReservations> reservations_of(std::span<const std::string> numbers) const;
  Result<GridEngineEnvironment> environment(const std::string& name) const;
  Result<GridEngineResources> resources() const;
  Result<std::vector<GridEngineHost>> hosts() const;
  /// Returns the names of resources that hosts_with() must not be asked for: it does not know
  /// loads.
  Result<std::set<std::string>> reported() const;
  Result<std::map<std::string, std::set<std::string>>> host_resources() const;
  /// Returns the hosts of the queue that have what is asked for ("mem_total=4G,gpu=1"), whether it
  /// is in use or not.
  Result<std::set<std::string>> hosts_with(const std::string& requests) const;
  /// Fails with ErrorCode::usage if there is no such queue.
  Result<GridEngineQueue> queue() const;
  /// Returns the facts of all jobs, or of one. Jobs that are gone are left out.
  Result<std::vector<GridEngineFacts>> facts(const std::string& job = "*") const;
  /// Returns the facts of jobs with these numbers.
  Result<std::vector<GridEngineFacts>> facts_of(std::span<const std::string> numbers) const;

  using Slots = std::pair<std::string, int32_t>;  // host, number
  /// Sets the slots of hosts in as few changes as the length of a command allows; other hosts keep
  /// theirs.
  Status set_slots(std::span<const Slots> slots) const;
  /// Removes the host's own number, so that that of its group or of the queue counts again.
  Status forget_slots(const std::string& host) const;

  /// Returns what accounting knows of the job, which is written some seconds after its end.
  Result<JobEnd> end_of(const std::string& job) const;

  // For the following a job that is gone is no failure.
  /// Writes into the job's context, which `qstat -j` shows.
  Status tell(const std::string& job, int64_t ends_at_s) const;
  Status suspend(const std::string& job) const;
  Status resume(const std::string& job) const;
  enum class Requeue : uint8_t { pushed, not_restartable, gone };
  Result<Requeue> requeue(const std::string& job) const;
  Status remove(const std::string& job) const;

  /// Returns "12" of "12.3".
  static std::string number_of(const std::string& job) { return job.substr(0, job.find('.')); }

  /// True if what `qconf OPTION` lists has this name.
  Result<bool> lists(const std::string& option, const std::string& name) const;
  /// Returns the cell's name of this machine, by its aliases; "": not known.
  std::string local_host() const;

 private:
  CallRequest request(const std::string& program, std::vector<std::string> arguments) const;
  Result<std::string> output(const std::string& program, std::vector<std::string> arguments) const;
  Result<bool> order(const std::string& program, std::vector<std::string> arguments) const;
  Status order_or_gone(const std::string& program, std::vector<std::string> arguments) const;

  GridEngineSettings settings_;
  std::string bin_;  // with the last slash, or ""
  int64_t timeout_ms_;
  Caller caller_;
};

}  // namespace leasehold::agent
