#include "agent/workload/gridengine/work_list.hpp"

#include <algorithm>

namespace leasehold::agent {

namespace {

using Units = std::map<std::string, WorkUnit>;  // by id

void add_running(const std::string& host, const std::string& id, int32_t slots, Instant started,
                 Units& units) {
  WorkUnit& unit = units.try_emplace(id).first->second;
  unit.started = unit.hosts.empty() ? started : std::min(unit.started, started);
  unit.id = id;
  unit.slots += slots;
  const auto known = std::find_if(unit.hosts.begin(), unit.hosts.end(),
                                  [&host](const UnitHost& on) { return on.host == host; });
  if (known == unit.hosts.end()) {
    unit.hosts.push_back({host, slots});
  } else {
    known->slots += slots;
  }
}

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

void add_waiting(std::span<const GridEnginePending> pending,
                 const std::optional<GridEngineFits>& fits, Units& units) {
  for (const GridEnginePending& job : pending) {
    const bool ends = units.contains(job.id);
    if (!job.startable || ends) continue;  // it is requeued, and its processes are still there
    WorkUnit unit;
    unit.id = job.id;
    unit.set_tasks(job.slots_of_task(), job.tasks);
    if (fits) tell_fit(*fits, unit, job.slots_of_task());
    units.emplace(job.id, std::move(unit));
  }
}

}  // namespace

/// Reads the facts of running jobs, by number, that are not known yet.
Status JobList::learn_facts(const std::set<std::string>& running) {
  std::unordered_map<std::string, GridEngineFacts> known;
  std::vector<std::string> asked;
  for (const std::string& number : running) {
    if (auto facts = facts_.extract(number); !facts.empty()) {
      known.insert(std::move(facts));
    } else {
      asked.push_back(number);
    }
  }
  facts_ = std::move(known);
  return keep_facts(cell_.facts_of(asked));
}

Status JobList::keep_facts(Result<std::vector<GridEngineFacts>> facts) {
  if (!facts) return tl::unexpected(facts.error());
  for (GridEngineFacts& one : *facts) {
    std::string number = one.number;
    facts_.try_emplace(std::move(number), std::move(one));
  }
  return {};
}

Result<std::vector<WorkUnit>> JobList::read(const QueueHosts& hosts, const EndingJobs& ending,
                                            const std::optional<GridEngineFits>& fits) {
  const Result<GridEngineQueue> queue = cell_.queue();
  if (!queue) return tl::unexpected(queue.error());
  Units units;
  for (const GridEngineInstance& instance : hosts.all()) {
    for (const GridEngineJob& job : instance.jobs) {
      add_running(instance.host, job.id, job.slots, job.started, units);
    }
    for (const EndingJob& job : ending.on(instance)) {
      add_running(job.host, job.job, job.slots, job.started, units);
    }
  }
  std::set<std::string> running;
  for (const auto& [id, unit] : units) running.insert(GridEngineCell::number_of(id));
  const bool many = hosts.pending().size() > kGridEnginePendingMost;
  if (!many) {
    add_waiting(hosts.pending(), fits, units);
    facts_.clear();
  }
  if (const Status known = many ? learn_facts(running) : keep_facts(cell_.facts()); !known) {
    return tl::unexpected(known.error());
  }
  std::vector<WorkUnit> list;
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
    list.push_back(std::move(unit));
  }
  return list;
}

}  // namespace leasehold::agent
