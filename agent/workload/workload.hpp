// Workload: what the agent asks of its cluster's workload manager. Each adapter has a folder; this
// one knows nothing of brokers, orders or sessions. Every call may fail and says how; a failed call
// has changed nothing that the next read() would not show.
//
// Contract of a cap (HostCap): when enforce() returns, the caps are set and survive the death of
// the agent. They are in effect when traits().settle_ms have passed; with fences_by_slot a cap
// below what is in use closes slots only as their jobs end. At or above HostCap::slots nothing new
// starts on the host. A cap below what is in use ends no work: the slots stay in use until their
// jobs end and are not refilled. A cap without parts removes the fence: an own host is free again,
// an imported one is closed again.
//
// Contract of a lease's end (lease_until), for a manager that is self_expiring: it keeps the
// instant durably and acts on it whether an agent lives or not. From then on imported hosts are
// closed for new work, work there is interrupted, and ended and requeued when the host's
// HostCap::grace_ms is over, unless a later instant was set before that. A closed host stays
// closed, whatever instant is set afterwards, until an enforce() before that instant opens it; a
// cap that enforce() sets after the instant is closed at once. If a clock was lost (a reboot) the
// end counts as reached.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agent/core/limits/view.hpp"
#include "agent/core/work/work_unit.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

struct WorkloadTraits {
  std::string manager;         // "simulated", "slurm", …
  wire::Fences fences;         // what can be fenced besides slots
  int64_t settle_ms = 0;       // after enforce(), until use can be trusted to be under the caps
  bool self_expiring = false;  // closes leased slots without the agent
  /// A cap below what is in use closes as work ends: enforce() succeeds, and read() tells how far
  /// it is.
  bool fences_by_slot = false;
};

/// All running and pending jobs of the cluster, of one look.
struct WorkList {
  Instant now;  // by the clock that `started` uses
  std::vector<WorkUnit> units;
};

class Workload {
 public:
  virtual ~Workload() = default;

  virtual WorkloadTraits traits() const = 0;
  /// Reads hosts, use and caps. Unless it was opened read-only, an adapter may first bring the
  /// manager's fences back to the caps that were set last, and close imported hosts that no cap
  /// opens; the view shows the state after that. `imported` are the local names of other clusters'
  /// hosts that are asked for; a name that the workload manager does not know has no load in the
  /// view.
  virtual Result<View> read(std::span<const std::string> imported) = 0;
  /// Sets the caps of these hosts, and of no others.
  virtual Status enforce(std::span<const HostCap> caps) = 0;
  /// Sets all shared resources that are leased now: a provider's are withheld from its own jobs.
  virtual Status fence_resources(std::span<const wire::ConfiguredResource> resources) = 0;
  /// Leased slots may be used until this instant of CLOCK_BOOTTIME; INT64_MAX: without end. It is
  /// called only where traits() say self_expiring.
  virtual Status lease_until(int64_t /*boottime_ms*/) { return {}; }
  /// Lists all work, because what must end is chosen from all of it, not host by host. Every
  /// adapter implements it.
  virtual Result<WorkList> work_units() {
    return fail(ErrorCode::unknown,
                "this workload manager's adapter cannot list jobs, so none can be reclaimed");
  }
  /// Notifies a job of work_units() that it will be ended after `grace_ms`: by a message where the
  /// workload manager has one, and by the signal; "": no signal.
  virtual Status interrupt(const WorkUnit& job, const std::string& signal, int64_t grace_ms) = 0;
  /// Ends a job of work_units() and puts it back into the queue, or ends it for good if the list
  /// said that it may not be put back. A job that is gone, waits or ends already is no error. Where
  /// the result of the call is not known, nothing else is tried: the next list shows it.
  virtual Status end_and_requeue(const WorkUnit& job) = 0;
  /// Returns how a job that is no longer listed has ended, as far as the workload manager still
  /// knows.
  virtual Result<JobEnd> end_of(const WorkUnit& /*job*/) { return JobEnd{}; }
  /// Has a host of this cluster switched on that power saving has switched off. Later looks show
  /// whether it comes up.
  virtual Status wake(const std::string& host) {
    return fail(ErrorCode::unknown,
                "this workload manager's adapter cannot switch on host " + host);
  }
  /// Notes hosts of which no other cluster uses anything, nor may, while they are not up. The
  /// adapter may end what keeps their slots for others (hold jobs); then read() calls such a host
  /// up only when its slots are kept as before. Each call replaces the one before, and changes
  /// nothing by itself.
  virtual void nobody_else_uses(const std::vector<std::string>& /*hosts*/) {}
  /// Returns a sentence for each thing that this agent would have to do and may not. It changes
  /// nothing.
  virtual Result<std::vector<std::string>> permissions_lacking() {
    return std::vector<std::string>{};
  }
  /// Returns a sentence for each thing that works, but not as one may expect: for people. It is
  /// asked after read(), and then takes no other look.
  virtual Result<std::vector<std::string>> cautions() { return std::vector<std::string>{}; }
  /// The last call before an agent is removed, when every cap is gone: removes everything else that
  /// the agent made. Returns a sentence, with the reason, for each thing that stays.
  virtual Result<std::vector<std::string>> leave() { return std::vector<std::string>{}; }
  /// Returns the milliseconds until the workload is known to change by itself; INT64_MAX: not
  /// known.
  virtual int64_t next_change_in_ms() = 0;
};

}  // namespace leasehold::agent
