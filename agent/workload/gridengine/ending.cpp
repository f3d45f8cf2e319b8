#include "agent/workload/gridengine/ending.hpp"

#include <algorithm>

namespace leasehold::agent {

namespace {

/// After so long, and the job's time of notice, an ended job is assumed to have ended: a kill
/// reaches a connected host within a second.
constexpr int64_t kEndingMs = 5'000;
constexpr int64_t kForgetMs = int64_t{7} * 24 * 3'600'000;

}  // namespace

Status EndingJobs::renew() {
  GridEngineNoted noted = notes_.noted();
  if (noted.ending.empty() || noted.boot == time_.boot_id()) return {};
  noted.boot = time_.boot_id();
  for (EndingJob& job : noted.ending) job.until_ms = time_.boottime_ms() + job.lasts_ms;
  return notes_.put(std::move(noted));
}

Result<std::vector<EndingJob>> EndingJobs::note(const std::string& job,
                                                std::span<const PlacedJob> places,
                                                int64_t notice_ms) {
  const int64_t ends_in_ms = kEndingMs + notice_ms;
  const int64_t until_ms = time_.boottime_ms() + ends_in_ms;
  std::vector<EndingJob> ending;
  for (const PlacedJob& place : places) {
    ending.push_back({job, place.host, place.job.slots, place.job.started, until_ms, ends_in_ms});
  }
  GridEngineNoted noted = notes_.noted();
  noted.boot = time_.boot_id();
  std::erase_if(noted.ending, [&](const EndingJob& one) { return one.job == job; });
  noted.ending.insert(noted.ending.end(), ending.begin(), ending.end());
  if (const Status put = notes_.put(std::move(noted)); !put) return tl::unexpected(put.error());
  return ending;
}

Status EndingJobs::drop(const std::string& job) {
  GridEngineNoted noted = notes_.noted();
  std::erase_if(noted.ending, [&](const EndingJob& one) { return one.job == job; });
  return notes_.put(std::move(noted));
}

Status EndingJobs::drop_old() {
  GridEngineNoted noted = notes_.noted();
  const int64_t now_ms = time_.boottime_ms();
  std::erase_if(noted.ending,
                [&](const EndingJob& job) { return now_ms - job.until_ms > kForgetMs; });
  return notes_.put(std::move(noted));
}

std::vector<EndingJob> EndingJobs::on(const GridEngineInstance& instance) const {
  std::vector<EndingJob> ending;
  for (const EndingJob& job : notes_.noted().ending) {
    if (job.host != instance.host) continue;
    const auto listed =
        std::find_if(instance.jobs.begin(), instance.jobs.end(),
                     [&job](const GridEngineJob& one) { return one.id == job.job; });
    // A job that is listed is counted there already, or runs again and so has ended.
    if (listed != instance.jobs.end()) continue;
    if (instance.up && time_.boottime_ms() >= job.until_ms) continue;
    ending.push_back(job);
  }
  return ending;
}

int32_t EndingJobs::slots_on(const GridEngineInstance& instance) const {
  int32_t slots = 0;
  for (const EndingJob& job : on(instance)) slots += job.slots;
  return slots;
}

}  // namespace leasehold::agent
