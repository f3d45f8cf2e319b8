// Reclaims ends work whose slots are taken back, with grace (agent/core/README.md, "Timeline of a
// reclaim"). It warns jobs, ends them when their grace is over, and keeps on disk how much grace
// each has left. agent/core/reclaim/choice.hpp decides which work has to end, the timeline when.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/demand/endings.hpp"
#include "agent/core/limits/book.hpp"
#include "agent/core/reclaim/reclaim.hpp"
#include "agent/core/reclaim/sets.hpp"
#include "agent/io/agent/fate_reports.hpp"
#include "agent/io/agent/known/workload_failures.hpp"
#include "agent/io/state/state_file.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

/// The parts that ending work uses; all outlive the Reclaims.
struct ReclaimParts {
  Workload& workload;
  StateFile& state;
  WorkloadFailures& failures;
  Endings& endings;
  FateReports& fates;
};

class Reclaims {
 public:
  /// `signal` is for work that asks for none itself. `late_ms` returns how long ago the turn began.
  Reclaims(const ReclaimParts& parts, std::string signal, std::function<int64_t()> late_ms);

  void restore(const std::vector<SavedVictim>& saved, bool same_boot, int64_t now_ms);
  std::vector<SavedVictim> save(int64_t now_ms) const { return timeline_.save(now_ms); }
  bool empty() const { return timeline_.empty(); }
  /// Returns the ids of the units under a reclaim (ReclaimTimeline::under_reclaim).
  std::vector<std::string> under_reclaim(const std::vector<WorkUnit>& units) const;

  /// Logs each job that a reclaim would end for good once, before any of them is chosen.
  void warn_of_final(const Book& book, const WorkList& work);
  /// Takes the steps of exactly these victims whose time has come.
  void advance(const std::vector<ReclaimVictim>& victims, const WorkLook& look);
  /// Ends one unit, and has it queued again if possible; `how` is the log event.
  void end(const WorkUnit& job, const char* how, int64_t now_ms);

  /// Begins a look: next_look_ms() comes from the calls of look_by() after this one.
  void begin_look() { next_look_ms_ = INT64_MAX; }
  void look_by(int64_t deadline_ms);
  /// Returns when reclaims need the next look; INT64_MAX: they need none.
  int64_t next_look_ms() const { return next_look_ms_; }

 private:
  void warn(const WorkUnit& job, int64_t now_ms);
  bool keep(int64_t now_ms);

  ReclaimParts parts_;
  std::string signal_;
  std::function<int64_t()> late_ms_;
  ReclaimTimeline timeline_;
  std::set<std::string> final_logged_;  // ids of jobs
  int64_t next_look_ms_ = INT64_MAX;
};

/// Returns the unit with that id. Contract: it is there.
const WorkUnit& unit_of(const WorkList& work, const std::string& id);

}  // namespace leasehold::agent
