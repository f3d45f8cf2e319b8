// ProgressBar: how far something is, on a terminal; elsewhere nothing.
#pragma once

#include <cstdint>

namespace leasehold::ctl {

class ProgressBar {
 public:
  ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Removes it: what stays on the terminal is the answer.
  ~ProgressBar();
  void draw(int64_t done, int64_t total) const;
  /// stderr is a terminal.
  bool shown() const { return shown_; }

 private:
  bool shown_;
};

}  // namespace leasehold::ctl
