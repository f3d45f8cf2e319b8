// study_simulate: simulates a scenario as leasectl does, with what only studies know
// (watchers.hpp), and prints the answer of `--json`.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <tuple>

#include "broker/lab/simulate/outcome/seeds.hpp"
#include "broker/lab/simulate/scenario/read_scenario.hpp"
#include "broker/lab/simulate/simulate.hpp"
#include "tests/demand/simulate/watchers.hpp"

namespace {

using namespace leasehold;

int fail_with(const Error& error) {
  std::fprintf(stderr, "study_simulate: %s\n", describe(error).c_str());
  return exit_code(error.code);
}

}  // namespace

int main(int argc, char** argv) {
  SimulateOptions options;
  std::vector<std::tuple<std::string, int64_t, int32_t, int64_t>> claims;
  std::tuple<int64_t, int64_t> calm;
  CLI::App app("simulates, with work that is not there and flips that are put off");
  app.add_option("scenario", options.scenario, "its file")->required();
  app.add_option("--seeds", options.seeds, "as of leasectl simulate");
  app.add_option("--claim", claims, "CLUSTER JOBS SLOTS ANEW_S, 0: never anew");
  const CLI::Option* damped = app.add_option("--calm", calm, "MIN_HOLD_S DEAD_ZONE");
  CLI11_PARSE(app, argc, argv);
  Result<Scenario> scenario = read_scenario(options.scenario);
  if (!scenario) return fail_with(scenario.error());
  if (damped->count() > 0) scenario->compare.push_back(study::kCalm);
  std::vector<study::Claim> claimed;
  for (const auto& [cluster, jobs, slots, anew_s] : claims) {
    claimed.push_back({cluster, jobs, slots, anew_s * 1000});
  }
  study::Claiming claiming(*scenario, claimed);
  study::Calming calming(std::get<0>(calm) * 1000, std::get<1>(calm));
  options.watcher = [&](const SimulationRule& rule) -> Watcher* {
    if (rule == study::kCalm) return &calming;
    return claimed.empty() ? nullptr : &claiming;
  };
  const Result<Simulation> simulation = simulate_scenario(*scenario, options);
  if (!simulation) return fail_with(simulation.error());
  const std::string answer = simulation->seeded ? seeds_json(simulation->runs, simulation->block_ms)
                                                : simulate_json(simulation->runs.front());
  std::fputs(answer.c_str(), stdout);
  return 0;
}
