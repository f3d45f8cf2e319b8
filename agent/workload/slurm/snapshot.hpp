// SlurmSnapshot is one look at a Slurm cluster, with the jobs counted by host. A slot is a core,
// with however many threads. A host holds what runs, is suspended or set up there; work that has
// ended and may still have processes is counted apart. fences.hpp makes the decisions.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/workload/slurm/client.hpp"
#include "common/clock.hpp"

namespace leasehold::agent {

struct SlurmHost {
  SlurmNode node;
  /// Slots that its jobs hold. They are added up; if jobs take turns on the same cores, and the
  /// host is fenced or the sum is more than it has, the cores are counted instead.
  int32_t holds = 0;
  bool jobs_take_turns = false;  // as PreemptMode=SUSPEND has it, or `scontrol suspend`
  int32_t completing = 0;  // slots of jobs that have ended, counted though another job has the core
  int32_t ended_peak = 0;  // the widest job that ended since the look before the last
  std::vector<SlurmFenceFound> fences;  // ours
  std::string foreign;  // the reservation of somebody else that has the host now, if there is one
  /// Slots that reservations of others have now, if those have only a part of the host.
  int32_t reserved = 0;
  int32_t in_reserved = 0;  // of jobs that use those reservations
  /// The first one of somebody else that has the whole host, or will have some of it.
  std::optional<SlurmReservation> horizon;
  std::string unknown;  // what is said of it and not understood, a sentence

  int32_t slots_of(int32_t cpus) const { return (cpus + node.threads - 1) / node.threads; }
  std::set<int32_t> cores_of(const SlurmShare& share) const;
  int64_t next_number() const;  // above those of fences that stand
};

struct SlurmSnapshot {
  /// The controller is as it was at the end of the look. `now_s` alone is at or before the
  /// beginning of the look, and so no later than anything that the look found: ages come out too
  /// low, and an ended job is reported twice rather than never.
  SlurmController controller;
  SlurmWantsByJob wants;  // where they were asked for
  std::vector<SlurmHost> hosts;
  std::unordered_map<std::string, size_t> places;  // in `hosts`, by name
  std::vector<SlurmJob> jobs;
  std::vector<SlurmPartition> partitions;
  std::vector<std::string> parts_reserved;  // names of reservations that have parts of hosts
  /// Sentences about jobs and reservations on hosts that are not listed; Slurm does not list a
  /// cloud host that is switched off.
  std::vector<std::string> unlisted;

  bool takes_whole_hosts(const SlurmJob& job) const;
  bool jobs_take_turns() const;
  SlurmHost* find(const std::string& name);
  /// Works as find(), and adds a host that is not listed to `unlisted`.
  SlurmHost* find(const std::string& name, const std::string& what);
  const SlurmHost* find(const std::string& name) const;
};

/// Whether a look asks for the wants of pending jobs, if there are any.
enum class SlurmWaiting : uint8_t { passed_over, asked };

class SlurmLook {
 public:
  SlurmLook(const SlurmClient& client, SlurmFence mode, const TimeSource& time)
      : client_(client), mode_(mode), time_(time) {}

  /// Takes a look that comes from one life of the controller, the one in which the look before
  /// ended; if that life is over, it looks once more. Fails at once while no controller answers.
  /// Jobs that ended before `ended_since_s` are skipped.
  Result<SlurmSnapshot> take(int64_t ended_since_s,
                             SlurmWaiting waiting = SlurmWaiting::passed_over);
  /// Counts the jobs again, for a look whose fences have changed since.
  Status count_jobs(SlurmSnapshot& snapshot, int64_t ended_since_s);
  /// Returns the CPUs of a job; it is empty if Slurm does not print them. Slurm is asked once for
  /// each start of the job.
  Result<const std::vector<SlurmShare>*> shares_of(const SlurmSnapshot& snapshot,
                                                   const SlurmJob& job,
                                                   const std::vector<std::string>& nodes);

 private:
  struct Spread {
    std::string nodes;
    int32_t cpus = 0;
    int64_t started_s = 0;
    bool asked = false;
    std::vector<SlurmShare> shares = {};  // empty: Slurm does not tell
  };
  /// Cores of a host that jobs hold, by number, and how many more are held by jobs whose numbers
  /// are not known.
  struct Cores {
    std::set<int32_t> held;
    int32_t unknown = 0;
    int32_t count() const { return static_cast<int32_t>(held.size()) + unknown; }
  };
  struct SharedHost {
    Cores jobs;
    Cores in_reserved;
  };

  Result<SlurmSnapshot> look(int64_t ended_since_s, SlurmWaiting waiting);
  Status finish(SlurmSnapshot& snapshot, SlurmWaiting waiting) const;
  Status place_fences(SlurmSnapshot& snapshot, const std::vector<SlurmReservation>& made) const;
  Result<std::vector<SlurmShare>> ask_shares(const SlurmJob& job,
                                             const std::vector<std::string>& nodes,
                                             int32_t numbered);
  Status place_hold_jobs(SlurmSnapshot& snapshot) const;
  Status count(SlurmSnapshot& snapshot, const SlurmJob& job, int64_t ended_since_s);
  Status learn_reserved_jobs(const SlurmSnapshot& snapshot);
  Status count_spread(SlurmSnapshot& snapshot, const SlurmJob& job,
                      const std::vector<std::string>& nodes);
  Status count_cores(SlurmSnapshot& snapshot, const std::vector<SlurmJob>& jobs);
  Status count_cores_of(const SlurmSnapshot& snapshot, const SlurmJob& job,
                        std::map<std::string, SharedHost>& shared);

  const SlurmClient& client_;
  SlurmFence mode_;
  const TimeSource& time_;
  std::optional<SlurmController> last_;    // at the end of the look before
  std::set<std::string> reserved_jobs_;    // that use the parts which others reserved
  std::map<std::string, Spread> spreads_;  // where jobs lie, by id, as far as that was asked
  size_t asks_left_ = 0;                   // of this look, about one job each
  std::optional<SlurmJobLines> lines_;     // of this look, once those are used up: of all jobs
};

}  // namespace leasehold::agent
