// SlurmFences keeps cores of a host from Slurm's own jobs, and never opens more than was wanted
// while it changes that. Slurm itself lays a fence only on cores that no job has, but takes cores
// of completing jobs for idle. So a fence is verified only when nothing completes on its host while
// it is in force. Until then, or while more is in use than may be, the host is closed as a whole:
// what runs goes on, nothing starts. With hold jobs the host is never closed: a core that comes
// free may be refilled before it is held.
#pragma once

#include <map>
#include <set>
#include <string>

#include "agent/workload/slurm/look/look.hpp"

namespace leasehold::agent {

class SlurmFences {
 public:
  SlurmFences(const SlurmClient& client, SlurmLook& look, SlurmFence mode)
      : client_(client), look_(look), mode_(mode) {}

  /// Sets how many cores of the host are kept from jobs.
  void want(const std::string& host, int32_t cores) { wanted_[host] = cores; }
  bool wants(const std::string& host) const { return wanted_.contains(host); }
  const std::map<std::string, int32_t>& wanted() const { return wanted_; }

  /// Brings the fences of the look's hosts as near to the wanted ones as is possible now, and
  /// updates the look. It goes on after a failure, and returns the first one.
  Status apply(SlurmSnapshot& snapshot);
  /// Verifies all fences again: another life of the controller may have older fences under known
  /// names.
  void distrust() { verified_.clear(); }
  /// Takes all fences for verified, for a look that changes nothing.
  void trust(const SlurmSnapshot& snapshot);
  /// Returns the slots that jobs of this cluster may use in all, by the fences in force.
  int32_t open_slots(const SlurmHost& host) const;
  /// Returns the cores that the fences found keep, verified or not.
  int32_t claimed_cores(const SlurmHost& host) const;
  /// Returns the slots in use, those of completing jobs among them. Without hold jobs those count
  /// only up to the cores outside the verified fence: a completing job's core may be the next job's
  /// already.
  int32_t used(const SlurmHost& host) const;
  /// True if no more is open than was wanted.
  bool holds(const SlurmHost& host) const {
    return open_slots(host) <= host.node.cores - wanted_on(host);
  }

 private:
  struct Candidate {
    SlurmHost* host;
    std::string fence;
    bool covered;
  };

  int32_t wanted_on(const SlurmHost& host) const;
  int32_t verified_cores(const SlurmHost& host) const;
  int32_t with_reserved(const SlurmHost& host, int32_t cores) const;
  bool covered(const SlurmHost& host, int32_t cores) const;
  bool stands(const SlurmHost& host, int32_t cores) const;
  Status approach(SlurmHost& host, int32_t cores, std::vector<Candidate>& candidates);
  Status verify(SlurmSnapshot& snapshot, std::vector<Candidate>& candidates);
  Status close(SlurmHost& host);
  int64_t next_number(const SlurmHost& host);
  Result<std::string> make(SlurmHost& host, int32_t cores);
  Status keep_only(SlurmHost& host, const std::string& fence);
  Status hold_jobs(SlurmSnapshot& snapshot, SlurmHost& host, int32_t cores);

  const SlurmClient& client_;
  SlurmLook& look_;
  SlurmFence mode_;
  std::map<std::string, int32_t> wanted_;
  std::set<std::string> verified_;          // names of fences
  std::map<std::string, int64_t> numbers_;  // the last one given, by host
};

/// Removes our own hold jobs from the units: they are fences, and no work.
Status leave_out_hold_jobs(const SlurmClient& client, std::vector<WorkUnit>& units);

/// True if a reservation closes the host as a whole.
bool is_closed(const SlurmHost& host);

/// Logs that a host could not be fenced, and what follows for its slots.
void log_fence_failed(const Error& why);

}  // namespace leasehold::agent
