// Workload: what the agent asks of its cluster's workload manager. One room an adapter; this folder
// knows nothing of brokers, orders or sessions. Every call may fail and says how; a failed call has
// changed nothing that the next read() would not show.
//
// Contract of a cap (HostCap): when enforce() returns, the caps stand and survive the death of the
// agent; at or above HostCap::slots nothing new starts on the host; a cap below what is in use ends
// no work: the slots stay in use until their jobs end and are not refilled. A cap without parts
// takes the fence away: a host of ours is free, an imported one is gone.
//
// Contract of a lease's end (lease_until), for a manager that is self_expiring: it keeps the
// instant durably and acts on it whether an agent lives or not. From then on imported hosts are
// closed for new work, work there is interrupted, and ended and requeued when the host's
// HostCap::grace_ms is over, unless a later instant was set before that. A closed host stays
// closed, whatever instant is set afterwards, until an enforce() before that instant opens it; what
// enforce() is given after the instant is closed at once. Where a clock was lost (a reboot) the end
// counts as reached.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agent/core/limits/view.hpp"
#include "agent/core/reclaim/work_unit.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

struct WorkloadTraits {
  std::string manager;         // "simulated", "slurm", …
  wire::Fences fences;         // what can be fenced besides slots
  int64_t settle_ms = 0;       // after enforce(), until what is used can be trusted to be under it
  bool self_expiring = false;  // closes leased slots without the agent
  /// A cap below what is in use closes as work ends: enforce() succeeds, and read() tells how far
  /// it is.
  bool fences_by_slot = false;
};

/// All jobs of the cluster, running and pending, of one look.
struct WorkList {
  Instant now;  // by the clock that `started` goes by
  std::vector<WorkUnit> units;
};

class Workload {
 public:
  virtual ~Workload() = default;

  virtual WorkloadTraits traits() const = 0;
  /// One look. `imported`: local names of other clusters' hosts that are asked for; a name that the
  /// workload manager does not know has no load in the answer.
  virtual Result<View> read(std::span<const std::string> imported) = 0;
  /// Sets the caps of these hosts, and of no other.
  virtual Status enforce(std::span<const HostCap> caps) = 0;
  /// All shared resources that are leased now, whole: a provider's are withheld from its own jobs.
  virtual Status fence_resources(std::span<const wire::ConfiguredResource> resources) = 0;
  /// Leased slots may be used until this instant of CLOCK_BOOTTIME; INT64_MAX: without end. Called
  /// only where traits() say self_expiring.
  virtual Status lease_until(int64_t /*boottime_ms*/) { return {}; }
  /// Every adapter gives it: what must end is chosen from all work, not host by host.
  virtual Result<WorkList> work_units() {
    return fail(ErrorCode::unknown, "this workload manager's adapter lists no work units");
  }
  /// Tells a job of work_units() that it will be ended after `grace_ms`: by a message where the
  /// workload manager has one, and by the signal; "": by none.
  virtual Status interrupt(const WorkUnit& job, const std::string& signal, int64_t grace_ms) = 0;
  /// Ends a job of work_units() and puts it back into the queue, or ends it for good if it may not
  /// be put back, as the list said. A job that is gone, waits or ends already: done. Where it
  /// cannot be told what became of the call, nothing else is tried: the next list shows what did.
  virtual Status end_and_requeue(const WorkUnit& job) = 0;
  /// How a job that the list has no more has ended, as far as the workload manager still knows.
  virtual Result<JobEnd> end_of(const WorkUnit& /*job*/) { return JobEnd{}; }
  /// Has a host of this cluster that power saving switched off switched on; it comes up, or not,
  /// when the looks show it.
  virtual Status wake(const std::string& host) {
    return fail(ErrorCode::unknown,
                "this workload manager's adapter cannot switch on host " + host);
  }
  /// Of these hosts, while they are not up, no other cluster uses anything, nor may. What keeps
  /// them busy for others may go, until they are up and kept as before; only then read() calls them
  /// up. Each call replaces the one before; it changes nothing itself.
  virtual void nobody_else_uses(const std::vector<std::string>& /*hosts*/) {}
  /// What this agent may not do and would have to, a sentence each. Changes nothing.
  virtual Result<std::vector<std::string>> permissions_lacking() {
    return std::vector<std::string>{};
  }
  /// What works, and not as one may think: a sentence each, for `lease-agent --probe`.
  virtual Result<std::vector<std::string>> cautions() { return std::vector<std::string>{}; }
  /// The last call before an agent goes for good, when every cap is gone: takes away what else it
  /// put there. What stays is named with the reason, a sentence each.
  virtual Result<std::vector<std::string>> leave() { return std::vector<std::string>{}; }
  /// Milliseconds until the workload is known to change by itself; INT64_MAX: not known.
  virtual int64_t next_change_in_ms() = 0;
};

}  // namespace leasehold::agent
