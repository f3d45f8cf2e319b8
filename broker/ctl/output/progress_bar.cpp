#include "broker/ctl/output/progress_bar.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace leasehold::ctl {

namespace {

constexpr int kBarWidth = 40;

}  // namespace

ProgressBar::ProgressBar() : shown_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
}

void ProgressBar::draw(int64_t done, int64_t total) const {
  if (!shown_) return;
  const int filled = total > 0 ? static_cast<int>(done * kBarWidth / total) : 0;
  const int percent = total > 0 ? static_cast<int>(done * 100 / total) : 0;
  const std::string bar = std::string(static_cast<size_t>(filled), '#') +
                          std::string(static_cast<size_t>(kBarWidth - filled), '.');
  std::fprintf(stderr, "\r[%s] %3d %%", bar.c_str(), percent);
}

}  // namespace leasehold::ctl
