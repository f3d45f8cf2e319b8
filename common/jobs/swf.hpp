// SwfReader reads a trace in the Standard Workload Format, plain or gzip, line by line. Which jobs
// are kept, and when they arrive, is decided in trace.hpp.
//
// A line is a job of 18 numbers, white space between; from ';' on it is a comment. Missing trailing
// fields are -1, "unknown" (at least 5 must stand there). Numbers may be written as 2.0 and 1e3,
// and times may have decimals: they are exact milliseconds, anything finer is cut off. Anything
// else that is not a number, a half processor, a 19th field and a number out of range are errors
// that name file and line. A byte order mark before the first line is passed over.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/result.hpp"

namespace leasehold {

/// One job as its line says; -1: unknown. Fields that nothing reads are checked, not kept.
struct SwfJob {
  int64_t line = 0;    // in the file, from 1
  int64_t number = 0;  // field 1
  int64_t submit_ms = -1;
  int64_t wait_ms = -1;
  int64_t run_ms = -1;
  int64_t processors_allocated = -1;
  int64_t processors_requested = -1;
  int64_t time_requested_ms = -1;
  int64_t status = -1;
  int64_t user = -1;
  int64_t queue = -1;
  int64_t partition = -1;

  /// Returns the allocated processors, or the requested ones if the former are not positive.
  int64_t width() const {
    return processors_allocated > 0 ? processors_allocated : processors_requested;
  }
};

/// Limit of a trace's unpacked size: the largest archives have some hundred MiB; more is a bomb.
inline constexpr int64_t kSwfBytesMax = int64_t{2} << 30;

class SwfReader {
 public:
  static Result<SwfReader> open(const std::string& path, int64_t bytes_max = kSwfBytesMax);
  SwfReader(SwfReader&&) noexcept;
  SwfReader& operator=(SwfReader&&) noexcept;
  ~SwfReader();

  /// Reads the next job into `job`. Returns false at the end of the file.
  Result<bool> next(SwfJob& job);

 private:
  struct File;
  explicit SwfReader(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

}  // namespace leasehold
