// HostWaker: has hosts of the agent's cluster switched on for which work of others waits, and says
// which of its hosts nobody else uses. The broker names both; which may be tried now is decided by
// agent/core/off_hosts.hpp.
#pragma once

#include "agent/core/limits/book.hpp"
#include "agent/core/off_hosts.hpp"
#include "agent/io/state_file.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

class HostWaker {
 public:
  HostWaker(Workload& workload, StateFile& state) : workload_(workload), state_(state) {}

  OffHosts& hosts() { return hosts_; }
  /// After a good look, with an open session. What the workload manager refuses is tried again
  /// later, as what it takes and does not do. Nothing is done for a broker that only observes.
  void mind(const Book& book, const View& view, int64_t now_ms);

 private:
  /// Returns false if it cannot be written.
  bool keep(int64_t now_ms);
  /// Returns the hosts to be woken, when it is kept that they are tried.
  std::vector<std::string> try_now(const View& view, int64_t now_ms);

  Workload& workload_;
  StateFile& state_;
  OffHosts hosts_;
};

}  // namespace leasehold::agent
