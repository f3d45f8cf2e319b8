// SlurmLook takes looks at a Slurm cluster (snapshot.hpp): it runs Slurm's programs in an order in
// which what they print fits together, and counts jobs by host.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/workload/slurm/look/spreads.hpp"
#include "common/time/clock.hpp"

namespace leasehold::agent {

/// Says whether a look asks for the wants of pending jobs, if there are any.
enum class SlurmWaiting : uint8_t { passed_over, asked };

class SlurmLook {
 public:
  SlurmLook(const SlurmClient& client, SlurmFence mode, const TimeSource& time)
      : client_(client), mode_(mode), time_(time), spreads_(client) {}

  /// Takes a look that comes from one life of the controller, the one in which the look before
  /// ended; if that life is over, it looks once more. Fails at once while no controller answers.
  /// Jobs that ended before `ended_since_s` are skipped.
  Result<SlurmSnapshot> take(int64_t ended_since_s,
                             SlurmWaiting waiting = SlurmWaiting::passed_over);
  /// Counts the jobs again, for a look whose fences have changed since.
  Status count_jobs(SlurmSnapshot& snapshot, int64_t ended_since_s);
  SlurmSpreads& spreads() { return spreads_; }

 private:
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
  std::optional<SlurmController> last_;  // at the end of the look before
  std::set<std::string> reserved_jobs_;  // that use the parts which others reserved
  SlurmSpreads spreads_;
};

}  // namespace leasehold::agent
