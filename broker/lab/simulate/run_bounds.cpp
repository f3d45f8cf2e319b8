// The two bounds of a comparison: clusters that share nothing, and one cluster of everything.
#include <algorithm>
#include <optional>

#include "broker/lab/simulate/outcome/measure.hpp"
#include "broker/lab/simulate/run.hpp"

namespace leasehold {
namespace {

/// Tracks which cluster holds and uses the slots of one queue.
class QueueCourse {
 public:
  /// `course` may be null.
  QueueCourse(Course* course, size_t clusters) : course_(course), sides_(clusters) {}
  /// The cluster holds that many slots for the whole run. Without this call each cluster holds what
  /// it uses.
  void holds(uint32_t cluster, int64_t slots) {
    sides_[cluster].held = slots;
    alone_ = cluster;
  }
  void moved(std::span<const RunningJob> jobs, int64_t sign) {
    if (course_ == nullptr) return;
    for (const RunningJob& row : jobs) sides_[row.job.cluster].used += sign * row.job.width;
  }
  void after(Instant now) {
    if (course_ == nullptr) return;
    for (uint32_t i = 0; i < sides_.size(); ++i) {
      if (alone_ && *alone_ != i) continue;
      if (!alone_) sides_[i].held = sides_[i].used;
      course_->at(i, now, sides_[i]);
    }
  }

 private:
  Course* course_;
  std::vector<SideSlots> sides_;  // by cluster
  std::optional<uint32_t> alone_;
};

/// Adds the hosts of a cluster or of a policy.
void add_hosts(JobModel& model, const auto& part) {
  for (int32_t host = 0; host < part.hosts; ++host) {
    model.add_host(part.slots_per_host(), part.slots_per_host());
  }
}

/// Runs one queue on the model's slots, from the first arrival to the last end.
void run_queue(const std::vector<Job>& jobs, JobModel model, Measure& measure, QueueCourse course,
               const Progress& progress) {
  constexpr int64_t kProgressJobs = 8192;
  size_t next = 0;
  int64_t said = measure.jobs();
  while (next < jobs.size() || model.running() > 0) {
    Instant now = model.next_completion();
    if (next < jobs.size()) now = std::min(now, jobs[next].arrival);
    const std::span<const RunningJob> ended = model.complete(now);
    measure.ended(ended);
    course.moved(ended, -1);
    for (; next < jobs.size() && jobs[next].arrival <= now; ++next) model.arrive(jobs[next]);
    course.moved(model.start(now), 1);
    course.after(now);
    if (measure.jobs() - said < kProgressJobs) continue;
    said = measure.jobs();
    progress(said);
  }
}

}  // namespace

RuleOutcome run_isolated(const Scenario& scenario, const Arrivals& workload,
                         const Progress& progress, Course* course) {
  Measure measure(scenario.clusters.size());
  for (uint32_t i = 0; i < scenario.clusters.size(); ++i) {
    int64_t slots = scenario.clusters[i].slots;
    JobModel model(scenario.backfill);
    add_hosts(model, scenario.clusters[i]);
    for (const ScenarioPolicy& policy : scenario.policies) {
      if (policy.provider != i) continue;
      slots += policy.slots;
      add_hosts(model, policy);
    }
    QueueCourse alone(course, scenario.clusters.size());
    alone.holds(i, slots);
    if (course != nullptr) course->at(i, course->from(), {slots, 0});
    run_queue(workload.jobs[i], std::move(model), measure, alone, progress);
  }
  return measure.outcome(scenario);
}

RuleOutcome run_pooled(const Scenario& scenario, const Arrivals& workload, const Progress& progress,
                       Course* course) {
  std::vector<Job> all;
  all.reserve(static_cast<size_t>(workload.total));
  for (const std::vector<Job>& jobs : workload.jobs) {
    all.insert(all.end(), jobs.begin(), jobs.end());
  }
  std::sort(all.begin(), all.end(), before);
  JobModel model(scenario.backfill);
  for (const ScenarioCluster& cluster : scenario.clusters) add_hosts(model, cluster);
  for (const ScenarioPolicy& policy : scenario.policies) add_hosts(model, policy);
  Measure measure(scenario.clusters.size());
  run_queue(all, std::move(model), measure, QueueCourse(course, scenario.clusters.size()),
            progress);
  return measure.outcome(scenario);
}

}  // namespace leasehold
