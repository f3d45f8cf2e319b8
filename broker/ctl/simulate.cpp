// simulate: runs a scenario in virtual time, with a progress bar on a terminal.
#include "broker/lab/simulate/simulate.hpp"

#include <filesystem>

#include "broker/ctl/commands.hpp"
#include "broker/ctl/progress_bar.hpp"
#include "broker/lab/simulate/outcome/picture.hpp"

namespace leasehold::ctl {

namespace {

Result<Simulation> simulate_with_bar(SimulateOptions options) {
  const ProgressBar bar;
  if (bar.shown()) {
    options.progress = [&bar](int64_t done, int64_t total) { bar.draw(done, total); };
  }
  return simulate_all(options);
}

std::string answer(const Simulation& simulation, bool json) {
  const std::vector<RuleOutcome>& first = simulation.runs.front();
  if (!simulation.seeded) return json ? simulate_json(first) : simulate_table(first);
  return json ? seeds_json(simulation.runs, simulation.block_ms)
              : seeds_table(simulation.runs, simulation.block_ms);
}

}  // namespace

int run_simulation(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  if (const Status may = can_write(line.plot); !may) return report(may.error(), line.json);
  SimulateOptions options;
  options.scenario = line.subject;
  if (!line.database.empty()) options.database = line.database;
  options.course = !line.plot.empty();
  options.seeds = line.seeds;
  const Result<Simulation> simulation = simulate_with_bar(std::move(options));
  if (!simulation) return report(simulation.error(), line.json);
  if (!line.plot.empty()) {
    const std::string name = std::filesystem::path(line.subject).filename();
    if (Status written = write_file(line.plot, simulate_plot(name, simulation->runs)); !written) {
      return report(written.error(), line.json);
    }
  }
  print(answer(*simulation, line.json));
  return 0;
}

}  // namespace leasehold::ctl
