// simulate: a scenario in virtual time, with a progress bar on a terminal.
#include "broker/simulate/simulate.hpp"

#include <unistd.h>

#include <cstdio>

#include "broker/ctl/commands.hpp"

namespace leasehold::ctl {

namespace {

constexpr int kBarWidth = 40;

void draw_bar(int64_t done, int64_t total) {
  const int filled = total > 0 ? static_cast<int>(done * kBarWidth / total) : 0;
  const int percent = total > 0 ? static_cast<int>(done * 100 / total) : 0;
  const std::string bar = std::string(static_cast<size_t>(filled), '#') +
                          std::string(static_cast<size_t>(kBarWidth - filled), '.');
  std::fprintf(stderr, "\r[%s] %3d %%", bar.c_str(), percent);
}

/// Removes the bar: what stays on the terminal is the answer.
void erase_bar() {
  std::fprintf(stderr, "\r\033[K");
}

}  // namespace

int run_simulation(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  SimulateOptions options;
  options.scenario = line.subject;
  if (!line.database.empty()) options.database = line.database;
  const bool terminal = isatty(STDERR_FILENO) == 1;
  if (terminal) options.progress = draw_bar;
  const Result<std::vector<RuleOutcome>> outcomes = simulate(options);
  if (terminal) erase_bar();
  if (!outcomes) return report(outcomes.error(), line.json);
  print(line.json ? simulate_json(*outcomes) : simulate_table(*outcomes));
  return 0;
}

}  // namespace leasehold::ctl
