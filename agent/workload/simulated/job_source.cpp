#include "agent/workload/simulated/job_source.hpp"

#include <cmath>
#include <filesystem>
#include <memory>

#include "common/jobs/trace.hpp"

namespace leasehold::agent {

std::string JobSourceSettings::description() const {
  if (!trace.empty()) {
    return "trace " + std::filesystem::path(trace).filename().string() + " load " +
           std::to_string(std::llround(load * 1000)) + "/1000";
  }
  if (!generator) return "no jobs";
  const GeneratorOptions& g = *generator;
  return std::string("generator ") + token(g.shape) + " slots " + std::to_string(g.slots) +
         " busy " + std::to_string(g.busy_ppm) + " period " + std::to_string(g.period_ms) +
         " phase " + std::to_string(g.phase_ms) + " widths " + std::to_string(g.width_min) + "-" +
         std::to_string(g.width_max) + " run " + std::to_string(g.run_ms) + " seed " +
         std::to_string(g.seed);
}

namespace {

Result<JobSource> from_trace(const JobSourceSettings& settings, uint64_t jobs_passed) {
  TraceOptions options;
  options.path = settings.trace;
  options.load = settings.load;
  options.widest = settings.slots;
  Result<Trace> trace = read_trace(options);
  if (!trace) return tl::unexpected(trace.error());
  auto jobs = std::make_shared<std::vector<Job>>(std::move(trace->jobs));
  return JobSource([jobs, at = jobs_passed]() mutable -> std::optional<Job> {
    if (at >= jobs->size()) return std::nullopt;
    return (*jobs)[at++];
  });
}

}  // namespace

Result<JobSource> open_source(const JobSourceSettings& settings, uint64_t jobs_passed) {
  if (!settings.trace.empty()) return from_trace(settings, jobs_passed);
  if (!settings.generator) return JobSource([]() -> std::optional<Job> { return std::nullopt; });
  if (const Status good = check(*settings.generator); !good) return tl::unexpected(good.error());
  auto generator = std::make_shared<JobGenerator>(*settings.generator);
  for (uint64_t i = 0; i < jobs_passed; ++i) generator->next();
  return JobSource([generator]() -> std::optional<Job> { return generator->next(); });
}

}  // namespace leasehold::agent
