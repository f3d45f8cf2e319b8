// The hosts of one queue as one look shows them. Pure.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/workload/gridengine/printed/text.hpp"

namespace leasehold::agent {

/// A job on one host, through any queue.
struct PlacedJob {
  std::string queue;
  std::string host;
  GridEngineJob job;
};

class QueueHosts {
 public:
  /// Returns an error if a queue lists a host twice.
  static Result<QueueHosts> of(GridEngineLook look, const std::string& queue);

  const std::vector<GridEngineInstance>& all() const { return instances_; }
  std::vector<std::string> names() const;
  const GridEngineInstance* find(const std::string& host) const;
  const std::vector<GridEnginePending>& pending() const { return pending_; }
  bool waits(const std::string& job) const;
  std::vector<PlacedJob> places(const std::string& job) const;
  /// Returns the jobs for which `is` holds, by the host on which they run, through any queue.
  std::map<std::string, std::set<std::string>> jobs_by_host(
      const std::function<bool(const GridEngineJob&)>& is) const;

 private:
  std::vector<GridEngineInstance> instances_;  // of the queue, by host
  std::vector<GridEngineInstance> others_;     // of other queues
  std::vector<GridEnginePending> pending_;
};

/// True if more slots on one of these hosts, through one of these queues, could start the job, as
/// far as it names queues and hosts. In doubt it is true.
bool could_run(const GridEnginePending& job, std::span<const std::string> queues,
               std::span<const std::string> hosts);

/// Finds `host` by name among what qhost listed; a missing one is an error.
Result<GridEngineHost> machine_of(std::span<const GridEngineHost> machines,
                                  const std::string& host);

}  // namespace leasehold::agent
