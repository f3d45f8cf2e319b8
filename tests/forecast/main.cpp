// forecast_study: prints the tables of the study. With --within and --far-within: exit 1 where
// fewer forecasts that name a latest time held what they said.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "tests/forecast/study.hpp"

namespace {

using namespace leasehold;

constexpr int64_t kFarMs = 3'600'000;

/// The share of right forecasts, in percent, of all with a latest time that is more than so far
/// away.
int64_t within(const study::Study& study, int64_t far_ms) {
  std::vector<const study::Seen*> counted;
  for (const study::Seen& seen : study.seen) {
    const auto& latest = seen.probe.said.back();
    if (latest && *latest - seen.probe.asked > far_ms) counted.push_back(&seen);
  }
  const study::Tally sum = study::tally(counted);
  return sum.bounded == 0 ? 0 : sum.within * 100 / sum.bounded;
}

bool enough(const char* which, int64_t percent, int64_t least) {
  if (percent >= least) return true;
  std::fprintf(stderr, "of the forecasts with a latest time %sonly %d %% were right\n", which,
               static_cast<int>(percent));
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  study::StudyOptions options;
  int64_t least = 0;
  int64_t least_far = 0;
  CLI::App app("how often forecasts were right");
  app.add_option("--trace", options.traces, "a trace in the Standard Workload Format, too");
  app.add_option("--seeds", options.seeds, "generated workloads of each load");
  app.add_option("--first-seed", options.first_seed, "the first of them");
  app.add_option("--days", options.days, "of each");
  app.add_option("--within", least, "percent that have to be right");
  app.add_option("--far-within", least_far, "the same of those beyond an hour");
  CLI11_PARSE(app, argc, argv);
  const Result<study::Study> study = study::run_study(options);
  if (!study) {
    std::fprintf(stderr, "%s\n", describe(study.error()).c_str());
    return 1;
  }
  std::fputs(study::tables(*study).c_str(), stdout);
  const bool all = enough("", within(*study, -1), least);
  return all && enough("beyond an hour ", within(*study, kFarMs), least_far) ? 0 : 1;
}
