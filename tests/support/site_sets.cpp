// The part of Site in which agents choose what they give up of a set of hosts.
#include <algorithm>

#include "tests/support/site.hpp"

namespace leasehold::test {

namespace {

/// The set's order is the last of each of its groups.
bool in_force(const Agent& agent, const AgentSet& held) {
  return std::all_of(held.set.hosts.begin(), held.set.hosts.end(), [&](const auto& host) {
    const auto group = agent.groups.find(host.generation);
    return group != agent.groups.end() && host.host < group->second.rows.size() &&
           group->second.seq == held.seq;
  });
}

int64_t excess(const Agent& agent, const AgentSet& held) {
  int64_t sum = 0;
  for (const wire::SetHost& host : held.set.hosts) {
    const AgentRow& row = agent.groups.at(host.generation).rows[host.host];
    sum += row.shrink_to >= 0 ? std::min(row.limit, row.shrink_to) : row.limit;
  }
  return sum - held.set.sum;
}

}  // namespace

int64_t Site::asked(const Agent& agent, uint64_t generation, uint32_t row) {
  for (const AgentSet& held : agent.sets) {
    if (!in_force(agent, held)) continue;
    const bool named = std::any_of(
        held.set.hosts.begin(), held.set.hosts.end(),
        [&](const auto& host) { return host.generation == generation && host.host == row; });
    if (named) return std::max<int64_t>(0, excess(agent, held));
  }
  return 0;
}

void Site::give_to_sets(Agent& agent) {
  std::erase_if(agent.sets, [&](const AgentSet& held) { return !in_force(agent, held); });
  for (const AgentSet& held : agent.sets) {
    int64_t left = excess(agent, held);
    for (size_t i = held.set.hosts.size(); i-- > 0 && left > 0;) {
      const wire::SetHost& host = held.set.hosts[i];
      AgentRow& row = agent.groups.at(host.generation).rows[host.host];
      if (row.shrink_to >= 0 && row.limit > row.shrink_to) continue;
      auto part = static_cast<int32_t>(std::min<int64_t>(left, row.limit - row.used));
      if (held.set.whole_hosts && part < row.limit) part = 0;
      row.limit -= part;
      row.shrink_to = std::min(row.shrink_to, row.limit);
      left -= part;
    }
  }
}

}  // namespace leasehold::test
