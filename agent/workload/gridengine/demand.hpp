// What a look at a Grid Engine cell means to its agent: work that waits for slots that leased hosts
// could give, by shape, and work that runs, by when its limit ends it. Pure.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/core/demand/shapes.hpp"
#include "agent/workload/gridengine/hosts.hpp"
#include "agent/workload/gridengine/quotas.hpp"

namespace leasehold::agent {

/// Where a job must be able to run to count.
struct GridEngineLeased {
  std::vector<std::string> queues;
  std::vector<std::string> hosts;
};

/// What the queue says of its jobs.
struct GridEngineTerms {
  std::string queue;
  std::optional<int64_t> limit_s;  // nullopt: none
  /// nullopt: not told, and any will do; of those told only the ones that pending jobs ask for.
  std::optional<std::vector<GridEngineEnvironment>> environments;
  std::set<std::string> archs;      // of all hosts
  std::set<std::string> exclusive;  // resources that a job has for itself alone
  /// Resources that hosts report as they change (mem_free), of which nothing can be told before;
  /// nullopt: not known which, and nothing is asked about.
  std::optional<std::set<std::string>> reported;
  /// Hosts that have what is asked for, by the list of requests; one that is not here was not asked
  /// about yet, nullopt: the question was refused. Then any host will do.
  std::map<std::string, std::optional<std::set<std::string>>> hosts_with;
};

/// What a job asks of each of its hosts: "gpu=1,mem_total=4G"; "": nothing that can be looked up.
std::string requests_of(const GridEnginePending& job, const GridEngineTerms& terms);

/// What keeps jobs from starting, whatever slots there are.
struct GridEngineKept {
  std::set<std::string> timed;  // numbers of jobs whose begin has not come
  std::vector<GridEngineQuota> quotas;
  std::map<std::string, std::string> projects;  // by the number of the job; read where quotas ask
};

/// Jobs that are held (by anyone, or until another job has ended), in error, to begin later, over a
/// quota, or that ask for queues, hosts, parallel environments or resources that leased hosts do
/// not have count for nobody. Of "-pe smp 2-4" the least.
std::vector<WaitingWork> gridengine_waiting(std::span<const GridEnginePending> pending,
                                            const GridEngineLeased& leased,
                                            const GridEngineTerms& terms,
                                            const GridEngineKept& kept);

/// Where a job could start if slots were free there, none: it is kept back; and how it wants them.
struct GridEngineFit {
  std::shared_ptr<const std::vector<std::string>> hosts;  // jobs that ask for the same share it
  int64_t tasks = 1;
  int32_t slots_per_host = 1;
  int32_t hosts_wanted = 1;
  bool whole = false;
};
/// By the job. `all`: every host of the queue.
using GridEngineFits = std::unordered_map<std::string, GridEngineFit>;
GridEngineFits gridengine_fits(std::span<const GridEnginePending> pending,
                               const GridEngineLeased& all, const GridEngineTerms& terms,
                               const GridEngineKept& kept);

/// It has what is there for itself: a host, or the queue there, which counts as the host.
bool takes_whole_hosts(std::span<const std::string> flags, const GridEngineTerms& terms);

/// By host the jobs that have it for themselves, through whatever queue.
std::map<std::string, std::set<std::string>> hosts_taken_whole(const QueueHosts& hosts,
                                                               const GridEngineTerms& terms);

/// A job over several hosts once; one that has its hosts for itself with all their slots.
std::vector<RunningWork> gridengine_running(std::span<const GridEngineInstance> instances,
                                            const GridEngineTerms& terms);

}  // namespace leasehold::agent
