#include "agent/workload/gridengine/divisions.hpp"

#include <algorithm>

namespace leasehold::agent {

namespace {

using wire::Division;

constexpr int kLooksBetween = 120;

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
  auto by_host = cell_.host_resources();
  if (!by_host) return tl::unexpected(by_host.error());
  given_.clear();
  for (const std::string& host : names) {
    std::set<std::string>& there = (*by_host)[host];
    there.insert(queue->resources.begin(), queue->resources.end());
    Given given;
    const bool memory = add_common(resources->memory, there, given.resources);
    const bool devices = add_common(resources->devices, there, given.resources);
    given.division = memory ? Division::memory : devices ? Division::devices : Division::unsaid;
    given_.emplace(host, std::move(given));
  }
  looks_to_asking_ = kLooksBetween;
  return {};
}

Division HostDivisions::of(const std::string& host) const {
  const auto found = given_.find(host);
  return found == given_.end() ? Division::unsaid : found->second.division;
}

void HostDivisions::add_to(std::vector<std::string>& cautions) const {
  std::map<std::string, std::vector<std::string>> hosts;  // by resources
  for (const auto& [host, given] : given_)
    if (given.division != Division::unsaid) hosts[given.resources].push_back(host);
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
