#include "broker/lab/simulate/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "broker/lab/simulate/run.hpp"
#include "broker/lab/simulate/scenario/read_scenario.hpp"
#include "broker/lab/simulate/scenario/resample.hpp"
#include "broker/store/sqlite/store.hpp"
#include "common/jobs/trace.hpp"

namespace leasehold {
namespace {

/// Returns the scenario's `until`, else the earliest of the clusters' last arrivals; clusters
/// without jobs do not count. For jobs after it nothing is known of the other clusters.
DroppedJobs end_of_arrivals(const Scenario& scenario, const Arrivals& workload) {
  if (scenario.until_ms) return {0, *scenario.until_ms, ""};
  DroppedJobs end{0, INT64_MAX, ""};
  for (size_t i = 0; i < workload.jobs.size(); ++i) {
    const std::vector<Job>& jobs = workload.jobs[i];
    if (jobs.empty() || jobs.back().arrival.ms >= end.after_ms) continue;
    end = {0, jobs.back().arrival.ms, scenario.clusters[i].name};
  }
  return end;
}

void drop_after(DroppedJobs end, Arrivals& workload) {
  for (std::vector<Job>& jobs : workload.jobs) {
    const auto first_late =
        std::upper_bound(jobs.begin(), jobs.end(), end.after_ms,
                         [](int64_t until, const Job& job) { return until < job.arrival.ms; });
    end.jobs += jobs.end() - first_late;
    jobs.erase(first_late, jobs.end());
    workload.total += static_cast<int64_t>(jobs.size());
  }
  workload.dropped = std::move(end);
}

Result<std::unique_ptr<SqliteStore>> open_store(const SimulateOptions& options) {
  if (!options.database) return nullptr;
  return SqliteStore::open(*options.database, OpenMode::create_for_simulation);
}

Result<RuleOutcome> run(const SimulationRule& rule, const Scenario& scenario,
                        const Arrivals& workload, Store* store, const Progress& progress,
                        Watcher* watcher, Course* course) {
  if (rule.broker) return run_broker(rule, scenario, workload, store, progress, watcher, course);
  return rule.pooled ? run_pooled(scenario, workload, progress, course)
                     : run_isolated(scenario, workload, progress, course);
}

/// All runs of one workload begin their course at one instant.
std::optional<Course> course_of(const Scenario& scenario, const Arrivals& workload,
                                const SimulateOptions& options) {
  if (!options.course) return std::nullopt;
  return Course(scenario.clusters.size(), first_arrival(workload));
}

/// Returns the rule whose history is kept; nullopt: no rule has any.
std::optional<SimulationRule> last_with_broker(const Scenario& scenario) {
  const auto& rules = scenario.compare;
  const auto last = std::find_if(rules.rbegin(), rules.rend(),
                                 [](const SimulationRule& rule) { return rule.broker; });
  return last == rules.rend() ? std::nullopt : std::optional(*last);
}

Result<std::vector<RuleOutcome>> run_all(const Scenario& scenario, const Arrivals& workload,
                                         Store* store, const SimulateOptions& options) {
  std::vector<RuleOutcome> outcomes;
  const int64_t total = workload.total * static_cast<int64_t>(scenario.compare.size());
  for (const SimulationRule& rule : scenario.compare) {
    const int64_t earlier = workload.total * static_cast<int64_t>(outcomes.size());
    const Progress progress = [&](int64_t done) {
      if (options.progress) options.progress(earlier + done, total);
    };
    Store* kept = rule == last_with_broker(scenario) ? store : nullptr;
    std::optional<Course> course = course_of(scenario, workload, options);
    Watcher* watcher = options.watcher ? options.watcher(rule) : nullptr;
    Result<RuleOutcome> outcome =
        run(rule, scenario, workload, kept, progress, watcher, course ? &*course : nullptr);
    if (!outcome) return tl::unexpected(outcome.error());
    outcome->rule = rule;
    outcome->skipped = workload.skipped;
    outcome->dropped = workload.dropped;
    if (course) course->finish(Instant{std::llround(outcome->makespan_s * 1000)});
    outcome->course = std::move(course);
    outcomes.push_back(std::move(*outcome));
    progress(workload.total);
  }
  return outcomes;
}

/// Scales the progress of a seed to that of all seeds, in thousandths, because each seed has its
/// own number of jobs.
SimulateOptions of_seed(const SimulateOptions& options, int64_t seed, int64_t seeds) {
  constexpr int64_t kParts = 1000;
  SimulateOptions one = options;
  one.course = options.course && seed == 1;
  if (!options.progress) return one;
  one.progress = [all = options.progress, seed, seeds](int64_t done, int64_t total) {
    all((seed - 1) * kParts + (total > 0 ? done * kParts / total : kParts), seeds * kParts);
  };
  return one;
}

Result<Simulation> run_seeds(const Scenario& scenario, const Arrivals& recorded, int64_t seeds,
                             const SimulateOptions& options) {
  Simulation simulation{{}, true, scenario.block_ms};
  for (int64_t seed = 1; seed <= seeds; ++seed) {
    const Result<Arrivals> workload = resampled(scenario, recorded, static_cast<uint64_t>(seed));
    if (!workload) return tl::unexpected(workload.error());
    Result<std::vector<RuleOutcome>> outcomes =
        run_all(scenario, *workload, nullptr, of_seed(options, seed, seeds));
    if (!outcomes) return tl::unexpected(outcomes.error());
    simulation.runs.push_back(std::move(*outcomes));
  }
  return simulation;
}

Status check_database(const Scenario& scenario, bool seeded) {
  if (seeded) {
    return fail(ErrorCode::usage,
                "a database keeps the history of one run, and there is one for each seed; leave "
                "out the database or the seeds");
  }
  if (last_with_broker(scenario)) return {};
  return fail(ErrorCode::usage,
              "a database keeps the history of a broker, and compare names no rule with one; "
              "add idle-comparison or plan");
}

}  // namespace

Instant first_arrival(const Arrivals& workload) {
  Instant first = kNever;
  for (const std::vector<Job>& jobs : workload.jobs) {
    if (!jobs.empty()) first = std::min(first, jobs.front().arrival);
  }
  return first == kNever ? Instant{} : first;
}

Result<Arrivals> read_arrivals(const Scenario& scenario) {
  Arrivals workload;
  for (uint32_t i = 0; i < scenario.clusters.size(); ++i) {
    const ScenarioCluster& cluster = scenario.clusters[i];
    workload.jobs.emplace_back();
    if (cluster.trace.empty()) continue;
    Result<Trace> trace =
        read_trace({cluster.trace, cluster.load, cluster.jobs_max, widest_job(scenario, i), i});
    if (!trace) return tl::unexpected(trace.error());
    for (Job& job : trace->jobs) job.hosts = hosts_of_job(scenario, i, job.width);
    workload.jobs.back() = std::move(trace->jobs);
    workload.skipped += trace->skipped;
  }
  drop_after(end_of_arrivals(scenario, workload), workload);
  return workload;
}

Result<Simulation> simulate_all(const SimulateOptions& options) {
  const Result<Scenario> scenario = read_scenario(options.scenario);
  if (!scenario) return tl::unexpected(scenario.error());
  return simulate_scenario(*scenario, options);
}

Result<Simulation> simulate_scenario(const Scenario& scenario, const SimulateOptions& options) {
  const std::optional<int64_t> seeds = options.seeds ? options.seeds : scenario.seeds;
  if (options.database) {
    if (Status can = check_database(scenario, seeds.has_value()); !can) {
      return tl::unexpected(can.error());
    }
  }
  const Result<Arrivals> workload = read_arrivals(scenario);
  if (!workload) return tl::unexpected(workload.error());
  if (seeds) return run_seeds(scenario, *workload, *seeds, options);
  const Result<std::unique_ptr<SqliteStore>> store = open_store(options);
  if (!store) return tl::unexpected(store.error());
  Result<std::vector<RuleOutcome>> outcomes = run_all(scenario, *workload, store->get(), options);
  if (!outcomes) return tl::unexpected(outcomes.error());
  return Simulation{{std::move(*outcomes)}, false, 0};
}

}  // namespace leasehold
