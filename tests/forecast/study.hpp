// The study measures how often forecasts were right, by whose slots were asked for, how many, how
// far away, and what was known of the ends of work. All is made from seeds: the table is the same
// on every machine.
#pragma once

#include <string>
#include <vector>

#include "common/result.hpp"
#include "tests/forecast/probes.hpp"
#include "tests/forecast/workload.hpp"

namespace leasehold::study {

struct StudyOptions {
  std::vector<std::string>
      traces;                // in the Standard Workload Format; of each both sites run a half
  int64_t first_seed = 101;  // what was looked at when outlooks were made is below
  int64_t seeds = 5;
  int64_t days = 7;
  int64_t trace_jobs = 6'000;
};

/// One probe with where it came from.
struct Seen {
  std::string workload;  // "generated, 70 %", or a trace
  Limits limits = Limits::right;
  bool plan = false;
  Probe probe;
};

struct Study {
  std::vector<Seen> seen;
  int64_t at_once = 0;
};

Result<Study> run_study(const StudyOptions& options);

/// Counts the probes that were `seen`.
struct Tally {
  int64_t asked = 0;
  int64_t sooner = 0;    // than the earliest
  int64_t later = 0;     // than the latest
  int64_t bounded = 0;   // with a latest time
  int64_t within = 0;    // of those
  int64_t likely = 0;    // with a likely time
  int64_t error_ms = 0;  // of that: the median of how far off it was
  int64_t wait_ms = 0;   // the median of how long it took
  int64_t range_ms = 0;  // the median of latest - earliest, where bounded
};
Tally tally(const std::vector<const Seen*>& seen);

/// Prints the study as Markdown.
std::string tables(const Study& study);

}  // namespace leasehold::study
