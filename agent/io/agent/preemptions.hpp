// Preemptions: ends work inside the cluster, at once, for sessions that deserve more than they have
// (agent/core/README.md, "Preemption"). agent/core/preemption/preemption.hpp decides which work
// that is. The shapes of work for which others end are kept on disk first: if they cannot be kept,
// nothing ends.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "agent/core/preemption/preemption.hpp"
#include "agent/core/preemption/served.hpp"
#include "agent/core/reclaim/choice.hpp"
#include "agent/core/reclaim/reclaim.hpp"
#include "agent/core/work/scheduling.hpp"
#include "agent/core/work/work_session.hpp"
#include "agent/io/agent/fate_reports.hpp"
#include "agent/io/state/state_file.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

class Preemptions {
 public:
  /// All outlive it.
  Preemptions(const SchedulingSettings& scheduling, StateFile& state, FateReports& fates)
      : scheduling_(scheduling), state_(state), fates_(fates) {}

  /// True if work may ever be preempted. Where types are given, a job's comment can make its
  /// session preemptive too.
  bool possible() const { return !scheduling_.session_types.empty(); }
  void restore(const std::vector<SavedServed>& saved, bool same_boot, int64_t now_ms);

  /// Chooses what has to end, and calls `end` for each unit that has to end now.
  void advance(const WorkList& work, const WorkSessions& sessions, const View& view, int64_t now_ms,
               const std::function<void(const WorkUnit&)>& end);

 private:
  PreemptionRequest request_of(const WorkList& work, const View& view, int64_t now_ms) const;
  std::vector<Preemption> choose(const PreemptionRequest& request, const WorkList& work,
                                 const WorkSessions& sessions, int64_t now_ms);
  void end_chosen(const std::vector<ReclaimVictim>& victims, const WorkList& work, int64_t now_ms,
                  const std::function<void(const WorkUnit&)>& end);
  bool keep(int64_t now_ms);

  const SchedulingSettings& scheduling_;
  StateFile& state_;
  FateReports& fates_;
  ReclaimTimeline timeline_;
  Served served_;  // shapes for which work was preempted
};

}  // namespace leasehold::agent
