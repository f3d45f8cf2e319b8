#include "broker/core/model/queries/horizons.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "broker/core/model/queries/plan_in_force.hpp"

namespace leasehold {

Instant barred_from(const Host& host, const Cluster& borrower, uint32_t index) {
  if (!host.facts.horizon) return kNever;
  const Instant begin{host.facts.horizon->from_ms};
  const bool states_limits = borrower.ending && borrower.ending->longest_limit_ms;
  if (!states_limits) return is_barred(host, index) ? Instant{INT64_MIN} : begin;
  const int64_t longest_ms = *borrower.ending->longest_limit_ms;
  return longest_ms == wire::kNoTimeLimit ? Instant{INT64_MIN} : Instant{begin.ms - longest_ms};
}

namespace {

/// Returns the grace with which the member's work may be ended for a reservation of the owner's;
/// nullopt: it may not be ended.
std::optional<int64_t> grace_before(const State& state, const SlotGroup& group, size_t member) {
  if (group.resource_group == kNoIndex) {
    const ExportPolicy& policy = state.policies[group.policy].config;
    return policy.provider_first ? std::optional(policy.reclaim_grace_ms) : std::nullopt;
  }
  const Plan* plan = plan_in_force(state, state.resource_groups[group.resource_group]);
  if (plan == nullptr || !plan->reclaim_shared) return std::nullopt;
  const PlanConsumer* leaf = leaf_in_force(state, group, member);
  return leaf == nullptr ? std::nullopt : std::optional(leaf->reclaim_grace_ms);
}

}  // namespace

Instant ended_from(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  const uint32_t provider = group.members[kProvider].cluster;
  const std::optional<wire::Horizon>& ahead =
      state.clusters[provider].hosts[group.hosts[row].host].facts.horizon;
  if (!ahead || group.members[member].cluster == provider) return kNever;
  const std::optional<int64_t> grace_ms = grace_before(state, group, member);
  return grace_ms ? Instant{ahead->from_ms - *grace_ms - state.config.leeway_ms} : kNever;
}

bool is_barred(const Host& host, uint32_t borrower) {
  return std::binary_search(host.barred.begin(), host.barred.end(), borrower);
}

bool any_horizon(const Cluster& provider) {
  return std::any_of(provider.hosts.begin(), provider.hosts.end(),
                     [](const Host& host) { return host.facts.horizon || !host.barred.empty(); });
}

std::vector<Interval> last_windows(const State& state) {
  std::vector<Interval> last(state.policies.size(), {Instant{0}, kNever});
  for (const ResolvedWindows::PolicyWindows& windows : state.windows.policies) {
    const uint32_t policy = find_policy(state, windows.policy);
    if (policy == kNoIndex) continue;
    for (const Interval& open : windows.open) {
      if (open.from > state.now) break;
      const bool known = open.to < state.windows.until;  // else it is resolved further later
      last[policy] = {open.from, known ? open.to : kNever};
    }
  }
  return last;
}

Instant closed_before(const State& state, const SlotGroup& group, size_t member,
                      const Interval& window) {
  const Member& of = group.members[member];
  const bool own = of.cluster == group.members[kProvider].cluster;
  if (window.to == kNever || own || group.phase == Phase::draining) return kNever;
  const std::optional<wire::Ending>& ending = state.clusters[of.cluster].ending;
  if (!ending || !ending->longest_limit_ms) {
    return of.window_ends ? Instant{INT64_MIN} : kNever;
  }
  const int64_t longest_ms = *ending->longest_limit_ms;
  const bool bound = longest_ms != wire::kNoTimeLimit && longest_ms < window.to - window.from;
  return bound ? window.to + -longest_ms : kNever;
}

namespace {

Instant next_closed_before(const State& state) {
  Instant soonest = kNever;
  if (state.windows.policies.empty()) return soonest;
  const std::vector<Interval> windows = last_windows(state);
  for (const SlotGroup& group : state.slot_groups) {
    if (group.phase == Phase::closed || group.policy >= windows.size()) continue;
    for (size_t m = 0; m < group.members.size(); ++m) {
      if (group.members[m].window_ends) continue;
      soonest = std::min(soonest, closed_before(state, group, m, windows[group.policy]));
    }
  }
  return soonest;
}

}  // namespace

Instant next_horizon(const State& state) {
  Instant soonest = next_closed_before(state);
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    if (!state.clusters[c].has_horizons) continue;
    const std::vector<Host>& hosts = state.clusters[c].hosts;
    each_borrower(state, c, [&](const SlotGroup& group, size_t member, uint32_t row) {
      const Host& host = hosts[group.hosts[row].host];
      const uint32_t borrower = group.members[member].cluster;
      const Instant ends = ended_from(state, group, member, row);
      if (!is_barred(host, borrower)) {
        soonest = std::min({soonest, ends, barred_from(host, state.clusters[borrower], borrower)});
      } else if (ends > host.ending_from) {
        soonest = std::min(soonest, ends);
      }
    });
  }
  return soonest;
}

}  // namespace leasehold
