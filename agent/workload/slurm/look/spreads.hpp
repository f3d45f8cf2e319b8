// SlurmSpreads knows how a job's CPUs lie on its hosts, as far as that was asked: Slurm is asked
// once for each start of a job, about one job at a time or, where many are not known, about all.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/workload/slurm/look/snapshot.hpp"

namespace leasehold::agent {

class SlurmSpreads {
 public:
  explicit SlurmSpreads(const SlurmClient& client) : client_(client) {}

  /// Begins a look at these jobs: what is known of others is dropped.
  void begin(const std::vector<SlurmJob>& jobs);
  bool known(const std::string& job) const { return spreads_.contains(job); }
  /// Returns the CPUs of a job; it is empty if Slurm does not print them.
  Result<const std::vector<SlurmShare>*> of(const SlurmSnapshot& snapshot, const SlurmJob& job,
                                            const std::vector<std::string>& nodes);

 private:
  struct Spread {
    std::string nodes;
    int32_t cpus = 0;
    int64_t started_s = 0;
    bool asked = false;
    std::vector<SlurmShare> shares = {};  // empty: Slurm does not tell
  };

  Result<std::vector<SlurmShare>> ask(const SlurmJob& job, const std::vector<std::string>& nodes,
                                      int32_t numbered);

  const SlurmClient& client_;
  std::map<std::string, Spread> spreads_;  // by the job's id
  size_t asks_left_ = 0;                   // of this look, about one job each
  std::optional<SlurmJobLines> lines_;     // of this look, once those are used up: of all jobs
};

}  // namespace leasehold::agent
