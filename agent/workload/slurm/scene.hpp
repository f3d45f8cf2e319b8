// SlurmScene: one look at a Slurm cluster, with the jobs counted by host: slots are cores, one of
// however many threads. A host holds what runs, is suspended or set up there; work that has ended
// and may still have processes is counted apart. Not decisions: those are fences.hpp's.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/workload/slurm/client.hpp"

namespace leasehold::agent {

struct SlurmHost {
  SlurmNode node;
  int32_t holds = 0;             // slots of its jobs, added up
  bool jobs_take_turns = false;  // a core may have several jobs, as PreemptMode=SUSPEND has it
  int32_t completing = 0;  // slots of jobs that have ended, counted though another job has the core
  int32_t ended_peak = 0;  // the widest job that ended since the look before the last
  std::vector<SlurmFenceFound> fences;  // ours
  std::string foreign;  // the reservation of somebody else that has the host now, if there is one
  /// Slots that reservations of others have now, when they do not have the host: nobody else's.
  int32_t reserved = 0;
  int32_t in_reserved = 0;                  // of jobs that use those reservations
  std::optional<SlurmReservation> horizon;  // of somebody else, the first one that begins later
  std::string unknown;                      // what is said of it and not understood, a sentence

  int32_t slots_of(int32_t cpus) const { return (cpus + node.threads - 1) / node.threads; }
  int64_t next_number() const;  // above those of fences that stand
};

struct SlurmScene {
  SlurmController controller;
  std::vector<SlurmHost> hosts;
  std::unordered_map<std::string, size_t> places;  // in `hosts`, by name
  std::vector<SlurmJob> jobs;
  std::vector<SlurmPartition> partitions;
  std::vector<std::string> parts_reserved;  // names of reservations that have parts of hosts

  bool takes_whole_hosts(const SlurmJob& job) const;
  bool jobs_take_turns() const;
  SlurmHost* find(const std::string& name);
  const SlurmHost* find(const std::string& name) const;
};

class SlurmLook {
 public:
  SlurmLook(const SlurmClient& client, SlurmFence mode) : client_(client), mode_(mode) {}

  /// All of it from one life of the controller. Jobs that ended before `ended_since_s` are passed
  /// over.
  Result<SlurmScene> take(int64_t ended_since_s);
  /// The jobs once more, in a scene whose fences have changed since.
  Status count_jobs(SlurmScene& scene, int64_t ended_since_s);

 private:
  struct Spread {
    std::string nodes;
    int32_t cpus = 0;
    std::vector<SlurmShare> shares;
  };

  Status place_fences(SlurmScene& scene) const;
  Status place_hold_jobs(SlurmScene& scene) const;
  Status count(SlurmScene& scene, const SlurmJob& job, int64_t ended_since_s);
  Status learn_reserved_jobs(const SlurmScene& scene);
  Status count_spread(SlurmScene& scene, const SlurmJob& job,
                      const std::vector<std::string>& nodes);

  const SlurmClient& client_;
  SlurmFence mode_;
  std::set<std::string> reserved_jobs_;    // that use the parts which others reserved
  std::map<std::string, Spread> spreads_;  // jobs on several hosts, by id
};

}  // namespace leasehold::agent
