// A run with the broker: virtual time over the clusters' job models and the core (schema/README.md,
// "Simulated time").
#include <algorithm>

#include "broker/lab/simulate/outcome/measure.hpp"
#include "broker/lab/simulate/run.hpp"
#include "broker/lab/simulate/site.hpp"
#include "common/time/instant.hpp"

namespace leasehold {
namespace {

constexpr int64_t kProgressJobs = 8192;
/// After so many evaluations without a start nothing can change any more: with nothing running, a
/// lease's slots stay or swing between its two sides.
constexpr int kStuckEvaluations = 8;
/// The same limit while slots are on their way at each evaluation: two leases swing in turns, or
/// transfers take longer than the delay.
constexpr int64_t kSwingingEvaluations = 1'000;
/// Under a plan its windows may change what each is due, and each window comes at least once a
/// week.
constexpr int64_t kStuckPlanMs = int64_t{8} * 86'400'000;
/// So many evaluations at one instant move slots to and fro, and would for ever.
constexpr int kEvaluationsMost = 10'000;

class LeaseRun {
 public:
  LeaseRun(const SimulationRule& rule, const Scenario& scenario, const Arrivals& workload,
           Store* store, Watcher* watcher, Course* course)
      : planned_(rule.planned),
        by_deadline_(rule.by_deadline()),
        scenario_(scenario),
        workload_(workload),
        models_(scenario.clusters.size(), JobModel(scenario.backfill)),
        next_(scenario.clusters.size(), 0),
        site_(scenario, rule, with_own_slots(), store, watcher),
        watcher_(watcher),
        course_(course),
        measure_(scenario.clusters.size()),
        evaluation_{scenario.reclaim_delay_ms} {}

  Result<RuleOutcome> run(const Progress& progress);

 private:
  std::vector<JobModel>& with_own_slots();
  bool more() const { return measure_.jobs() < workload_.total; }
  Instant first_instant() const;
  Instant next_instant() const;
  void instant(Instant now);
  size_t start(Instant now);
  void tell(Instant now);
  void follow(Instant now);
  void evaluate(Instant now, bool started);
  void evaluate_by_deadline(Instant now, bool started);
  bool no_job_moves() const;
  int64_t swings_most() const;
  bool is_stuck(Instant now) const;
  tl::unexpected<Error> stuck() const;
  tl::unexpected<Error> to_and_fro(Instant now) const;
  Instant come_to_rest(Instant now);
  RuleOutcome outcome();

