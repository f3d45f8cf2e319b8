// SlurmFences: keeps so many cores of a host from Slurm's own jobs, and never opens more than was
// wanted while it changes that. A fence of cores lies only on cores that no job has, which Slurm
// itself sees to. What it does not see: cores of jobs that are completing count as idle there. So a
// fence is trusted (verified) only when nothing was completing on its host once it stood, and until
// then, or while more is in use than may be, the host is closed as a whole: what runs goes on,
// nothing starts. With hold jobs there is no closing: a core that comes free may be refilled before
// it is taken.
#pragma once

#include <map>
#include <set>
#include <string>

#include "agent/workload/slurm/scene.hpp"

namespace leasehold::agent {

class SlurmFences {
 public:
  SlurmFences(const SlurmClient& client, SlurmLook& look, SlurmFence mode)
      : client_(client), look_(look), mode_(mode) {}

  /// Cores of the host to keep from jobs.
  void want(const std::string& host, int32_t cores) { wanted_[host] = cores; }
  bool wants(const std::string& host) const { return wanted_.contains(host); }
  const std::map<std::string, int32_t>& wanted() const { return wanted_; }

  /// Brings the fences of the look's hosts as near to the wanted ones as is possible now, and
  /// updates the look. It goes on after a failure, and returns the first one.
  Status apply(SlurmScene& scene);
  /// Another life of the controller may remember older fences under names that are known.
  void distrust() { verified_.clear(); }
  /// For a look that changes nothing: fences are taken for what they say.
  void trust(const SlurmScene& scene);
  /// Slots that jobs of this cluster may use in all, as the fences stand.
  int32_t open_slots(const SlurmHost& host) const;
  /// Cores that the fences found say they keep, verified or not.
  int32_t claimed_cores(const SlurmHost& host) const;
  /// Slots used, those of completing jobs among them. The cores outside a fence that is verified
  /// bound it: a core whose job completes may have been given to the next already.
  int32_t used(const SlurmHost& host) const;
  /// The fence stands as far as it was wanted: no more is open than that.
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
  Status verify(SlurmScene& scene, std::vector<Candidate>& candidates);
  Status close(SlurmHost& host);
  int64_t next_number(const SlurmHost& host);
  Result<std::string> make(SlurmHost& host, int32_t cores);
  Status keep_only(SlurmHost& host, const std::string& fence);
  Status hold_jobs(SlurmScene& scene, SlurmHost& host, int32_t cores);

  const SlurmClient& client_;
  SlurmLook& look_;
  SlurmFence mode_;
  std::map<std::string, int32_t> wanted_;
  std::set<std::string> verified_;          // names of fences
  std::map<std::string, int64_t> numbers_;  // the last one given, by host
};

/// Our own hold jobs are fences, and no work.
Status leave_out_hold_jobs(const SlurmClient& client, std::vector<WorkUnit>& units);

/// The host as a whole is closed by a reservation that asks for no cores.
bool is_closed(const SlurmHost& host);

}  // namespace leasehold::agent
