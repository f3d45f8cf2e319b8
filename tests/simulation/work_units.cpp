// The part of ClusterWorkload whose work agents list, notify and end, and that decides which
// waiting work may start where.
#include <algorithm>
#include <memory>

#include "tests/simulation/cluster_workload.hpp"

namespace leasehold::simulation {

namespace {

constexpr int64_t kHeldMs = 1'800'000;

}  // namespace

/// A third of the work preempts; some of all work is held, or fits on one host only.
void ClusterWorkload::judge(Unit& unit) {
  unit.preempts = verdicts_.one_in(3);
  if (verdicts_.one_in(4)) {
    unit.held_until_ms = time_.now_ms() + verdicts_.span(kHeldMs);
  } else if (verdicts_.one_in(4)) {
    const int64_t at = verdicts_.below(static_cast<int64_t>(places_.size()));
    unit.only_on = places_[static_cast<size_t>(at)].facts.name;
  }
}

/// Work that preempts is queued before the rest, or what was ended for it would start again in its
/// place.
void ClusterWorkload::queue(Waiting job, bool first) {
  if (shape_.tells_fits && job.unit.id == 0) {
    job.unit.id = job_next_++;
    job.unit.submitted_ms = time_.now_ms();
  }
  const auto rest = std::find_if(waiting_.begin(), waiting_.end(),
                                 [](const Waiting& other) { return !other.unit.preempts; });
  const auto begin = job.unit.preempts ? waiting_.begin() : rest;
  const auto end = job.unit.preempts ? rest : waiting_.end();
  waiting_.insert(first ? begin : end, std::move(job));
}

void ClusterWorkload::requeue(const Job& job) {
  const int64_t run_ms = chance_.span(shape_.run_ms);
  queue({job.slots, run_ms, shape_.tells_fits ? job.unit : Unit{}}, true);
}

/// True if leased slots would not help it.
bool ClusterWorkload::kept_back(const Unit& unit) const {
  return work_ms() < unit.held_until_ms || !unit.only_on.empty();
}

bool ClusterWorkload::may_start(const Place& place, const Unit& unit) const {
  const bool here = unit.only_on.empty() || unit.only_on == place.facts.name;
  return here && work_ms() >= unit.held_until_ms && is_up(place) && !grace_over(place);
}

bool ClusterWorkload::work_waits() const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [this](const Waiting& job) { return !kept_back(job.unit); });
}

void ClusterWorkload::cancel_all() {
  arrivals_ = false;
  waiting_.clear();
  for (const Job& job : jobs_) use(job.place, -job.slots);
  jobs_.clear();
}

void ClusterWorkload::queue_long(int32_t jobs) {
  constexpr int64_t kDaysMs = 10 * 86'400'000;
  for (int32_t job = 0; job < jobs; ++job) queue({1, kDaysMs}, false);
  start_waiting();
}

/// Returns the hosts on which it could start if slots were free there.
std::vector<std::string> ClusterWorkload::fits_of(const Unit& unit) const {
  std::vector<std::string> hosts;
  for (const Place& place : places_) {
    if (may_start(place, unit) && open_slots(place) > 0) hosts.push_back(place.facts.name);
  }
  return hosts;
}

void ClusterWorkload::list_waiting(agent::WorkList& list) {
  wanted_.clear();
  if (!shape_.tells_fits) return;
  for (const Waiting& job : waiting_) {
    agent::WorkUnit unit;
    unit.id = std::to_string(job.unit.id);
    unit.slots = job.slots;
    unit.submitted = {job.unit.submitted_ms};
    if (job.unit.preempts) unit.partition = kPreemptingPartition;
    std::vector<std::string> fits = fits_of(job.unit);
    if (job.unit.preempts) wanted_.insert(fits.begin(), fits.end());
    unit.fits = std::make_shared<const std::vector<std::string>>(std::move(fits));
    list.units.push_back(std::move(unit));
  }
}

Result<agent::WorkList> ClusterWorkload::work_units() {
  advance();
  if (Status answered = answer("jobs"); !answered) return tl::unexpected(answered.error());
  agent::WorkList list{{time_.now_ms()}, {}};
  for (const Job& job : jobs_) {
    agent::WorkUnit unit;
    unit.id = std::to_string(job.id);
    unit.slots = job.slots;
    unit.started = unit.submitted = {job.started_ms};
    if (job.unit.id > 0) unit.submitted = {job.unit.submitted_ms};
    if (job.unit.preempts) unit.partition = kPreemptingPartition;
    unit.hosts.push_back({places_[job.place].facts.name, job.slots});
    list.units.push_back(std::move(unit));
  }
  list_waiting(list);
  return list;
}

std::vector<ClusterWorkload::Job>::iterator ClusterWorkload::job_of(const std::string& id) {
  return std::find_if(jobs_.begin(), jobs_.end(),
                      [&id](const Job& job) { return std::to_string(job.id) == id; });
}

/// A tolerance covers the clock of its agent, which may be faster than time by half a percent. In a
/// workload with preemption, notified work may also be ended early for that.
void ClusterWorkload::note_end(const Job& job, EndedJob::How how) {
  const std::string host = places_[job.place].facts.name;
  EndedJob ended{how, std::to_string(job.id), host, wanted_.contains(host)};
  const int64_t had_ms = time_.now_ms() - job.notified_ms;
  const bool timed = how == EndedJob::How::reclaimed && !shape_.tells_fits;
  if (timed) ended.early_ms = job.grace_ms - job.grace_ms / 100 - 1'000 - had_ms;
  ended_.push_back(std::move(ended));
  if (note) note("job " + std::to_string(job.id) + " on " + host + " is ended by an agent");
}

void ClusterWorkload::take_off(std::vector<Job>::iterator job) {
  use(job->place, -job->slots);
  jobs_.erase(job);
}

/// No job here catches a signal: it ends by it. A job that could not be notified has no grace.
Status ClusterWorkload::interrupt(const agent::WorkUnit& unit, const std::string& signal,
                                  int64_t grace_ms) {
  const Status answered = answer("interrupt");
  const auto job = job_of(unit.id);
  if (job == jobs_.end()) return answered;
  job->unit.notified = true;
  job->notified_ms = time_.now_ms();
  job->grace_ms = answered ? grace_ms : 0;
  if (!answered || signal.empty()) return answered;
  note_end(*job, EndedJob::How::by_signal);
  take_off(job);
  start_waiting();
  return {};
}

Status ClusterWorkload::end_and_requeue(const agent::WorkUnit& unit) {
  advance();
  if (Status answered = answer("requeue"); !answered) return answered;
  const auto job = job_of(unit.id);
  if (job == jobs_.end()) return {};
  note_end(*job, job->unit.notified ? EndedJob::How::reclaimed : EndedJob::How::preempted);
  requeue(*job);
  take_off(job);
  start_waiting();
  return {};
}

}  // namespace leasehold::simulation
