// WorkEnds has work end: on hosts whose slots are to be given back (it chooses the hosts where an
// order names a set), and inside the cluster for sessions that deserve more. FateReports reports
// what became of that work, and UsageReports whose work uses borrowed slots.
#pragma once

#include <cstdint>

#include "agent/core/reclaim/choice.hpp"
#include "agent/core/work/scheduling.hpp"
#include "agent/io/agent/fate_reports.hpp"
#include "agent/io/agent/known/durable_limits.hpp"
#include "agent/io/agent/known/enforcement.hpp"
#include "agent/io/agent/orders.hpp"
#include "agent/io/agent/preemptions.hpp"
#include "agent/io/agent/reclaims.hpp"
#include "agent/io/agent/session_notes.hpp"
#include "agent/io/agent/usage_reports.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

/// The parts that WorkEnds uses and changes; all outlive it.
struct WorkEndParts {
  Workload& workload;
  StateFile& state;
  WorkloadFailures& failures;
  DurableLimits& limits;
  Enforcement& enforcement;
  WorkReports& of_work;
  Orders& orders;
};

class WorkEnds {
 public:
  /// `scheduling` and `clocks` outlive it. `signal` is for work that asks for none itself.
  WorkEnds(const WorkEndParts& parts, const SchedulingSettings& scheduling, std::string signal,
           const TimeSource& clocks);

  void restore(const SavedState& saved, int64_t now_ms);
  /// Begins a turn of the agent: how late an interrupt is counts from here.
  void begin_turn() { turn_began_ms_ = clocks_.boottime_ms(); }
  /// Begins a look: next_look_ms() is of this look from now on.
  void begin_look() { reclaims_.begin_look(); }
  /// Interrupts and ends the work whose time has come. Called after a good look.
  void advance(int64_t now_ms);
  /// Returns when work that must end needs the next look; INT64_MAX: none does.
  int64_t next_look_ms() const { return reclaims_.next_look_ms(); }
  size_t reclaims(int64_t now_ms) const { return reclaims_.save(now_ms).size(); }

 private:
  void await_set_fences(int64_t now_ms);
  void give_up_whole_hosts(const WorkList& work, int64_t now_ms);
  ReclaimNeeds open_needs() const;
  ReclaimNeeds needs_by_then(const WorkList& work, int64_t now_ms);
  void end_for_reclaims(const WorkList& work, int64_t now_ms);
  void count_usage(const WorkList& work, const WorkSessions& sessions, int64_t now_ms);

  WorkEndParts parts_;
  const SchedulingSettings& scheduling_;
  const TimeSource& clocks_;
  int64_t turn_began_ms_ = 0;
  SessionNotes sessions_;
  Reclaims reclaims_;
  Preemptions preemptions_;
};

}  // namespace leasehold::agent
