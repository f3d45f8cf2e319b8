// simulate: a scenario in virtual time, with a progress bar on a terminal.
#include "broker/simulate/simulate.hpp"

#include <filesystem>

#include "broker/ctl/commands.hpp"
#include "broker/ctl/progress_bar.hpp"
#include "broker/simulate/picture.hpp"

namespace leasehold::ctl {

namespace {

Result<std::vector<RuleOutcome>> simulate_with_bar(SimulateOptions options) {
  const ProgressBar bar;
  if (bar.shown()) {
    options.progress = [&bar](int64_t done, int64_t total) { bar.draw(done, total); };
  }
  return simulate(options);
}

}  // namespace

int run_simulation(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  SimulateOptions options;
  options.scenario = line.subject;
  if (!line.database.empty()) options.database = line.database;
  options.course = !line.plot.empty();
  const Result<std::vector<RuleOutcome>> outcomes = simulate_with_bar(std::move(options));
  if (!outcomes) return report(outcomes.error(), line.json);
  if (!line.plot.empty()) {
    const std::string name = std::filesystem::path(line.subject).filename();
    if (Status written = write_file(line.plot, simulate_plot(name, *outcomes)); !written) {
      return report(written.error(), line.json);
    }
  }
  print(line.json ? simulate_json(*outcomes) : simulate_table(*outcomes));
  return 0;
}

}  // namespace leasehold::ctl
