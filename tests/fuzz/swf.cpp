// swf reads any bytes as a trace, plain or gzip.
#include "common/jobs/swf.hpp"

#include <cstdio>
#include <cstdlib>

#include "common/jobs/trace.hpp"
#include "tests/fuzz/target.hpp"

namespace leasehold {

namespace {

/// The memory of a reader's blocks and zlib's, however long the trace is and however much it
/// unpacks to.
constexpr uint64_t kBytesAlways = 1 << 20;

std::string seconds(int64_t ms) {
  if (ms == -1) return "-1";
  char text[40];
  std::snprintf(text, sizeof text, "%s%lld.%03lld", ms < 0 ? "-" : "",
                std::llabs(static_cast<long long>(ms)) / 1000,
                std::llabs(static_cast<long long>(ms)) % 1000);
  return text;
}

/// The line with the fields of `job`, and without those that nothing reads.
std::string line_of(const SwfJob& job) {
  const auto whole = [](int64_t value) { return std::to_string(value) + " "; };
  const auto time = [](int64_t ms) { return seconds(ms) + " "; };
  return whole(job.number) + time(job.submit_ms == -1 ? 0 : job.submit_ms) + time(job.wait_ms) +
         time(job.run_ms) + whole(job.processors_allocated) + "-1 -1 " +
         whole(job.processors_requested) + time(job.time_requested_ms) + "-1 " + whole(job.status) +
         whole(job.user) + "-1 -1 " + whole(job.queue) + whole(job.partition) + "-1 -1\n";
}

void check_job(const SwfJob& job, const fuzz::ScratchFolder& folder) {
  auto reader = SwfReader::open(folder.write("again.swf", line_of(job)));
  SwfJob again;
  LEASEHOLD_CHECK(reader && reader->next(again).value_or(false), "a job that was read is a job");
  LEASEHOLD_CHECK(line_of(again) == line_of(job), "and the same one");
  LEASEHOLD_CHECK(again.width() == job.width(), "as wide");
}

/// The number of jobs until the end or the first error.
int64_t read_all(const std::string& path, const fuzz::ScratchFolder& folder) {
  Result<SwfReader> reader = SwfReader::open(path);
  if (!reader) return 0;
  SwfJob job;
  int64_t jobs = 0;
  int64_t line = 0;
  while (true) {
    const Result<bool> more = reader->next(job);
    if (!more) {
      LEASEHOLD_CHECK(!more.error().message.empty() && more.error().file == path,
                      "an error names the file and what is wrong");
      return jobs;
    }
    if (!*more) return jobs;
    LEASEHOLD_CHECK(job.line > line, "jobs come in the order of their lines");
    line = job.line;
    if (jobs++ == 0) check_job(job, folder);
  }
}

void check_trace(const TraceOptions& options) {
  const Result<Trace> trace = read_trace(options);
  if (!trace) {
    LEASEHOLD_CHECK(!trace.error().message.empty(), "an error says what is wrong");
    return;
  }
  LEASEHOLD_CHECK(static_cast<int64_t>(trace->jobs.size()) <= options.jobs_max, "no more than so");
  const Job* last = nullptr;
  for (const Job& job : trace->jobs) {
    LEASEHOLD_CHECK(job.run_ms > 0 && job.width > 0 && job.width <= options.widest,
                    "jobs that could never run are not kept");
    LEASEHOLD_CHECK(last == nullptr || before(*last, job), "jobs stand in the order of arrival");
    last = &job;
  }
}

}  // namespace

}  // namespace leasehold

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace leasehold;
  static const fuzz::ScratchFolder folder;
  const std::string path = folder.write("trace.swf", fuzz::text_of({data, size}));
  const uint64_t before = fuzz::allocated_bytes();
  // Two readers: of the trace, and of the job that is looked at again.
  read_all(path, folder);
  LEASEHOLD_CHECK(fuzz::allocated_bytes() - before <= 2 * kBytesAlways + 16 * size,
                  "memory does not grow with the trace");
  const bool narrow = size % 2 == 0;
  check_trace({path, narrow ? 0.001 : 1.0, narrow ? 10 : 1'000, narrow ? 64 : INT32_MAX, 3});
  return 0;
}
