// Watcher: an observer of a simulated run, which also adds to what its agents report of their work.
// For studies; a run has the same outcome with and without one, unless it asks for slots, puts
// an evaluation off or ends the run.
#pragma once

#include <span>
#include <vector>

#include "agent/core/demand/shapes.hpp"
#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "common/jobs/job_model.hpp"

namespace leasehold {

class Watcher {
 public:
  virtual ~Watcher() = default;
  /// Returns work that does not exist, which that cluster's agent tells all the same.
  virtual std::vector<agent::WaitingWork> claims(uint32_t, Instant) { return {}; }
  /// Adds to the report of that cluster's agent what its work looks like.
  virtual void tell(uint32_t, const JobModel&, Instant, StateReported&) {}
  /// Called before waiting work starts; each model's first hosts are its cluster's own, the others
  /// are its parts of the scenario's policies.
  virtual void before_starts(std::span<const JobModel>, Instant) {}
  /// True puts an evaluation off: the core is not called, and does it the next time. The last
  /// flip was at `flipped` (INT64_MIN: there was none); both times are the core's.
  virtual bool puts_off(const State&, Instant /*flipped*/, Instant /*now*/) { return false; }
  /// Called after everything of an instant has happened. False ends the run here.
  virtual bool after(const State&, std::span<const JobModel>, Instant) { return true; }
};

}  // namespace leasehold
