#include "agent/workload/gridengine/hosts.hpp"

#include <algorithm>

namespace leasehold::agent {

namespace {

bool by_host(const GridEngineInstance& a, const GridEngineInstance& b) {
  return a.host < b.host;
}

/// True if a name matches the pattern. `!`, `&` and brackets are not evaluated: they could match.
bool could_match(std::string_view pattern, std::span<const std::string> names) {
  if (pattern.find_first_of("!&()[]") != std::string_view::npos) return true;
  return std::any_of(names.begin(), names.end(),
                     [pattern](const std::string& name) { return matches(pattern, name); });
}

/// `asked` is "all.q", "*.q@big*", "@@group" or "all.q@@group".
bool could_use(std::string_view asked, std::span<const std::string> queues,
               std::span<const std::string> hosts) {
  const size_t at = asked.find('@');
  const std::string_view queue = asked.substr(0, at);
  if (!queue.empty() && !could_match(queue, queues)) return false;
  if (at == std::string_view::npos) return true;
  const std::string_view host = asked.substr(at + 1);
  return host.substr(0, 1) == "@" || could_match(host, hosts);  // "@": a group of hosts
}

}  // namespace

Result<QueueHosts> QueueHosts::of(GridEngineLook look, const std::string& queue) {
  QueueHosts hosts;
  hosts.pending_ = std::move(look.pending);
  for (GridEngineInstance& instance : look.instances) {
    (instance.queue == queue ? hosts.instances_ : hosts.others_).push_back(std::move(instance));
  }
  std::sort(hosts.instances_.begin(), hosts.instances_.end(), by_host);
  const auto twice =
      std::adjacent_find(hosts.instances_.begin(), hosts.instances_.end(),
                         [](const auto& a, const auto& b) { return a.host == b.host; });
  if (twice != hosts.instances_.end()) {
    return fail(ErrorCode::io, "qstat lists " + queue + "@" + twice->host +
                                   " twice; the look failed, nothing changes");
  }
  return hosts;
}

std::vector<std::string> QueueHosts::names() const {
  std::vector<std::string> names;
  for (const GridEngineInstance& instance : instances_) names.push_back(instance.host);
  return names;
}

const GridEngineInstance* QueueHosts::find(const std::string& host) const {
  const auto at = std::lower_bound(
      instances_.begin(), instances_.end(), host,
      [](const GridEngineInstance& a, const std::string& b) { return a.host < b; });
  return at == instances_.end() || at->host != host ? nullptr : &*at;
}

bool QueueHosts::waits(const std::string& job) const {
  return std::any_of(pending_.begin(), pending_.end(),
                     [&job](const GridEnginePending& one) { return one.id == job; });
}

std::vector<PlacedJob> QueueHosts::places(const std::string& job) const {
  std::vector<PlacedJob> found;
  for (const auto* list : {&instances_, &others_}) {
    for (const GridEngineInstance& instance : *list) {
      for (const GridEngineJob& one : instance.jobs) {
        if (one.id == job) found.push_back({instance.queue, instance.host, one});
      }
    }
  }
  return found;
}

std::map<std::string, std::set<std::string>> QueueHosts::jobs_by_host(
    const std::function<bool(const GridEngineJob&)>& is) const {
  std::map<std::string, std::set<std::string>> found;
  for (const auto* list : {&instances_, &others_}) {
    for (const GridEngineInstance& instance : *list) {
      for (const GridEngineJob& job : instance.jobs) {
        if (is(job)) found[instance.host].insert(job.id);
      }
    }
  }
  return found;
}

bool could_run(const GridEnginePending& job, std::span<const std::string> queues,
               std::span<const std::string> hosts) {
  const bool queue_fits =
      job.queues.empty() ||
      std::any_of(job.queues.begin(), job.queues.end(),
                  [&](const std::string& asked) { return could_use(asked, queues, hosts); });
  const bool host_fits = job.hosts.empty() || std::any_of(job.hosts.begin(), job.hosts.end(),
                                                          [&](const std::string& asked) {
                                                            return could_match(asked, hosts);
                                                          });
  return queue_fits && host_fits;
}

Result<GridEngineHost> machine_of(std::span<const GridEngineHost> machines,
                                  const std::string& host) {
  const auto found =
      std::lower_bound(machines.begin(), machines.end(), host,
                       [](const GridEngineHost& a, const std::string& b) { return a.name < b; });
  if (found != machines.end() && found->name == host) return *found;
  return fail(ErrorCode::io, "qstat lists host '" + host + "', which qhost does not know");
}

}  // namespace leasehold::agent
