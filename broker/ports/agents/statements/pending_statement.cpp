#include "broker/ports/agents/statements/pending_statement.hpp"

#include <utility>
#include <vector>

#include "broker/core/row_order.hpp"

namespace leasehold {

namespace {

/// Leaves out rows of groups that were stated again since.
void drop_dead_rows(wire::StateBlock& block) {
  std::vector<wire::HostState> rows;
  for (wire::GroupState& group : block.groups) {
    const auto kept = block.hosts_of(group);
    const auto first = static_cast<uint32_t>(rows.size());
    rows.insert(rows.end(), kept.begin(), kept.end());
    group.first = first;
  }
  block.hosts = std::move(rows);
}

size_t live_rows(const wire::StateBlock& block) {
  size_t rows = 0;
  for (const wire::GroupState& group : block.groups) rows += group.count;
  return rows;
}

}  // namespace

bool PendingStatement::begin(const Cluster& cluster, uint64_t session) {
  if (std::exchange(pending_, true)) return false;
  configuration_ = cluster.configuration;
  position_of_.clear();
  event_.cluster = cluster.name;
  event_.session = session;
  event_.pending = cluster.pending;
  event_.degraded = cluster.degraded;
  event_.lease_ms = cluster.lease_bound_ms;
  event_.demand.reset();
  event_.ending.reset();
  event_.idle_elsewhere.reset();
  event_.idle_beside.reset();
  event_.state.clear();
  return true;
}

/// A statement of one message, the usual case, needs no positions.
void PendingStatement::add(const wire::StateBlock& block) {
  wire::StateBlock& kept = event_.state;
  const bool first = kept.groups.empty();
  if (!first && position_of_.empty()) {
    for (size_t i = 0; i < kept.groups.size(); ++i) {
      position_of_.emplace(kept.groups[i].generation, i);
    }
  }
  for (const wire::GroupState& group : block.groups) {
    wire::GroupState copy = group;
    copy.first = static_cast<uint32_t>(kept.hosts.size());
    const auto rows = block.hosts_of(group);
    kept.hosts.insert(kept.hosts.end(), rows.begin(), rows.end());
    const auto known = first ? position_of_.end() : position_of_.find(group.generation);
    if (known == position_of_.end()) {
      if (!first) position_of_.emplace(group.generation, kept.groups.size());
      kept.groups.push_back(copy);
    } else {
      wire::GroupState& before = kept.groups[known->second];
      copy.ever_used = copy.ever_used || before.ever_used;
      before = copy;
    }
  }
  constexpr size_t kDeadMost = 4096;
  if (kept.hosts.size() > 2 * live_rows(kept) + kDeadMost) drop_dead_rows(kept);
}

StateReported& PendingStatement::take() {
  pending_ = false;
  position_of_.clear();
  sort_rows(event_.state);
  return event_;
}

}  // namespace leasehold
