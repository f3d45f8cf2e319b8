// Series of export policies: slots by holder, leases by phase and reason, transfers.
#include <map>

#include "broker/metrics/parts.hpp"
#include "broker/views/attention/overdue.hpp"
#include "broker/views/leases/lease_facts.hpp"
#include "broker/views/views.hpp"

namespace leasehold::metrics {

namespace {

/// The slots of one cluster under one policy on one side.
struct Held {
  int64_t used = 0;
  int64_t idle = 0;
  int64_t down = 0;
};

/// The sums of one policy over its slot groups. They are made before any names are looked up,
/// because there may be 100,000 groups.
struct Sums {
  std::map<std::pair<uint32_t, bool>, Held> held;  // by cluster; true: as provider
  int64_t exported = 0;
  int64_t in_transfer = 0;
  int64_t unallocated = 0;
  std::map<Phase, int64_t> phases;
  std::map<Reason, int64_t> reasons;
  int64_t quarantined = 0;
  int64_t in_breach = 0;
  std::map<TransferStep, int64_t> transfers;
  int64_t oldest_ms = 0;
  int64_t overdue = 0;
  int64_t overdue_slots = 0;
  Instant last_flip{INT64_MIN};
};

void add_rows(const SlotGroup& group, Sums& sums) {
  for (size_t row = 0; row < group.hosts.size(); ++row) {
    sums.exported += group.hosts[row].exported;
    sums.in_transfer += group.hosts[row].in_transfer;
    sums.unallocated += group.hosts[row].unallocated;
  }
  for (size_t m = 0; m < group.members.size(); ++m) {
    Held& held = sums.held[{group.members[m].cluster, m == kProvider}];
    for (size_t row = 0; row < group.hosts.size(); ++row) {
      const Holding& holding = group.at(row, m);
      const int32_t used = std::min(holding.used, holding.held);
      if (holding.up) {
        held.used += used;
        held.idle += holding.held - used;
      } else {
        held.down += holding.held;
      }
    }
  }
}

void add_transfers(const MetricsInput& input, const SlotGroup& group, Sums& sums) {
  const bool rests = input.state.frozen || group.quarantined;
  for (const Transfer& transfer : group.transfers) {
    ++sums.transfers[transfer.step];
    if (transfer.lowering != wire::Lowering::shrink) {
      sums.oldest_ms = std::max(sums.oldest_ms, now_of(input) - transfer.since);
    }
    const int64_t slots =
        rests ? 0 : attention::overdue_slots(input.state, group, transfer, now_of(input));
    sums.overdue += slots > 0 ? 1 : 0;
    sums.overdue_slots += slots;
  }
}

std::vector<Sums> sums_of(const MetricsInput& input) {
  const LeaseFacts facts(input.state);
  std::vector<Sums> all(input.state.policies.size());
  for (uint32_t g = 0; g < input.state.slot_groups.size(); ++g) {
    const SlotGroup& group = input.state.slot_groups[g];
    if (group.policy == kNoIndex) continue;
    Sums& sums = all[group.policy];
    sums.last_flip = std::max(sums.last_flip, group.last_flip);
    if (group.phase == Phase::closed) continue;
    for (const LeaseRef& lease : leases_of(input.state, g)) {
      ++sums.phases[group.phase];
      ++sums.reasons[facts.reason(lease)];
    }
    sums.quarantined += group.quarantined ? 1 : 0;
    sums.in_breach += group.breach ? 1 : 0;
    add_rows(group, sums);
    add_transfers(input, group, sums);
  }
  return all;
}

class PolicySamples {
 public:
  PolicySamples(const State& state, const PolicyState& policy, Samples& samples)
      : state_(state), policy_(policy.config.name), samples_(samples) {
    if (!policy.configured) return;
    const uint32_t plan = plan_of(policy);
    samples.add(
        Metric::policy_info, 1,
        {policy_, policy.config.provider, plan == kNoIndex ? "" : state.resource_groups[plan].name,
         plan == kNoIndex ? token(policy.config.rule) : "plan"});
  }

  void slots(const Sums& sums) {
    for (const auto& [whose, held] : sums.held) {
      const std::string& cluster = state_.clusters[whose.first].name;
      const char* side = whose.second ? "provider" : "consumer";
      add(Metric::slots, held.used, {cluster, policy_, side, "used"});
      add(Metric::slots, held.idle, {cluster, policy_, side, "idle"});
      add(Metric::slots, held.down, {cluster, policy_, side, "down"});
    }
    add(Metric::policy_exported, sums.exported, {policy_});
    add(Metric::policy_in_transfer, sums.in_transfer, {policy_});
    add(Metric::policy_unallocated, sums.unallocated, {policy_});
  }

  void leases(const Sums& sums) {
    for (const auto& [phase, count] : sums.phases) {
      add(Metric::leases, count, {policy_, token(phase)});
    }
    for (const auto& [reason, count] : sums.reasons) {
      add(Metric::leases_by_reason, count, {policy_, std::string(token(reason))});
    }
    add(Metric::leases_quarantined, sums.quarantined, {policy_});
    add(Metric::leases_in_breach, sums.in_breach, {policy_});
    if (sums.last_flip.ms > 0) {
      samples_.at_least(Metric::policy_last_flip, in_seconds(sums.last_flip.ms), {policy_});
    }
  }

  void transfers(const Sums& sums) {
    for (const auto& row : kTokensOf<TransferStep>) {
      const auto found = sums.transfers.find(row.value);
      add(Metric::transfers, found == sums.transfers.end() ? 0 : found->second,
          {policy_, row.token});
    }
    samples_.at_least(Metric::transfer_oldest_age, in_seconds(sums.oldest_ms), {policy_});
    add(Metric::reclaims_overdue, sums.overdue, {policy_});
    add(Metric::reclaim_overdue_slots, sums.overdue_slots, {policy_});
  }

 private:
  void add(Metric metric, int64_t value, const Labels& labels) {
    samples_.add(metric, static_cast<double>(value), labels);
  }
  uint32_t plan_of(const PolicyState& policy) const {
    for (const ResourceGroup& group : state_.config.resource_groups) {
      const auto& names = group.policies;
      if (std::find(names.begin(), names.end(), policy.config.name) != names.end()) {
        return find_resource_group(state_, group.name);
      }
    }
    return kNoIndex;
  }

  const State& state_;
  const std::string& policy_;
  Samples& samples_;
};

}  // namespace

/// A policy that is gone keeps its series while slots of it are still out.
void add_policies(const MetricsInput& input, Samples& samples) {
  const std::vector<Sums> all = sums_of(input);
  for (size_t p = 0; p < all.size(); ++p) {
    const PolicyState& policy = input.state.policies[p];
    if (!policy.configured && all[p].phases.empty()) continue;
    PolicySamples policy_samples(input.state, policy, samples);
    policy_samples.slots(all[p]);
    policy_samples.leases(all[p]);
    policy_samples.transfers(all[p]);
  }
}

}  // namespace leasehold::metrics
