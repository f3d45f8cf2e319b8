// MetricsFile: the agent's metrics as a file that node_exporter's textfile collector reads. A disk
// that takes nothing costs the agent nothing but a line in its log.
#pragma once

#include <cstdint>
#include <string>

#include "common/result.hpp"

namespace leasehold::agent {

class MetricsFile {
 public:
  /// `path` "": none, nothing is ever due.
  MetricsFile(std::string path, int64_t interval_ms);
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;
  /// Takes the file away: who is stopped has no metrics.
  ~MetricsFile();

  /// When write() is due, as CLOCK_BOOTTIME.
  int64_t next_ms() const { return next_ms_; }
  /// The whole text, readable by everybody. What goes wrong is logged, once in a row.
  void write(const std::string& text, int64_t now_ms);

 private:
  Status replace(const std::string& text) const;

  const std::string path_;
  const int64_t interval_ms_;
  int64_t next_ms_;
  bool failing_ = false;
};

}  // namespace leasehold::agent
