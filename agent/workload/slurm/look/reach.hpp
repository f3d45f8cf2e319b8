// SlurmReach runs Slurm's programs, each with an argument vector, a time limit and the cluster's
// own slurm.conf, and knows whether a controller answers them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/workload/slurm/settings.hpp"
#include "agent/workload/support/call.hpp"

namespace leasehold::agent {

class SlurmReach {
 public:
  SlurmReach(const SlurmSettings& settings, int64_t timeout_ms, Caller caller);
  SlurmReach(const SlurmReach&) = delete;
  SlurmReach& operator=(const SlurmReach&) = delete;

  /// Fails at once while no controller answers: other programs would hang for long. It asks, by
  /// `scontrol ping`, only if the last program failed or there was none. A program that takes long
  /// is accompanied by the same question, which finds a controller that falls silent later.
  Status answers() const;
  CallRequest request(std::vector<std::string> argv) const;
  Result<CallAnswer> call(const CallRequest& asked) const { return caller_(asked); }
  /// Returns what the program printed; an Error if it failed.
  Result<std::string> output(const CallRequest& asked) const { return call_output(caller_, asked); }
  /// Runs the requests side by side and returns their outputs in order, or the first error in that
  /// order.
  Result<std::vector<std::string>> outputs(std::span<const CallRequest> requests) const;

 private:
  CallRequest plain(std::vector<std::string> argv) const;
  CallRequest ping() const;

  SlurmSettings settings_;
  int64_t timeout_ms_;
  mutable bool answered_ = false;  // the last program's question
  Caller caller_;
};

}  // namespace leasehold::agent
