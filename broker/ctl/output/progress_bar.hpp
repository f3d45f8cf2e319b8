// ProgressBar: shows progress on a terminal, and nothing elsewhere.
#pragma once

#include <cstdint>

namespace leasehold::ctl {

class ProgressBar {
 public:
  ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Removes the bar, so that only the answer stays on the terminal.
  ~ProgressBar();
  void draw(int64_t done, int64_t total) const;
  /// True if stderr is a terminal.
  bool shown() const { return shown_; }

 private:
  bool shown_;
};

}  // namespace leasehold::ctl
