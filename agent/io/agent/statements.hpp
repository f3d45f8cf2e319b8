// Statements sends the agent's messages to its broker (schema/wire/PROTOCOL.md): what it sees, and
// the limits that are on disk. It decides nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agent/core/work/scheduling.hpp"
#include "agent/io/agent/cautions.hpp"
#include "agent/io/agent/fate_reports.hpp"
#include "agent/io/agent/host_waker.hpp"
#include "agent/io/agent/known/contact.hpp"
#include "agent/io/agent/known/enforcement.hpp"
#include "agent/io/agent/reports.hpp"
#include "agent/io/agent/usage_reports.hpp"

namespace leasehold::agent {

/// The parts that Statements reads; all outlive it.
struct StatementParts {
  Contact& contact;
  const DurableLimits& limits;
  Enforcement& enforcement;
  const WorkReports& of_work;
  const WorkloadFailures& failures;
  HostWaker& host_waker;
};

class Statements {
 public:
  using Send = std::function<void(const wire::Message&)>;

  Statements(const StatementParts& parts, std::string cluster, int64_t report_interval_ms,
             Cautions cautions, Send send)
      : parts_(parts),
        cluster_(std::move(cluster)),
        reports_(report_interval_ms),
        cautions_(std::move(cautions)),
        send_(std::move(send)) {}

  void knock();
  /// Sends a broker that does not lead, before the agent leaves it, the cluster's name and a
  /// reading of the clocks, unless they cannot be read. By that the broker knows whether agents
  /// reach it though not the leader, and whose clock is wrong before it leads itself.
  void last_word(int64_t sent_ms, int64_t now_ms);
  /// Begins the session: sends the hello, with all groups and the time of its sending, and the
  /// inventory.
  void hello(wire::Hello hello, const TimeSource& clocks);
  void inventory();
  /// Sends the state of one group if the session is open; else the hello will have it.
  void state(uint64_t generation);
  /// Sends a heartbeat with the age of the last good look: while the workload manager does not
  /// answer, the agent knows nothing newer.
  void heartbeat(int64_t now_ms);
  /// Sends a last heartbeat, which says that the agent is being stopped; an older broker takes it
  /// for an ordinary one. It renews nothing, because nobody receives its answer.
  void stopping();
  /// Reports what has changed. `lease_ms` is what WorkloadLease promises.
  void report(int64_t lease_ms, int64_t now_ms);

  Reports& reports() { return reports_; }
  const Reports& reports() const { return reports_; }
  Cautions& cautions() { return cautions_; }

 private:
  Picture picture(int64_t lease_ms) const;

  StatementParts parts_;
  std::string cluster_;
  Reports reports_;
  Cautions cautions_;
  Send send_;
};

}  // namespace leasehold::agent
