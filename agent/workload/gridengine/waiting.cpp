#include "agent/workload/gridengine/waiting.hpp"

#include <algorithm>

namespace leasehold::agent {

namespace {

constexpr int kLooksATerm = 120;  // between readings of the queue's own settings
constexpr int kRequestsALook = 20;

}  // namespace

Status WaitingJobs::refresh(std::span<const GridEngineHost> machines) {
  terms_.archs.clear();
  for (const GridEngineHost& machine : machines) {
    if (!machine.arch.empty()) terms_.archs.insert(machine.arch);
  }
  if (--looks_to_terms_ > 0) return {};
  const Result<GridEngineQueue> queue = cell_.queue();
  if (!queue) return tl::unexpected(queue.error());
  Result<GridEngineResources> resources = cell_.resources();
  if (!resources) return tl::unexpected(resources.error());
  terms_.exclusive = std::move(resources->exclusive);
  terms_.queue = queue->name;
  terms_.limit_s = queue->limit_s;
  terms_.environments.reset();
  environments_there_.clear();
  terms_.hosts_with.clear();
  reads_reported_ = true;
  if (queue->environments) {
    environments_there_ = *queue->environments;
    terms_.environments.emplace();
  }
  looks_to_terms_ = kLooksATerm;
  return {};
}

/// Reads only the environments that jobs ask for: a cell may have many, and each takes a call.
Status WaitingJobs::learn_environments(std::span<const GridEnginePending> pending) {
  std::set<std::string> asked;
  for (const GridEnginePending& job : pending) {
    if (job.startable && !job.environment.empty()) asked.insert(job.environment);
  }
  std::vector<std::string> left;
  for (const std::string& name : environments_there_) {
    const bool wanted = std::any_of(asked.begin(), asked.end(),
                                    [&name](const std::string& one) { return matches(one, name); });
    if (!wanted) {
      left.push_back(name);
      continue;
    }
    Result<GridEngineEnvironment> environment = cell_.environment(name);
    if (!environment) {
      looks_to_terms_ = 0;  // all terms are read again
      return tl::unexpected(environment.error());
    }
    terms_.environments->push_back(*std::move(environment));
  }
  environments_there_ = std::move(left);
  return {};
}

/// Asks about each list of requests once a term, and about some in each look. A refused one is
/// reported and keeps no job back.
void WaitingJobs::learn_requests(std::span<const GridEnginePending> pending) {
  const bool any = std::any_of(pending.begin(), pending.end(), [](const GridEnginePending& job) {
    return job.startable && !job.requests.empty();
  });
  if (any && reads_reported_) {
    Result<std::set<std::string>> reported = cell_.reported();
    reads_reported_ = !reported;
    if (reported) {
      terms_.reported = *std::move(reported);
    } else {  // as last known
      unknown_.see("what hosts report is not understood: " + describe(reported.error()));
    }
  }
  int calls = 0;
  for (const GridEnginePending& job : pending) {
    const std::string requests = job.startable ? requests_of(job, terms_) : std::string();
    if (requests.empty() || terms_.hosts_with.contains(requests)) continue;
    if (++calls > kRequestsALook) return;
    Result<std::set<std::string>> hosts = cell_.hosts_with(requests);
    if (!hosts) {
      unknown_.see("what a waiting job asks for is not understood: " + describe(hosts.error()));
      terms_.hosts_with[requests] = std::nullopt;  // not asked again in this term
      continue;
    }
    terms_.hosts_with[requests] = *std::move(hosts);
  }
}

/// Nothing is asked while no job waits.
Result<GridEngineKept> WaitingJobs::kept(std::span<const GridEnginePending> pending) const {
  GridEngineKept kept;
  const bool waits = std::any_of(pending.begin(), pending.end(),
                                 [](const GridEnginePending& job) { return job.startable; });
  if (!waits) return kept;
  Result<std::set<std::string>> timed = cell_.timed();
  if (!timed) return tl::unexpected(timed.error());
  kept.timed = *std::move(timed);
  Result<std::vector<GridEngineQuota>> quotas = cell_.quotas();
  if (!quotas) return tl::unexpected(quotas.error());
  kept.quotas = *std::move(quotas);
  const bool by_project =
      std::any_of(kept.quotas.begin(), kept.quotas.end(),
                  [](const GridEngineQuota& quota) { return !quota.projects.empty(); });
  if (!by_project) return kept;
  Result<std::map<std::string, std::string>> projects = cell_.projects();
  if (!projects) return tl::unexpected(projects.error());
  kept.projects = *std::move(projects);
  return kept;
}

Result<WorkShapes> WaitingJobs::learn(const QueueHosts& hosts, std::vector<std::string> leased,
                                      std::vector<std::string> imported, Instant now) {
  if (const Status learnt = learn_environments(hosts.pending()); !learnt) {
    return tl::unexpected(learnt.error());
  }
  learn_requests(hosts.pending());
  const Result<GridEngineKept> keeps = kept(hosts.pending());
  if (!keeps) return tl::unexpected(keeps.error());
  WorkShapes shapes;
  shapes.now = now;
  shapes.running = gridengine_running(hosts.all(), terms_, imported);
  shapes.waiting = gridengine_waiting(
      hosts.pending(), {queues_, std::move(leased), std::move(imported)}, terms_, *keeps);
  fits_ = gridengine_fits(hosts.pending(), {queues_, hosts.names()}, terms_, *keeps);
  return shapes;
}

void WaitingJobs::tell_unknown_rules() const {
  for (const GridEngineEnvironment& one :
       terms_.environments.value_or(std::vector<GridEngineEnvironment>{})) {
    if (!one.unknown.empty()) {
      unknown_.see("parallel environment " + one.name + " has the allocation_rule '" + one.unknown +
                   "'");
    }
  }
}

}  // namespace leasehold::agent
