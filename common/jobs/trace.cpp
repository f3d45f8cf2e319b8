#include "common/jobs/trace.hpp"

#include <algorithm>
#include <cmath>

#include "common/jobs/swf.hpp"

namespace leasehold {
namespace {

constexpr size_t kTraceJobsMax = 10'000'000;
constexpr double kArrivalMax = 9e15;  // ms; below it doubles count every integer

bool kept(const SwfJob& row, const TraceOptions& options) {
  return row.run_ms > 0 && row.width() > 0 && row.width() <= options.widest;
}

tl::unexpected<Error> wrong_row(const TraceOptions& options, const SwfJob& row,
                                const char* message) {
  return tl::unexpected<Error>(
      Error{ErrorCode::usage, message, options.path, static_cast<int>(row.line), 0});
}

}  // namespace

Result<Trace> read_trace(const TraceOptions& options) {
  Result<SwfReader> reader = SwfReader::open(options.path);
  if (!reader) return tl::unexpected(reader.error());
  Trace trace;
  SwfJob row;
  int64_t first_ms = 0;
  int64_t passed_over = 0;
  while (static_cast<int64_t>(trace.jobs.size()) < options.jobs_max) {
    const Result<bool> more = reader->next(row);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    if (trace.jobs.size() == kTraceJobsMax) {
      return wrong_row(options, row, "is one job more than the 10,000,000 that are read; cut it");
    }
    if (!kept(row, options)) {
      ++passed_over;
      continue;
    }
    if (trace.jobs.empty()) first_ms = row.submit_ms;
    const double arrival = std::floor(static_cast<double>(row.submit_ms - first_ms) / options.load);
    if (!(std::abs(arrival) < kArrivalMax)) {
      return wrong_row(options, row, "arrives too far from the first job; raise `load`");
    }
    trace.jobs.push_back({0,
                          {static_cast<int64_t>(arrival)},
                          row.run_ms,
                          static_cast<int32_t>(row.width()),
                          options.cluster,
                          std::max(int64_t{0}, row.time_requested_ms)});
    trace.skipped = passed_over;
  }
  std::stable_sort(trace.jobs.begin(), trace.jobs.end(), before);
  for (size_t i = 0; i < trace.jobs.size(); ++i) trace.jobs[i].id = i;
  return trace;
}

}  // namespace leasehold
