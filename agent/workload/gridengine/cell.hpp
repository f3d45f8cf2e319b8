// GridEngineCell: the questions and orders of one Grid Engine cell, each one call of its own
// programs. Decides nothing. Not the meaning of what they print (text.hpp).
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/workload/gridengine/quotas.hpp"
#include "agent/workload/gridengine/settings.hpp"
#include "agent/workload/gridengine/text.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"

namespace leasehold::agent {

class GridEngineCell {
 public:
  GridEngineCell(const GridEngineSettings& settings, int64_t timeout_ms, Caller caller);

  /// "cell/queue@root".
  std::string name() const;
  const std::string& queue_name() const { return settings_.queue; }

  Result<GridEngineLook> look() const;
  /// Numbers of pending jobs whose begin has not come.
  Result<std::set<std::string>> timed() const;
  /// Of slots, where something counts in them.
  Result<std::vector<GridEngineQuota>> quotas() const;
  /// Of pending jobs that have one, by number.
  Result<std::map<std::string, std::string>> projects() const;
  Result<GridEngineEnvironment> environment(const std::string& name) const;
  /// Names of resources that a job has for itself alone.
  Result<std::set<std::string>> exclusive() const;
  Result<std::vector<GridEngineHost>> hosts() const;
  /// Names of resources that no list of requests can name to hosts_with(): it knows no load.
  Result<std::set<std::string>> reported() const;
  /// Hosts of the queue that have what is asked for ("mem_total=4G,gpu=1"), whoever uses it now.
  Result<std::set<std::string>> hosts_with(const std::string& requests) const;
  /// ErrorCode::usage: there is no such queue.
  Result<GridEngineQueue> queue() const;
  /// Of all jobs, or of one. What is gone is not in it.
  Result<std::vector<GridEngineFacts>> facts(const std::string& job = "*") const;
  /// Of jobs with these numbers.
  Result<std::vector<GridEngineFacts>> facts_of(std::span<const std::string> numbers) const;

  using Slots = std::pair<std::string, int32_t>;  // host, number
  /// In as few changes as the length of a command allows; other hosts' numbers stay.
  Status set_slots(std::span<const Slots> slots) const;
  /// The host's own number goes, and that of its group or the queue counts again.
  Status forget_slots(const std::string& host) const;

  /// What accounting has of it, which is written some seconds after the end.
  Result<JobEnd> end_of(const std::string& job) const;

  // A job that is gone is no failure.
  /// Into the job's context, which `qstat -j` shows.
  Status tell(const std::string& job, int64_t ends_at_s) const;
  Status suspend(const std::string& job) const;
  Status resume(const std::string& job) const;
  enum class Requeue : uint8_t { pushed, not_restartable, gone };
  Result<Requeue> requeue(const std::string& job) const;
  Status remove(const std::string& job) const;

  /// "12" of "12.3".
  static std::string number_of(const std::string& job) { return job.substr(0, job.find('.')); }

  /// What this user may not do here.
  Result<std::vector<std::string>> lacking() const;

 private:
  CallRequest request(const std::string& program, std::vector<std::string> arguments) const;
  Result<std::string> output(const std::string& program, std::vector<std::string> arguments) const;
  Result<bool> order(const std::string& program, std::vector<std::string> arguments) const;
  Status order_or_gone(const std::string& program, std::vector<std::string> arguments) const;
  Result<bool> lists(const std::string& option, const std::string& name) const;
  std::string local_host() const;

  GridEngineSettings settings_;
  std::string bin_;  // with the last slash, or ""
  int64_t timeout_ms_;
  Caller caller_;
};

}  // namespace leasehold::agent
