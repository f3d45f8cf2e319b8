// Reads what LSF's programs print, into values (bhosts, bjobs and lshosts of the LSF command
// reference, 9.1 and 10.1). Reading is strict: output that is cut off or of another form is refused
// as a whole with its place; a host in a state that is not listed is not up. No process is run
// here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/work/work_unit.hpp"
#include "common/result.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

/// A row of `bhosts -w -X -alloc`.
struct LsfHost {
  std::string name;
  bool up = false;             // LSF may start work there, now or when work there has ended
  std::optional<int32_t> max;  // job slots (MXJ); nullopt: "-", no limit
  int32_t used = 0;            // running, suspended, reserved by pending jobs
  std::string unknown = {};    // its status, if that is not known
  bool operator==(const LsfHost&) const = default;
};
Result<std::vector<LsfHost>> parse_bhosts(const std::string& text);

/// The requested fields. None is free text of users, in which a quote could end a field.
inline constexpr const char* kBjobsFields =
    "jobid jobindex stat user queue proj_name sla job_priority submit_time start_time nreq_slot "
    "nalloc_slot alloc_slot";

using LsfUnknown = std::map<std::string, std::string>;  // states, by the id of the job

/// Reads `bjobs -u all -o … -json`: jobs that hold slots, and those that wait to be started,
/// without held and ended ones. Times are UTC: "Apr 12 18:10:55 2026", or "Apr 12 18:10", which is
/// in the last twelve months before `now`. The same run of a job has the same start in every look.
/// `unknown` gets jobs in unknown states, which hold what they have.
Result<std::vector<WorkUnit>> parse_bjobs(const std::string& text, Instant now,
                                          LsfUnknown* unknown = nullptr);

/// Reads one of these times; nullopt: it is none. A date without a year is the last one that is at
/// most a day ahead, since clocks may differ.
std::optional<Instant> lsf_time(const std::string& text, Instant now);

/// A row of `lshosts -w`.
struct LsfFacts {
  std::string type;
  std::string model;
  int64_t mem_mb = 0;
  int64_t swap_mb = 0;
  std::vector<std::string> booleans;
  bool operator==(const LsfFacts&) const = default;
};
Result<std::map<std::string, LsfFacts>> parse_lshosts(const std::string& text);

/// Returns what is reported to the broker of a host, with that many slots.
wire::HostFacts lsf_facts(const LsfHost& host, const LsfFacts& known, int32_t slots);

/// The fields of `bjobs -a -o … -json JOB` that show how it ended.
inline constexpr const char* kEndFields = "stat exit_code";
/// Reads those fields; LSF remembers ended jobs for CLEAN_PERIOD.
Result<JobEnd> parse_end(const std::string& text);

}  // namespace leasehold::agent
