// HostWaker has hosts of the agent's cluster switched on when work of others waits for them, and
// names to the workload manager the hosts that nobody else uses. The broker names both;
// agent/core/off_hosts.hpp decides which hosts may be tried now.
#pragma once

#include "agent/core/limits/book.hpp"
#include "agent/core/off_hosts.hpp"
#include "agent/io/state/state_file.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

class HostWaker {
 public:
  HostWaker(Workload& workload, StateFile& state) : workload_(workload), state_(state) {}

  OffHosts& hosts() { return hosts_; }
  /// Wakes the hosts of OffHosts::to_wake(), and passes on which are unused. Called after a good
  /// look with an open session. A host that the workload manager refuses to wake, or does not wake,
  /// is tried again later. For a broker that only observes nothing is woken.
  void mind(const Book& book, const View& view, int64_t now_ms);

 private:
  /// Returns false if it cannot be written.
  bool keep(int64_t now_ms);
  /// Returns the hosts to be woken, after it is on disk that they were tried.
  std::vector<std::string> try_now(const View& view, int64_t now_ms);

  Workload& workload_;
  StateFile& state_;
  OffHosts hosts_;
};

}  // namespace leasehold::agent
