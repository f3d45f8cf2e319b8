#include "agent/io/agent/known/workload_lease.hpp"

#include <algorithm>

namespace leasehold::agent {

void WorkloadLease::renew(int64_t now_ms) {
  const LeaseClock& lease = contact_.lease();
  if (!contact_.confirmed() || !workload_.traits().self_expiring || lease.ended(now_ms)) return;
  if (enforcement_.lease_until(lease.ends_ms())) ttl_given_ms_ = lease.ttl_ms();
}

int64_t WorkloadLease::longest_grace_ms() const {
  int64_t longest = limits_.book().longest_grace_ms();
  for (const HostCap& cap : enforcement_.view().caps) {
    if (cap.imported) longest = std::max(longest, cap.grace_ms);
  }
  return longest;
}

int64_t WorkloadLease::promised_ms() const {
  const int64_t ttl_ms = contact_.lease().ttl_ms();
  return ttl_ms > 0 && ttl_given_ms_ == ttl_ms ? ttl_ms + longest_grace_ms() : 0;
}

int64_t WorkloadLease::left_at_hello_ms(int64_t now_ms) const {
  const int64_t until_ms = enforcement_.view().leases_until_ms;
  if (!workload_.traits().self_expiring || until_ms == INT64_MAX) return 0;
  const int64_t left_ms = std::max(until_ms - now_ms, contact_.lease().ttl_ms());
  return std::max<int64_t>(1, left_ms + longest_grace_ms());
}

}  // namespace leasehold::agent
