// Statements: what the agent says to its broker (schema/wire/PROTOCOL.md), of what it sees and of
// the limits that are on disk. It decides nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agent/core/reclaim/scheduling.hpp"
#include "agent/io/agent/contact.hpp"
#include "agent/io/agent/enforcement.hpp"
#include "agent/io/agent/fate_reports.hpp"
#include "agent/io/agent/host_waker.hpp"
#include "agent/io/agent/reports.hpp"

namespace leasehold::agent {

/// The parts that Statements reads; all outlive it.
struct StatementParts {
  Contact& contact;
  const DurableLimits& limits;
  Enforcement& enforcement;
  const FateReports& fates;
  const WorkloadFailures& failures;
  HostWaker& host_waker;
};

class Statements {
 public:
  using Send = std::function<void(const wire::Message&)>;

  Statements(const StatementParts& parts, std::string cluster, int64_t report_interval_ms,
             Send send)
      : parts_(parts),
        cluster_(std::move(cluster)),
        reports_(report_interval_ms),
        send_(std::move(send)) {}

  void knock();
  /// To a broker that does not lead, before it is left: who is there, and by what clock. It tells
  /// whether the leader alone hears nobody, and whose clock is wrong before it leads.
  void last_word(int64_t sent_ms, int64_t now_ms);
  /// Begins the session: sends the hello, with all groups, and the inventory. `wall_ms` tells the
  /// time of its sending.
  void hello(wire::Hello hello, const TimeSource& clocks);
  void inventory();
  /// States one group, if the session is open: else the hello says it.
  void state(uint64_t generation);
  /// Sends a heartbeat with the age of what it goes by: of a manager that does not answer it knows
  /// no more than before.
  void heartbeat(int64_t now_ms);
  /// Sends a heartbeat of another kind: a broker that does not know it takes it for the last one
  /// there was. Nothing is renewed by it, because its answer reaches nobody.
  void stopping();
  /// Reports what has changed. `lease_ms` is what WorkloadLease promises.
  void report(int64_t lease_ms, int64_t now_ms);

  Reports& reports() { return reports_; }
  const Reports& reports() const { return reports_; }

 private:
  Picture picture(int64_t lease_ms) const;

  StatementParts parts_;
  std::string cluster_;
  Reports reports_;
  Send send_;
};

}  // namespace leasehold::agent
