// Interprets a look at a Grid Engine cell: waiting work that leased hosts could serve, by shape,
// and running work, by when its limit ends it. Pure.
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
#include "agent/workload/gridengine/printed/quotas.hpp"

namespace leasehold::agent {

/// The queues and hosts that a job must be able to use to count.
struct GridEngineLeased {
  std::vector<std::string> queues;
  std::vector<std::string> hosts;
  std::vector<std::string> imported = {};
};

struct GridEngineTerms {
  std::string queue;
  std::optional<int64_t> limit_s;  // nullopt: there is none
  /// Only those that pending jobs ask for; nullopt: not known, and any will do.
  std::optional<std::vector<GridEngineEnvironment>> environments;
  std::set<std::string> archs;      // of all hosts
  std::set<std::string> exclusive;  // resources that a job has exclusively
  /// Resources whose values change as hosts report them (mem_free), so that nothing can be said of
  /// them before. nullopt: not known, and no resources are asked about.
  std::optional<std::set<std::string>> reported;
  /// The hosts that have what is asked for, by the list of requests. A missing list was not asked
  /// about yet; nullopt: the question was refused. In both cases any host will do.
  std::map<std::string, std::optional<std::set<std::string>>> hosts_with;
};

/// Returns what a job asks of each of its hosts: "gpu=1,mem_total=4G"; "": nothing that can be
/// looked up.
std::string requests_of(const GridEnginePending& job, const GridEngineTerms& terms);

/// Reasons that keep jobs from starting, however many slots there are.
struct GridEngineKept {
  std::set<std::string> timed;  // numbers of jobs whose start time has not come
  std::vector<GridEngineQuota> quotas;
  // By the number of the job; read where quotas ask for it.
  std::map<std::string, std::string> projects;
};

/// Returns the waiting work. A job does not count if it is held (by anyone, or until another job
/// ends), in error, to start later, over a quota, or asks for queues, hosts, parallel environments
/// or resources that leased hosts do not have. "-pe smp 2-4" counts with the least.
std::vector<WaitingWork> gridengine_waiting(std::span<const GridEnginePending> pending,
                                            const GridEngineLeased& leased,
                                            const GridEngineTerms& terms,
                                            const GridEngineKept& kept);

/// The hosts where a job could start if slots were free there (none: it is kept back), and how it
/// wants them.
struct GridEngineFit {
  std::shared_ptr<const std::vector<std::string>> hosts;  // shared by jobs that ask for the same
  int64_t tasks = 1;
  int32_t slots_per_host = 1;
  int32_t hosts_wanted = 1;
  bool whole = false;
};
/// The fits by job. `all` has every host of the queue.
using GridEngineFits = std::unordered_map<std::string, GridEngineFit>;
GridEngineFits gridengine_fits(std::span<const GridEnginePending> pending,
                               const GridEngineLeased& all, const GridEngineTerms& terms,
                               const GridEngineKept& kept);

/// True if the job has its host exclusively, or the queue there, which counts as the host.
bool takes_whole_hosts(std::span<const std::string> flags, const GridEngineTerms& terms);

/// Hosts that jobs have exclusively, through any queue. Nobody else may use the rest of such a
/// host, even if its slots were lowered since: a job keeps what the host had when it was seen
/// first; the next job has what there is then.
class HostsTakenWhole {
 public:
  void note(const QueueHosts& hosts, const GridEngineTerms& terms);
  /// Returns the slots that such jobs have there; 0: there are none.
  int32_t slots_on(const std::string& host) const;

 private:
  struct Taken {
    std::set<std::string> jobs;
    int32_t slots = 0;  // the most since the first of them
  };
  std::map<std::string, Taken> taken_;
};

/// Returns each job once, over all its hosts; a job that has its hosts exclusively has all their
/// slots.
std::vector<RunningWork> gridengine_running(std::span<const GridEngineInstance> instances,
                                            const GridEngineTerms& terms,
                                            std::span<const std::string> imported = {});

}  // namespace leasehold::agent
