// What LSF tells of jobs besides what they hold: what one wants beyond a number of slots, how long
// it may run, and whether slots would help it at all. Asked for apart from the jobs themselves: the
// resource requirement is a user's own text, and what cannot be read of it makes shapes unknown,
// not the look. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/demand/shapes.hpp"
#include "agent/core/reclaim/work_unit.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

struct LsfNeeds {
  std::optional<int64_t> limit_s;  // RUNLIMIT
  bool one_host = false;           // span[hosts=1]
  int32_t per_host = 0;            // span[ptile=N]; 0: does not say
  bool kept = false;               // by something that no slot would end, or that is not known
  std::string unknown = {};        // its reasons, if none of them is known
  bool operator==(const LsfNeeds&) const = default;
};
/// By the job, as WorkUnit::id is.
using LsfNeedsOfJobs = std::map<std::string, LsfNeeds>;

inline constexpr const char* kNeedsFields =
    "jobid jobindex runtimelimit pend_reason effective_resreq";

/// `bjobs -u all -o … -json`.
Result<LsfNeedsOfJobs> parse_needs(std::string_view text);

/// A job waits for its begin, another job or a limit of its user, queue, project or array:
/// sentences of `bjobs -p`. Limits of single hosts are none of these: other hosts may do.
bool keeps_pending(std::string_view reasons);

/// Reasons that slots would end, or none: what LSF says of a job of which it knows no more, or of
/// hosts that have too little.
bool lsf_slots_would_help(std::string_view reasons);

/// Sets of each unit that waits whether it is kept back, and how it wants its slots. One that is
/// not among the needs came after them, and waits for the next look.
void tell_needs(const LsfNeedsOfJobs& needs, std::vector<WorkUnit>& units);

/// Pending jobs of these queues (none: of all), without those that are kept. What is not told of a
/// job is taken to be the least.
std::vector<WaitingWork> lsf_waiting(std::span<const WorkUnit> units,
                                     const std::set<std::string>& queues,
                                     const LsfNeedsOfJobs& needs);
std::vector<RunningWork> lsf_running(std::span<const WorkUnit> units, const LsfNeedsOfJobs& needs);

}  // namespace leasehold::agent
