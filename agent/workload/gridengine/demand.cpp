#include "agent/workload/gridengine/demand.hpp"

#include <algorithm>
#include <unordered_map>

#include "common/bounds.hpp"

namespace leasehold::agent {

namespace {

using Spread = GridEngineEnvironment::Spread;

int32_t bounded(int64_t slots) {
  return static_cast<int32_t>(std::clamp<int64_t>(slots, 1, kSlotsMax));
}

/// Returns how one environment would lay `slots`; nullopt: it never could.
std::optional<WaitingWork> laid(const GridEngineEnvironment& environment, int64_t slots) {
  WaitingWork work;
  work.slots = slots;
  if (environment.spread == Spread::one_host) work.slots_per_host = bounded(slots);
  if (environment.spread != Spread::fixed) return work;
  if (slots % environment.slots_per_host != 0) return std::nullopt;
  work.slots_per_host = environment.slots_per_host;
  work.hosts = bounded(slots / environment.slots_per_host);
  return work;
}

/// Returns the shape under the least strict environment that the job would take.
std::optional<WaitingWork> shape_of(const GridEnginePending& job, const GridEngineTerms& terms) {
  WaitingWork any;
  any.slots = job.slots_of_task();
  if (job.environment.empty() || !terms.environments) return any;
  std::optional<WaitingWork> found;
  for (const GridEngineEnvironment& environment : *terms.environments) {
    if (!matches(job.environment, environment.name)) continue;
    const std::optional<WaitingWork> one = laid(environment, any.slots);
    if (!one) continue;
    if (!found) found = one;
    found->slots_per_host = std::min(found->slots_per_host, one->slots_per_host);
    found->hosts = std::min(found->hosts, one->hosts);
  }
  return found;
}

std::optional<int64_t> limit_of(std::optional<int64_t> asked, const GridEngineTerms& terms) {
  if (!asked || !terms.limit_s) return asked ? asked : terms.limit_s;
  return std::min(*asked, *terms.limit_s);
}

bool is_pattern(const std::string& name) {
  return name.find_first_of("*?!&()[]") != name.npos;
}

/// Returns the types of hosts that the job would take, where there are others; also a type that no
/// host has.
std::vector<std::string> types_of(const GridEnginePending& job, const GridEngineTerms& terms) {
  std::vector<std::string> types;
  for (const std::string& arch : terms.archs) {
    const bool asked = std::any_of(job.archs.begin(), job.archs.end(), [&](const std::string& one) {
      return one.find_first_of("!&()[]") != one.npos || matches(one, arch);
    });
    if (asked) types.push_back(arch);
  }
  if (types.empty()) {
    for (const std::string& one : job.archs) {
      if (!is_pattern(one)) types.push_back(one);
    }
  }
  if (std::set<std::string>(types.begin(), types.end()) == terms.archs) types.clear();
  return types;
}

bool has_what_it_asks(const GridEnginePending& job, std::span<const std::string> hosts,
                      const GridEngineTerms& terms) {
  const auto found = terms.hosts_with.find(requests_of(job, terms));
  return found == terms.hosts_with.end() || !found->second ||
         std::any_of(hosts.begin(), hosts.end(),
                     [&](const std::string& host) { return found->second->contains(host); });
}

/// True if the job's requests are known: work of others is ended only for work that is known to
/// fit.
bool is_known(const GridEnginePending& job, const GridEngineTerms& terms) {
  if (job.requests.empty()) return true;
  const std::string requests = requests_of(job, terms);
  return terms.reported && (requests.empty() || terms.hosts_with.contains(requests));
}

/// Returns the key of what decides where a job could start; jobs that ask for the same share it.
std::string asked_by(const GridEnginePending& job) {
  std::string key = job.environment + "\n" + std::to_string(job.slots_of_task());
  for (const std::vector<std::string>* names : {&job.queues, &job.hosts}) {
    key += "\n";
    for (const std::string& name : *names) (key += name) += ",";
  }
  for (const auto& [name, value] : job.requests) (((key += "\n") += name) += "=") += value;
  return key;
}

/// Returns the hosts on which the job could start, and how it wants its slots there.
GridEngineFit fit_of(const GridEnginePending& job, const GridEngineLeased& all,
                     const GridEngineTerms& terms) {
  GridEngineFit fit;
  std::vector<std::string> hosts;
  if (const auto work = shape_of(job, terms); work && is_known(job, terms)) {
    fit.slots_per_host = work->slots_per_host;
    fit.hosts_wanted = work->hosts;
    for (const std::string& host : all.hosts) {
      if (could_run(job, all.queues, {&host, 1}) && has_what_it_asks(job, {&host, 1}, terms)) {
        hosts.push_back(host);
      }
    }
  }
  fit.hosts = std::make_shared<const std::vector<std::string>>(std::move(hosts));
  return fit;
}

bool waits_for_slots(const GridEnginePending& job, const GridEngineKept& kept) {
  return job.startable && job.slots != 0 && !kept.timed.contains(job.id);
}

const std::string& project_of(const GridEnginePending& job, const GridEngineKept& kept) {
  static const std::string none;
  const auto project = kept.projects.find(job.id);
  return project == kept.projects.end() ? none : project->second;
}

}  // namespace

std::string requests_of(const GridEnginePending& job, const GridEngineTerms& terms) {
  std::string all;
  if (!terms.reported) return all;
  for (const auto& [name, value] : job.requests) {
    if (!terms.exclusive.contains(name) && !terms.reported->contains(name)) {
      all += (all.empty() ? "" : ",") + name + "=" + value;
    }
  }
  return all;
}

bool takes_whole_hosts(std::span<const std::string> flags, const GridEngineTerms& terms) {
  return std::any_of(flags.begin(), flags.end(),
                     [&](const std::string& flag) { return terms.exclusive.contains(flag); });
}

void HostsTakenWhole::note(const QueueHosts& hosts, const GridEngineTerms& terms) {
  std::map<std::string, Taken> taken;
  auto now = hosts.jobs_by_host(
      [&](const GridEngineJob& job) { return takes_whole_hosts(job.flags, terms); });
  for (auto& [host, jobs] : now) {
    const GridEngineInstance* instance = hosts.find(host);
    if (instance == nullptr) continue;
    int32_t slots = instance->total;
    const auto before = taken_.find(host);
    if (before != taken_.end() &&
        std::any_of(jobs.begin(), jobs.end(),
                    [&](const std::string& job) { return before->second.jobs.contains(job); })) {
      slots = std::max(slots, before->second.slots);
    }
    taken[host] = {std::move(jobs), slots};
  }
  taken_ = std::move(taken);
}

int32_t HostsTakenWhole::slots_on(const std::string& host) const {
  const auto found = taken_.find(host);
  return found == taken_.end() ? 0 : found->second.slots;
}

std::vector<WaitingWork> gridengine_waiting(std::span<const GridEnginePending> pending,
                                            const GridEngineLeased& leased,
                                            const GridEngineTerms& terms,
                                            const GridEngineKept& kept) {
  QuotaRooms rooms(kept.quotas, terms.queue);
  struct Starts {
    bool leased = false;
    bool imported = false;
  };
  std::unordered_map<std::string, Starts> found;  // by asked_by()
  const auto could_start = [&](const GridEnginePending& job) {
    const auto [alike, first] = found.try_emplace(asked_by(job));
    const auto on = [&](std::span<const std::string> hosts) {
      return could_run(job, leased.queues, hosts) && has_what_it_asks(job, hosts, terms);
    };
    if (first) alike->second = {on(leased.hosts), leased.imported.empty() || on(leased.imported)};
    return alike->second;
  };
  std::vector<WaitingWork> waiting;
  for (const GridEnginePending& job : pending) {
    if (!waits_for_slots(job, kept)) continue;
    const Starts where = could_start(job);
    std::optional<WaitingWork> work = where.leased ? shape_of(job, terms) : std::nullopt;
    if (!work) continue;
    work->on_imported = where.imported;
    work->jobs = rooms.take(job, project_of(job, kept));
    if (work->jobs == 0) continue;
    if (const auto limit_s = limit_of(job.limit_s, terms); limit_s) {
      set_limit(*work, *limit_s * 1000);
    }
    work->submitted = job.submitted;
    work->host_types = types_of(job, terms);
    work->whole = takes_whole_hosts(job.flags, terms);
    waiting.push_back(*std::move(work));
  }
  return waiting;
}

GridEngineFits gridengine_fits(std::span<const GridEnginePending> pending,
                               const GridEngineLeased& all, const GridEngineTerms& terms,
                               const GridEngineKept& kept) {
  QuotaRooms rooms(kept.quotas, terms.queue);
  const auto none = std::make_shared<const std::vector<std::string>>();
  std::unordered_map<std::string, GridEngineFit> found;  // by asked_by()
  GridEngineFits fits;
  fits.reserve(pending.size());
  for (const GridEnginePending& job : pending) {
    GridEngineFit& fit = fits[job.id];
    fit.hosts = none;
    if (!waits_for_slots(job, kept)) continue;
    GridEngineFit& alike = found[asked_by(job)];
    if (!alike.hosts) alike = fit_of(job, all, terms);
    const int64_t tasks = alike.hosts->empty() ? 0 : rooms.take(job, project_of(job, kept));
    if (tasks == 0) continue;
    fit = alike;
    fit.tasks = tasks;
    fit.whole = takes_whole_hosts(job.flags, terms);
  }
  return fits;
}

std::vector<RunningWork> gridengine_running(std::span<const GridEngineInstance> instances,
                                            const GridEngineTerms& terms,
                                            std::span<const std::string> imported) {
  std::map<std::string, RunningWork> jobs;
  for (const GridEngineInstance& instance : instances) {
    const bool on_imported = imported.empty() || std::find(imported.begin(), imported.end(),
                                                           instance.host) != imported.end();
    for (const GridEngineJob& job : instance.jobs) {
      const auto [place, first] = jobs.try_emplace(job.id);
      RunningWork& work = place->second;
      work.on_imported = on_imported || (!first && work.on_imported);
      work.id = job.id;
      const bool whole = takes_whole_hosts(job.flags, terms);
      work.slots += whole ? std::max(job.slots, instance.total) : job.slots;
      work.started = first ? job.started : std::min(work.started, job.started);
      if (const auto limit_s = limit_of(job.limit_s, terms); limit_s) {
        work.until = {work.started.ms + *limit_s * 1000};
      }
    }
  }
  std::vector<RunningWork> running;
  for (auto& [id, work] : jobs) running.push_back(std::move(work));
  return running;
}

}  // namespace leasehold::agent
