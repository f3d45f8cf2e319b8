#include "agent/workload/gridengine/divisions.hpp"

#include <algorithm>

#include "common/log.hpp"

namespace leasehold::agent {

namespace {

using wire::Division;

constexpr int kLooksBetween = 120;
constexpr int kLooksUntilAgain = 10;  // where it did not tell: a call may take its time-out

/// Adds the names that are in both to the list.
bool add_common(const std::set<std::string>& resources, const std::set<std::string>& there,
                std::string& list) {
  bool any = false;
  for (const std::string& name : resources) {
    if (!there.contains(name)) continue;
    list += (list.empty() ? "" : ", ") + name;
    any = true;
  }
  return any;
}

}  // namespace

Status HostDivisions::refresh(const QueueHosts& hosts) {
  const std::vector<std::string> names = hosts.names();
  const bool all_known = std::all_of(names.begin(), names.end(), [this](const std::string& host) {
    return given_.contains(host);
  });
  if (--looks_to_asking_ > 0 && all_known) return {};
  looks_to_asking_ = 0;
  const Result<GridEngineResources> resources = cell_.resources();
  if (!resources) return tl::unexpected(resources.error());
  const Result<GridEngineQueue> queue = cell_.queue();
  if (!queue) return tl::unexpected(queue.error());
  ask_hosts(names);
  given_.clear();
  for (const std::string& host : names) {
    const Resources there = there_on(host, *resources, *queue);
    Given given;
    const bool memory = add_common(resources->memory, there, given.resources);
    const bool devices = add_common(resources->devices, there, given.resources);
    given.division = memory ? Division::memory : devices ? Division::devices : Division::unsaid;
    given_.emplace(host, std::move(given));
  }
  looks_to_asking_ = failure_.empty() ? kLooksBetween : kLooksUntilAgain;
  return {};
}

/// Only this call tells of hosts' resources; that all else is seen must not depend on it.
void HostDivisions::ask_hosts(const std::vector<std::string>& names) {
  auto by_host = cell_.host_resources();
  if (!by_host) {
    const bool begins = failure_.empty();
    failure_ = describe(by_host.error());
    if (begins) {
      log_warn("resources-not-read", {{"why", failure_},
                                      {"then", "memory and devices of hosts stay as last known"},
                                      {"do", "run qhost -F as the agent's user"}});
    }
    return;
  }
  failure_.clear();
  resources_.clear();
  for (const std::string& host : names) resources_[host] = std::move((*by_host)[host]);
}

HostDivisions::Resources HostDivisions::there_on(const std::string& host,
                                                 const GridEngineResources& known,
                                                 const GridEngineQueue& queue) const {
  Resources there = queue.resources;
  const auto reported = resources_.find(host);
  if (reported != resources_.end()) {
    there.insert(reported->second.begin(), reported->second.end());
    return there;
  }
  there.insert(known.memory.begin(), known.memory.end());
  there.insert(known.devices.begin(), known.devices.end());
  return there;
}

Division HostDivisions::of(const std::string& host) const {
  const auto found = given_.find(host);
  return found == given_.end() ? Division::unsaid : found->second.division;
}

void HostDivisions::add_to(std::vector<std::string>& cautions) const {
  if (!failure_.empty()) {
    cautions.push_back(
        "memory and devices of hosts are as last known, and a host of which nothing "
        "is known is lent whole or not at all: " +
        failure_);
  }
  std::map<std::string, std::vector<std::string>> hosts;  // by resources
  for (const auto& [host, given] : given_) {
    if (given.division != Division::unsaid) hosts[given.resources].push_back(host);
  }
  for (const auto& [resources, of] : hosts) {
    const size_t others = of.size() - 1;
    cautions.push_back(
        "host " + of.front() +
        (others == 0 ? " is" : " and " + std::to_string(others) + " more are") +
        " lent whole or not at all: complex_values has " + resources +
        ", which jobs use up, and two clusters would give out the same; export all slots of each "
        "by one policy to one consumer, or write [hosts] divisible = \"yes\" if you know better");
  }
}

}  // namespace leasehold::agent
