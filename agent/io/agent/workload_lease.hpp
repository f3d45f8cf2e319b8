// WorkloadLease: until when the workload manager keeps leased slots open by itself, and so how long
// they may be used after the broker has spoken last.
#pragma once

#include <cstdint>

#include "agent/io/agent/enforcement.hpp"

namespace leasehold::agent {

class WorkloadLease {
 public:
  /// All outlive it.
  WorkloadLease(const Workload& workload, const DurableLimits& limits, const Contact& contact,
                Enforcement& enforcement)
      : workload_(workload), limits_(limits), contact_(contact), enforcement_(enforcement) {}

  /// Tells the workload manager until when it is. Before the broker has spoken to this process
  /// nothing is made longer.
  void renew(int64_t now_ms);
  /// Returns for how long leased slots may be used; 0 until the workload manager goes by the
  /// current TTL: nothing is promised that it does not keep.
  int64_t promised_ms() const;
  /// Before a configuration: what the workload manager still goes by, counted from now.
  int64_t left_at_hello_ms(int64_t now_ms) const;

 private:
  int64_t longest_grace_ms() const;

  const Workload& workload_;
  const DurableLimits& limits_;
  const Contact& contact_;
  Enforcement& enforcement_;
  int64_t ttl_given_ms_ = 0;  // the workload manager goes by it
};

}  // namespace leasehold::agent
