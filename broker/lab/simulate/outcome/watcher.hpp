// Watcher: an observer of a simulated run, which also adds to what its agents report of their work.
// For studies; a run has the same outcome with and without one, unless it asks for slots (tell).
#pragma once

#include <span>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "common/jobs/job_model.hpp"

namespace leasehold {

class Watcher {
 public:
  virtual ~Watcher() = default;
  /// Adds to the report of that cluster's agent what its work looks like.
  virtual void tell(uint32_t cluster, const JobModel& model, Instant now,
                    StateReported& report) = 0;
  /// Called before waiting work starts; each model's first hosts are its cluster's own, the others
  /// are its parts of the scenario's policies.
  virtual void before_starts(std::span<const JobModel> models, Instant now) = 0;
  /// Called after everything of an instant has happened. False ends the run here.
  virtual bool after(const State& state, std::span<const JobModel> models, Instant now) = 0;
};

}  // namespace leasehold
