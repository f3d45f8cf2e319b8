// simulate: runs a scenario in virtual time, with a progress bar on a terminal.
#include "broker/lab/simulate/simulate.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/ctl/output/progress_bar.hpp"
#include "broker/lab/simulate/outcome/picture.hpp"
#include "broker/views/lists/forms.hpp"
#include "common/text/json_text.hpp"

namespace leasehold::ctl {

namespace {

Result<Simulation> simulate_with_bar(SimulateOptions options) {
  const ProgressBar bar;
  if (bar.shown()) {
    options.progress = [&bar](int64_t done, int64_t total) { bar.draw(done, total); };
  }
  return simulate_all(options);
}

/// The answer is a list of the rules, as other commands list rows of the catalogue.
constexpr Listing kRuleListing{"rule", {}, {}, {}};

Result<std::string> answer(const Simulation& simulation, const CommandLine& line) {
  const std::vector<RuleOutcome>& first = simulation.runs.front();
  const std::string& form = line.request.output;
  if (simulation.seeded && !form.empty()) {
    return fail(ErrorCode::usage, "-o " + form + ": the answer of a scenario with seeds is not a " +
                                      "list of rows; table or json would be right");
  }
  if (simulation.seeded) {
    return line.json ? seeds_json(simulation.runs, simulation.block_ms)
                     : seeds_table(simulation.runs, simulation.block_ms);
  }
  if (line.json) return simulate_json(first);
  if (form.empty() || form == "wide") return simulate_table(first);
  const Result<Json> rows = parse_json<Json>(simulate_json(first));
  if (!rows) return tl::unexpected(rows.error());
  return rows_text(*rows, kRuleListing, form, {});
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
  const Result<std::string> text = answer(*simulation, line);
  if (!text) return report(text.error(), line.json);
  print(*text);
  return 0;
}

}  // namespace leasehold::ctl