  const bool planned_;
  const bool by_deadline_;
  const Scenario& scenario_;
  const Arrivals& workload_;
  std::vector<JobModel> models_;
  std::vector<size_t> next_;  // job of the workload, by cluster
  SimulatedSite site_;
  Watcher* watcher_;
  Course* course_;
  Measure measure_;
  Instant evaluation_;  // when the next one is made
  int idle_evaluations_ = 0;
  int64_t swinging_evaluations_ = 0;
  Instant moved_at_;         // when something last ran or was to come
  bool to_and_fro_ = false;  // the instant has no end
};

std::vector<JobModel>& LeaseRun::with_own_slots() {
  for (size_t i = 0; i < models_.size(); ++i) {
    const ScenarioCluster& own = scenario_.clusters[i];
    for (int32_t host = 0; host < own.hosts; ++host) {
      models_[i].add_host(own.slots_per_host(), own.slots_per_host());
    }
  }
  return models_;
}

/// Returns 0, or a multiple of the delay before the first arrival, where a trace has jobs from
/// before its first line.
Instant LeaseRun::first_instant() const {
  const int64_t first_ms = std::min(int64_t{0}, first_arrival(workload_).ms);
  const int64_t delay = scenario_.reclaim_delay_ms;
  return {(first_ms - delay + 1) / delay * delay};
}

Instant LeaseRun::next_instant() const {
  Instant soonest = std::min(evaluation_, site_.next_delivery());
  for (size_t i = 0; i < models_.size(); ++i) {
    soonest = std::min(soonest, models_[i].next_completion());
    if (next_[i] < workload_.jobs[i].size()) {
      soonest = std::min(soonest, workload_.jobs[i][next_[i]].arrival);
    }
  }
  return soonest;
}

size_t LeaseRun::start(Instant now) {
  size_t started = 0;
  if (watcher_ != nullptr) watcher_->before_starts(models_, now);
  for (JobModel& model : models_) started += model.start(now).size();
  return started;
}

/// Handles one instant: slots that arrive, completions, arrivals, starts, the evaluation, starts
/// again.
void LeaseRun::instant(Instant now) {
  if (site_.next_delivery() <= now) site_.deliver(now);
  for (size_t i = 0; i < models_.size(); ++i) {
    measure_.ended(models_[i].complete(now));
    const std::vector<Job>& jobs = workload_.jobs[i];
    for (; next_[i] < jobs.size() && jobs[next_[i]].arrival <= now; ++next_[i]) {
      models_[i].arrive(jobs[next_[i]]);
    }
  }
  site_.end_overdue(now);
  const bool started = start(now) > 0;
  tell(now);
  if (by_deadline_) {
    evaluate_by_deadline(now, started);
  } else if (now == evaluation_) {
    evaluate(now, started);
  }
  follow(now);
}

/// Notes what each side has now; slots in transfer are beyond every cap.
void LeaseRun::follow(Instant now) {
  if (course_ == nullptr) return;
  now = std::max(now, course_->from());
  for (uint32_t i = 0; i < models_.size(); ++i) {
    const JobModel& model = models_[i];
    SideSlots slots{0, model.used_slots()};
    for (uint32_t host = 0; host < model.hosts(); ++host) {
      slots.held += std::max(model.cap(host), model.used(host));
    }
    course_->at(i, now, slots);
  }
}

/// Slots that one cluster has left may go to another at once.
void LeaseRun::tell(Instant now) {
  while (site_.report(now) && by_deadline_ && start(now) > 0) {
  }
}

/// Evaluates at each deadline of the core: cycles, late transfers, leases outside the plan.
void LeaseRun::evaluate_by_deadline(Instant now, bool started) {
  for (int made = 0; site_.next() <= now; ++made) {
    if (made == kEvaluationsMost) to_and_fro_ = true;
    if (to_and_fro_) return;
    if (!site_.evaluate(now)) continue;
    if (start(now) == 0) continue;
    started = true;
    tell(now);
  }
  evaluation_ = site_.next();
  if (started || !no_job_moves()) moved_at_ = now;
}

void LeaseRun::evaluate(Instant now, bool started) {
  evaluation_ = evaluation_ + scenario_.reclaim_delay_ms;
  if (site_.evaluate(now) && start(now) > 0) {
    started = true;
    site_.report(now);
  }
  swinging_evaluations_ = started || !no_job_moves() ? 0 : swinging_evaluations_ + 1;
  const bool at_rest = swinging_evaluations_ > 0 && site_.next_delivery() == kNever;
  idle_evaluations_ = at_rest ? idle_evaluations_ + 1 : 0;
}

/// True if no job runs or will arrive: only moved slots may start the rest.
bool LeaseRun::no_job_moves() const {
  for (size_t i = 0; i < models_.size(); ++i) {
    if (models_[i].running() > 0 || next_[i] < workload_.jobs[i].size()) return false;
  }
  return true;
}

/// The evaluations during a transfer are not counted.
int64_t LeaseRun::swings_most() const {
  return kSwingingEvaluations + scenario_.transfer_time_ms / scenario_.reclaim_delay_ms;
}

bool LeaseRun::is_stuck(Instant now) const {
  if (!more()) return false;
  if (!by_deadline_) {
    return idle_evaluations_ >= kStuckEvaluations || swinging_evaluations_ >= swings_most();
  }
  return now - moved_at_ > kStuckPlanMs || next_instant() == kNever;
}

tl::unexpected<Error> LeaseRun::stuck() const {
  std::string who;
  for (size_t i = 0; i < models_.size(); ++i) {
    if (models_[i].queued() == 0) continue;
    who += (who.empty() ? "" : ", ") + std::to_string(models_[i].queued()) + " of cluster '" +
           scenario_.clusters[i].name + "'";
  }
  return tl::unexpected(
      Error{ErrorCode::refused,
            "jobs that never get enough slots: " + who + "; give the cluster slots of its own",
            scenario_.file, 0, 0});
}

tl::unexpected<Error> LeaseRun::to_and_fro(Instant now) const {
  return tl::unexpected(Error{ErrorCode::refused,
                              "the rule moves slots to and fro without end " +
                                  format_duration(now.ms) +
                                  " after the first job: a defect of the broker; report it with "
                                  "this scenario",
                              scenario_.file, 0, 0});
}

/// Lets slots that are still on their way arrive, though nobody waits for them. Returns the last
/// instant of the run, `now` if there are none.
Instant LeaseRun::come_to_rest(Instant now) {
  while (site_.next_delivery() != kNever && !to_and_fro_) {
    now = planned_ ? next_instant() : site_.next_delivery();
    if (planned_) {
      instant(now);
    } else {
      site_.deliver(now);
      site_.end_overdue(now);
    }
  }
  return now;
}

RuleOutcome LeaseRun::outcome() {
  RuleOutcome out = measure_.outcome(scenario_);
  const MoveCount& moves = site_.moves();
  out.flips = moves.flips();
  out.slots_moved = moves.slots();
  out.slots_unused = moves.slots_unused();
  out.jobs_requeued = site_.agents().jobs_requeued();
  out.requeued_slot_seconds = quotient(site_.agents().slot_ms_lost(), 1000);
  out.inactive_slot_seconds =
      quotient(static_cast<Wide>(moves.slots_in_transfer()) * scenario_.transfer_time_ms, 1000);
  return out;
}

Result<RuleOutcome> LeaseRun::run(const Progress& progress) {
  if (Status begun = site_.begin(first_instant()); !begun) return tl::unexpected(begun.error());
  if (by_deadline_) evaluation_ = site_.next();
  follow(first_instant());
  int64_t said = 0;
  Instant now;
  while (more()) {
    now = next_instant();
    instant(now);
    if (to_and_fro_) return to_and_fro(now);
    if (is_stuck(now)) return stuck();
    if (watcher_ != nullptr && !watcher_->after(site_.state(), models_, now)) break;
    if (measure_.jobs() - said < kProgressJobs) continue;
    said = measure_.jobs();
    progress(said);
  }
  const Instant end = come_to_rest(now);
  if (to_and_fro_) return to_and_fro(end);
  RuleOutcome out = outcome();
  if (planned_) out.consumers = site_.consumers(end);
  if (Status finished = site_.close(end); !finished) return tl::unexpected(finished.error());
  return out;
}

}  // namespace

Result<RuleOutcome> run_broker(const SimulationRule& rule, const Scenario& scenario,
                               const Arrivals& workload, Store* store, const Progress& progress,
                               Watcher* watcher, Course* course) {
  return LeaseRun(rule, scenario, workload, store, watcher, course).run(progress);
}

}  // namespace leasehold
