// HostWaker: has hosts of the agent's cluster switched on for which work of others waits, and says
// which of its hosts nobody else uses. The broker names both; which may be tried now is decided by
// agent/core/off_hosts.hpp.
#pragma once

#include "agent/core/limits/book.hpp"
#include "agent/core/off_hosts.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

class HostWaker {
 public:
  explicit HostWaker(Workload& workload) : workload_(workload) {}

  OffHosts& hosts() { return hosts_; }
  /// After a good look, with an open session. What the workload manager refuses is tried again
  /// later, as what it takes and does not do.
  void mind(const Book& book, const View& view, int64_t now_ms);

 private:
  Workload& workload_;
  OffHosts hosts_;
};

}  // namespace leasehold::agent
