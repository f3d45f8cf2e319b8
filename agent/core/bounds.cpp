#include "agent/core/bounds.hpp"

#include <algorithm>
#include <set>

#include "common/bounds.hpp"

namespace leasehold::agent {

namespace {

using Fault = std::optional<std::string>;

Status refused_for(const std::string& where, const Fault& fault) {
  if (!fault) return {};
  return fail(ErrorCode::refused, where + ": " + *fault);
}

Fault fault_of_slots(const std::string& what, int64_t slots) {
  return out_of(what, slots, 0, kSlotsMax);
}

Fault fault_of(const wire::ConfiguredGroup& group) {
  if (auto fault = above("generation", group.generation)) return fault;
  if (auto fault = out_of("mem_mb", group.mem_mb, 0, kMebibytesMax)) return fault;
  if (auto fault = out_of("swap_mb", group.swap_mb, 0, kMebibytesMax)) return fault;
  if (auto fault = out_of("grace_ms", group.grace_ms, 0, kLongestMs)) return fault;
  for (const wire::ConfiguredHost& host : group.hosts) {
    if (auto fault = fault_of_slots("slots of host " + host.name, host.slots)) return fault;
  }
  return std::nullopt;
}

Fault fault_of_itself(const wire::Configuration& configuration) {
  if (auto fault = above("number", configuration.number)) return fault;
  if (auto fault = out_of("agent_timeout_ms", configuration.agent_timeout_ms, 0, kLongestMs)) {
    return fault;
  }
  if (auto fault = out_of("lease_ttl_ms", configuration.lease_ttl_ms, 0, kLongestMs)) return fault;
  if (auto fault =
          out_of("leader_ttl_ms", configuration.leader_ttl_ms.value_or(1), 1, kLongestMs)) {
    return fault;
  }
  for (const wire::ConfiguredResource& resource : configuration.resources) {
    if (auto fault =
            out_of("instances of " + resource.name, resource.instances, 0, kMebibytesMax)) {
      return fault;
    }
  }
  return std::nullopt;
}

Fault fault_of(const std::vector<wire::OrderedHost>& hosts) {
  for (const wire::OrderedHost& host : hosts) {
    if (auto fault = fault_of_slots("limit of host " + std::to_string(host.host), host.limit)) {
      return fault;
    }
  }
  return std::nullopt;
}

Fault fault_of(const wire::ReclaimSet& set) {
  if (auto fault = fault_of_slots("sum of a set", set.sum)) return fault;
  return out_of("grace_ms of a set", set.grace_ms, 0, kLongestMs);
}

Fault fault_of(const wire::Order& order) {
  if (auto fault = above("number", order.seq)) return fault;
  if (auto fault = above("generation", order.generation)) return fault;
  if (auto fault = above("configuration", order.configuration)) return fault;
  if (auto fault = out_of("grace_ms", order.grace_ms, 0, kLongestMs)) return fault;
  if (auto fault = fault_of(order.hosts)) return fault;
  for (const wire::OrderPart& part : order.parts) {
    if (auto fault = above("generation", part.generation)) return fault;
    if (auto fault = fault_of(part.hosts)) return fault;
  }
  for (const wire::ReclaimSet& set : order.sets) {
    if (auto fault = fault_of(set)) return fault;
  }
  return std::nullopt;
}

std::string name_of(const wire::Order& order) {
  return "order " + std::to_string(order.seq) + " for group " + std::to_string(order.generation);
}

}  // namespace

Status check_numbers(const wire::Configuration& configuration) {
  const std::string name = "configuration " + std::to_string(configuration.number);
  if (const auto fault = fault_of_itself(configuration)) return refused_for(name, fault);
  std::set<uint64_t> seen;
  int64_t slots = 0;
  for (const wire::ConfiguredGroup& group : configuration.groups) {
    const std::string generation = std::to_string(group.generation);
    if (const auto fault = fault_of(group)) {
      return refused_for(name + ", group " + generation, fault);
    }
    if (!seen.insert(group.generation).second) {
      return refused_for(name, "group " + generation + " is listed twice; once can be right");
    }
    for (const wire::ConfiguredHost& host : group.hosts) slots += host.slots;
  }
  return refused_for(name, fault_of_slots("what all exports add up to", slots));
}

Status check_numbers(const wire::Order& order) {
  return refused_for(name_of(order), fault_of(order));
}

Status check_limits_in_all(const Book& book, const wire::Order& order) {
  int64_t slots = 0;
  for (const LeasedGroup& group : book.groups()) {
    for (const HostLimit& host : group.limits.hosts) slots += host.limit;
  }
  const std::vector<HostLimit>& known = book.find(order.generation)->limits.hosts;
  int64_t more = 0;
  for (const wire::OrderedHost& host : order.hosts) {
    more += std::max(0, host.limit - known[host.host].limit);
  }
  if (more == 0) return {};
  return refused_for(name_of(order), fault_of_slots("what all limits add up to", slots + more));
}

}  // namespace leasehold::agent
