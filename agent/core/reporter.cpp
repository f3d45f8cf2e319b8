#include "agent/core/reporter.hpp"

#include <algorithm>

namespace leasehold::agent {

namespace {

/// Compares two states of the same generation.
bool same_group(const wire::StateBlock& a, const wire::GroupState& left, const wire::StateBlock& b,
                const wire::GroupState& right) {
  const auto a_hosts = a.hosts_of(left);
  const auto b_hosts = b.hosts_of(right);
  return left.seq == right.seq && left.ever_used == right.ever_used &&
         left.breach == right.breach &&
         std::equal(a_hosts.begin(), a_hosts.end(), b_hosts.begin(), b_hosts.end());
}

const wire::GroupState* find_group(const wire::StateBlock& block, uint64_t generation) {
  for (const wire::GroupState& group : block.groups) {
    if (group.generation == generation) return &group;
  }
  return nullptr;
}

void append_group(const wire::StateBlock& from, const wire::GroupState& group,
                  wire::StateBlock& to) {
  wire::GroupState copy = group;
  copy.first = static_cast<uint32_t>(to.hosts.size());
  const auto hosts = from.hosts_of(group);
  to.hosts.insert(to.hosts.end(), hosts.begin(), hosts.end());
  to.groups.push_back(copy);
}

}  // namespace

void Reporter::begin(uint64_t session) {
  session_ = session;
  number_ = 0;
  full_ = true;
}

void Reporter::take_changed_groups(const Picture& now, wire::StateBlock& out) const {
  for (const wire::GroupState& group : now.state.groups) {
    const wire::GroupState* before = find_group(last_.state, group.generation);
    if (!full_ && before && same_group(last_.state, *before, now.state, group)) continue;
    append_group(now.state, group, out);
  }
}

bool Reporter::take_changed_shapes(const Picture& now, wire::Report& out) const {
  if (full_ || now.demand != last_.demand) out.demand = now.demand;
  if (full_ || now.ending != last_.ending) out.ending = now.ending;
  return out.demand || out.ending;
}

bool Reporter::facts_changed(const Picture& now) const {
  return now.configuration != last_.configuration || now.pending != last_.pending ||
         now.running != last_.running || now.degraded != last_.degraded ||
         now.lease_ms != last_.lease_ms;
}

std::optional<wire::Report> Reporter::report(const Picture& now) {
  wire::Report report;
  take_changed_groups(now, report.state);
  for (const wire::HostUse& host : now.hosts) {
    if (full_ || std::find(last_.hosts.begin(), last_.hosts.end(), host) == last_.hosts.end()) {
      report.hosts.push_back(host);
    }
  }
  const bool shapes = take_changed_shapes(now, report);
  if (!full_ && !shapes && !facts_changed(now) && report.state.groups.empty() &&
      report.hosts.empty()) {
    return std::nullopt;
  }
  report.session = session_;
  report.number = ++number_;
  report.full = full_;
  report.configuration = now.configuration;
  report.pending = now.pending;
  report.running = now.running;
  report.degraded = now.degraded;
  report.lease_ms = now.lease_ms;
  last_ = now;
  full_ = false;
  return report;
}

}  // namespace leasehold::agent
