// MetricsFile: the agent's metrics as a file that node_exporter's textfile collector reads. If the
// file cannot be written the agent only logs it.
#pragma once

#include <cstdint>
#include <string>

#include "common/result.hpp"

namespace leasehold::agent {

class MetricsFile {
 public:
  /// `path` "": none, and nothing is ever written.
  MetricsFile(std::string path, int64_t interval_ms);
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;
  /// Removes the file: an agent that is stopped has no metrics.
  ~MetricsFile();

  /// Returns when to call write() next, by CLOCK_BOOTTIME.
  int64_t next_ms() const { return next_ms_; }
  /// Replaces the file by this text, with mode 0644 less the umask that the agent was started with.
  /// Of failures in a row the first is logged.
  void write(const std::string& text, int64_t now_ms);

 private:
  Status replace(const std::string& text) const;

  const std::string path_;
  const int64_t interval_ms_;
  int64_t next_ms_;
  bool failing_ = false;
};

}  // namespace leasehold::agent
