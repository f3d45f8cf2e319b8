// WorkloadLease: until when the workload manager keeps leased slots open by itself, and so how long
// they may be used after the last renewal.
#pragma once

#include <cstdint>

#include "agent/io/agent/known/enforcement.hpp"

namespace leasehold::agent {

class WorkloadLease {
 public:
  /// All outlive it.
  WorkloadLease(const Workload& workload, const DurableLimits& limits, const Contact& contact,
                Enforcement& enforcement)
      : workload_(workload), limits_(limits), contact_(contact), enforcement_(enforcement) {}

  /// Sets the end of leases at the workload manager. It does nothing before the broker has sent a
  /// configuration to this process, nor after leases have ended.
  void renew(int64_t now_ms);
  /// Returns for how long leased slots may be used after a renewal, with the longest grace. It is 0
  /// until the workload manager enforces the current TTL: nothing is promised that it does not
  /// keep.
  int64_t promised_ms() const;
  /// Returns, for the hello, how long the workload manager still lets leased slots be used, from
  /// now.
  int64_t left_at_hello_ms(int64_t now_ms) const;

 private:
  int64_t longest_grace_ms() const;

  const Workload& workload_;
  const DurableLimits& limits_;
  const Contact& contact_;
  Enforcement& enforcement_;
  int64_t ttl_given_ms_ = 0;  // the TTL that the workload manager enforces
};

}  // namespace leasehold::agent
