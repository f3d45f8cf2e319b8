// Needs of jobs besides slots: what one wants of its hosts, how long it may run, and whether slots
// would help it at all. It is asked for apart from the jobs themselves, because the resource
// requirement is a user's own text: where that cannot be read the shapes are unknown, but the look
// succeeds. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/demand/shapes.hpp"
#include "agent/core/work/work_unit.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

struct LsfNeeds {
  std::optional<int64_t> limit_s;  // RUNLIMIT
  bool one_host = false;           // span[hosts=1]
  int32_t per_host = 0;            // span[ptile=N]; 0: not given
  bool kept = false;               // by something that no slot would end, or that is unknown
  std::string unknown = {};        // its reasons, if none of them is known
  bool operator==(const LsfNeeds&) const = default;
};
/// The needs by job, as WorkUnit::id has it.
using LsfNeedsOfJobs = std::map<std::string, LsfNeeds>;

inline constexpr const char* kNeedsFields =
    "jobid jobindex runtimelimit pend_reason effective_resreq";

/// Reads `bjobs -u all -o … -json`.
Result<LsfNeedsOfJobs> parse_needs(std::string_view text);

/// True if a job waits for its start time, another job, or a limit of its user, queue, project or
/// array. `reasons` are sentences of `bjobs -p`. Limits of single hosts do not count, because other
/// hosts may do.
bool keeps_pending(std::string_view reasons);

/// True if there are no reasons, or ones that slots would end: those that LSF gives where it knows
/// no more of a job, or where hosts have too little.
bool lsf_slots_would_help(std::string_view reasons);

/// Sets for each waiting unit whether it is kept back, and how it wants its slots. A unit that is
/// not among the needs came after them, and waits for the next look.
void set_needs(const LsfNeedsOfJobs& needs, std::vector<WorkUnit>& units);

/// Returns the pending jobs of these queues (empty: of all) that are not kept back. Needs of a job
/// that are not known are taken to be the least.
std::vector<WaitingWork> lsf_waiting(std::span<const WorkUnit> units,
                                     const std::set<std::string>& queues,
                                     const LsfNeedsOfJobs& needs);
std::vector<RunningWork> lsf_running(std::span<const WorkUnit> units, const LsfNeedsOfJobs& needs,
                                     const std::function<bool(const std::string&)>& is_imported);

}  // namespace leasehold::agent
