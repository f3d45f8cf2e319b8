// The part of the Grid Engine adapter that interrupts and ends work.
#include <algorithm>

#include "agent/workload/gridengine/adapter.hpp"

namespace leasehold::agent {

namespace {

/// After so long, and the job's time of notice, an ended job is assumed to have ended: a kill
/// reaches a connected host within a second.
constexpr int64_t kEndingMs = 5'000;

/// Sets where a waiting job fits; a job that came after the last look waits for the next one.
void tell_fit(const GridEngineFits& fits, WorkUnit& unit, int64_t slots_of_task) {
  static const auto kept_back = std::make_shared<const std::vector<std::string>>();
  const auto fit = fits.find(unit.id);
  unit.fits = fit == fits.end() ? kept_back : fit->second.hosts;
  if (unit.kept_back()) return;
  unit.set_tasks(slots_of_task, fit->second.tasks);
  unit.slots_per_host = fit->second.slots_per_host;
  unit.hosts_wanted = fit->second.hosts_wanted;
  unit.whole_hosts = fit->second.whole;
}

}  // namespace

/// Returns the jobs that hold slots, by id: those that Grid Engine lists, and those that it no
/// longer lists while their processes may still run.
std::map<std::string, WorkUnit> GridEngine::running_units(const QueueHosts& hosts) const {
  std::map<std::string, WorkUnit> units;
  const auto add = [&units](const std::string& host, const std::string& id, int32_t slots,
                            Instant started) {
    WorkUnit& unit = units.try_emplace(id).first->second;
    unit.started = unit.hosts.empty() ? started : std::min(unit.started, started);
    unit.id = id;
    unit.slots += slots;
    const auto known = std::find_if(unit.hosts.begin(), unit.hosts.end(),
                                    [&host](const UnitHost& on) { return on.host == host; });
    if (known == unit.hosts.end())
      unit.hosts.push_back({host, slots});
    else
      known->slots += slots;
  };
  for (const GridEngineInstance& instance : hosts.all()) {
    for (const GridEngineJob& job : instance.jobs)
      add(instance.host, job.id, job.slots, job.started);
    for (const EndingJob& job : ending_on(instance)) add(job.host, job.job, job.slots, job.started);
  }
  return units;
}

void GridEngine::add_waiting(std::span<const GridEnginePending> pending,
                             std::map<std::string, WorkUnit>& units) const {
  for (const GridEnginePending& job : pending) {
    const bool ends = units.contains(job.id);
    if (!job.startable || ends) continue;  // it is requeued, and its processes are still there
    WorkUnit unit;
    unit.id = job.id;
    unit.set_tasks(job.slots_of_task(), job.tasks);
    if (fits_) tell_fit(*fits_, unit, job.slots_of_task());
    units.emplace(job.id, std::move(unit));
  }
}

Status GridEngine::learn_facts() {
  facts_.clear();
  return keep_facts(cell_.facts());
}

/// Reads the facts of running jobs, each once: with many waiting jobs Grid Engine takes seconds for
/// each question.
Status GridEngine::learn_facts(const std::map<std::string, WorkUnit>& running) {
  std::unordered_map<std::string, GridEngineFacts> known;
  std::set<std::string> asked;
  for (const auto& [id, unit] : running) {
    const std::string number = GridEngineCell::number_of(id);
    if (known.contains(number)) continue;
    if (auto facts = facts_.extract(number); !facts.empty())
      known.insert(std::move(facts));
    else
      asked.insert(number);
  }
  facts_ = std::move(known);
  return keep_facts(cell_.facts_of(std::vector<std::string>(asked.begin(), asked.end())));
}

Status GridEngine::keep_facts(Result<std::vector<GridEngineFacts>> facts) {
  if (!facts) return tl::unexpected(facts.error());
  for (GridEngineFacts& one : *facts) {
    std::string number = one.number;
    facts_.try_emplace(std::move(number), std::move(one));
  }
  return {};
}

Result<WorkList> GridEngine::work_units() {
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  const Result<GridEngineQueue> queue = cell_.queue();
  if (!queue) return tl::unexpected(queue.error());
  std::map<std::string, WorkUnit> units = running_units(*hosts);
  const bool many = hosts->pending().size() > kGridEnginePendingMost;
  if (!many) add_waiting(hosts->pending(), units);
  if (const Status known = many ? learn_facts(units) : learn_facts(); !known)
    return tl::unexpected(known.error());
  WorkList list{time_.wall_time(), {}};
  for (auto& [id, unit] : units) {
    const auto known = facts_.find(GridEngineCell::number_of(id));
    if (known == facts_.end()) continue;  // it has ended since
    const GridEngineFacts& facts = known->second;
    unit.submitted = facts.submitted;
    unit.priority = facts.priority;
    unit.requeueable = facts.restartable.value_or(queue->rerun);
    unit.user = facts.owner;
    unit.account = facts.project;
    unit.partition = cell_.queue_name();
    unit.comment = facts.context;
    list.units.push_back(std::move(unit));
  }
  return list;
}

Status GridEngine::note_stopped(const std::string& job, bool stopped) {
  GridEngineNoted noted = notes_.noted();
  std::erase(noted.stopped, job);
  if (stopped) noted.stopped.push_back(job);
  return notes_.put(std::move(noted));
}

/// Writes into the job's context when it will be ended. Grid Engine cannot send a chosen signal;
/// the nearest to it is to suspend and to resume. A job that asked for notice gets SIGUSR1 at once
/// and is never stopped; any other job is stopped for some milliseconds and gets SIGCONT, so this
/// is done only where that signal is asked for.
Status GridEngine::interrupt(const WorkUnit& job, const std::string& signal, int64_t grace_ms) {
  if (read_only_) return look_only();
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  const std::vector<PlacedJob> places = hosts->places(job.id);
  if (places.empty()) return {};
  const int64_t ends_ms = time_.wall_time().ms + grace_ms;
  if (const Status told = cell_.tell(job.id, ends_ms / 1000); !told) return told;
  const bool standing_still = std::any_of(places.begin(), places.end(), [](const PlacedJob& place) {
    return place.job.suspended() || place.job.deleted();
  });
  if (standing_still) return {};  // a stopped job would notice nothing, and is not ours to resume
  const Result<std::vector<GridEngineFacts>> facts = cell_.facts(job.id);
  if (!facts) return tl::unexpected(facts.error());
  const bool notice = !facts->empty() && facts->front().notice;
  return notice || signal == "CONT" ? warn_by_suspending(job.id) : Status{};
}

Status GridEngine::warn_by_suspending(const std::string& job) {
  if (const Status noted = note_stopped(job, true); !noted) return noted;
  const Status stopped = cell_.suspend(job);
  if (const Status resumed = cell_.resume(job); !resumed) return resumed;
  if (const Status noted = note_stopped(job, false); !noted) return noted;
  return stopped;
}

/// Notes where the job runs, and until when its processes may be there after Grid Engine has
/// requeued it.
Result<std::vector<EndingJob>> GridEngine::note_ending(const std::string& job,
                                                       const QueueHosts& hosts) {
  const Result<std::vector<GridEngineFacts>> facts = cell_.facts(job);
  if (!facts) return tl::unexpected(facts.error());
  const bool notice = !facts->empty() && facts->front().notice;
  const Result<GridEngineQueue> queue = cell_.queue();
  if (!queue) return tl::unexpected(queue.error());
  const int64_t ends_in_ms = kEndingMs + (notice ? queue->notify_ms : 0);
  const int64_t until_ms = time_.boottime_ms() + ends_in_ms;
  std::vector<EndingJob> ending;
  for (const PlacedJob& place : hosts.places(job))
    if (place.queue == cell_.queue_name())
      ending.push_back({job, place.host, place.job.slots, place.job.started, until_ms, ends_in_ms});
  GridEngineNoted noted = notes_.noted();
  noted.boot = time_.boot_id();
  std::erase_if(noted.ending, [&](const EndingJob& one) { return one.job == job; });
  noted.ending.insert(noted.ending.end(), ending.begin(), ending.end());
  if (const Status put = notes_.put(std::move(noted)); !put) return tl::unexpected(put.error());
  return ending;
}

Status GridEngine::drop_ending(const std::string& job) {
  GridEngineNoted noted = notes_.noted();
  std::erase_if(noted.ending, [&](const EndingJob& one) { return one.job == job; });
  return notes_.put(std::move(noted));
}

/// While the processes of the job may still run, its slots on fenced hosts are closed to all.
/// enforce() opens them again.
Status GridEngine::close_for(const std::vector<EndingJob>& ending, const QueueHosts& hosts) {
  std::vector<GridEngineCell::Slots> slots;
  for (const EndingJob& job : ending) {
    const GridEngineInstance* instance = hosts.find(job.host);
    if (instance == nullptr || fenced(job.host) == nullptr) continue;
    const int32_t number = std::max(0, instance->total - job.slots);
    if (number != instance->total) slots.emplace_back(job.host, number);
  }
  return set_and_read_back(slots);
}

Status GridEngine::end_and_requeue(const WorkUnit& unit) {
  if (read_only_) return look_only();
  const std::string& job = unit.id;
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  const std::vector<PlacedJob> places = hosts->places(job);
  const bool over = std::all_of(places.begin(), places.end(),
                                [](const PlacedJob& place) { return place.job.deleted(); });
  if (over) return {};  // gone, or ending
  const Result<std::vector<EndingJob>> ending = note_ending(job, *hosts);
  if (!ending) return tl::unexpected(ending.error());
  if (const Status closed = close_for(*ending, *hosts); !closed) return closed;
  const Result<GridEngineCell::Requeue> done = cell_.requeue(job);
  if (!done) return tl::unexpected(done.error());
  if (*done == GridEngineCell::Requeue::pushed) return {};
  // A deleted job keeps its slots until it has ended.
  if (const Status dropped = drop_ending(job); !dropped) return dropped;
  if (*done == GridEngineCell::Requeue::gone) return {};
  return cell_.remove(job);
}

/// A job that is held or in error counts as waiting; for one task of an array only accounting shows
/// its end.
Result<JobEnd> GridEngine::end_of(const WorkUnit& job) {
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  if (!hosts->places(job.id).empty()) return JobEnd{JobEnd::How::goes_on};
  const auto& pending = hosts->pending();
  const bool waits = std::any_of(pending.begin(), pending.end(),
                                 [&job](const auto& one) { return one.id == job.id; });
  if (waits) return JobEnd{JobEnd::How::queued};
  return cell_.end_of(job.id);
}

/// Returns jobs that Grid Engine no longer counts there and whose processes may still run: their
/// time is not over, or their host is not up.
std::vector<EndingJob> GridEngine::ending_on(const GridEngineInstance& instance) const {
  std::vector<EndingJob> ending;
  for (const EndingJob& job : notes_.noted().ending) {
    if (job.host != instance.host) continue;
    const auto listed =
        std::find_if(instance.jobs.begin(), instance.jobs.end(),
                     [&job](const GridEngineJob& one) { return one.id == job.job; });
    // Counted there, or it runs again and so had ended.
    if (listed != instance.jobs.end()) continue;
    if (instance.up && time_.boottime_ms() >= job.until_ms) continue;
    ending.push_back(job);
  }
  return ending;
}

int32_t GridEngine::ending_slots(const GridEngineInstance& instance) const {
  int32_t slots = 0;
  for (const EndingJob& job : ending_on(instance)) slots += job.slots;
  return slots;
}

/// Starts the times again after a reboot, because nobody knows how much of them is left.
Status GridEngine::renew_ending() {
  GridEngineNoted noted = notes_.noted();
  if (noted.ending.empty() || noted.boot == time_.boot_id()) return {};
  noted.boot = time_.boot_id();
  for (EndingJob& job : noted.ending) job.until_ms = time_.boottime_ms() + job.lasts_ms;
  return notes_.put(std::move(noted));
}

}  // namespace leasehold::agent
