// SessionNotes: the sessions that jobs of the cluster share, as the last look found them
// (agent/core/work/work_session.hpp). It logs comments that do not count.
#pragma once

#include <cstdint>

#include "agent/core/work/scheduling.hpp"
#include "agent/core/work/work_session.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

class SessionNotes {
 public:
  /// `scheduling` outlives it.
  explicit SessionNotes(const SchedulingSettings& scheduling) : scheduling_(scheduling) {}

  /// Finds the sessions of this work, and what each deserves of the slots that are usable.
  void look(const WorkList& work, int64_t slots_usable);
  const WorkSessions& sessions() const { return sessions_; }

 private:
  const SchedulingSettings& scheduling_;
  WorkSessions sessions_;
  bool left_out_logged_ = false;  // it is logged that comments ask for too much
};

}  // namespace leasehold::agent
