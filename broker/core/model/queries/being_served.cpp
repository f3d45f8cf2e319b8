#include "broker/core/model/queries/being_served.hpp"

#include <algorithm>
#include <span>

#include "broker/core/model/queries/owner_jobs.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/rules/demand_aware/grants.hpp"
#include "common/prefetch.hpp"

namespace leasehold {

using demand_aware::Grant;
using demand_aware::kNobody;
using demand_aware::Shape;

demand_aware::Settings demand_settings(const State& state, const SlotGroup& lease) {
  const ExportPolicy& policy = state.policies[lease.policy].config;
  demand_aware::Settings settings;
  settings.delay_ms = state.grids[lease.grid].delay_ms;
  settings.min_hold_ms = policy.min_hold_ms.value_or(kDemandMinHoldMs);
  settings.use_by_ms = policy.use_by_ms.value_or(kDemandUseByMs);
  settings.provider_first = policy.provider_first;
  return settings;
}

demand_aware::Settings grant_settings(const State& state, const ResourceGroupLedger& ledger) {
  const ResourceGroup& group = *resource_group(state, ledger.name);
  const Plan* plan = plan_in_force(state, ledger);
  const int64_t use_by_ms = group.use_by_ms.value_or(kDemandUseByMs);
  demand_aware::Settings settings;
  settings.delay_ms = std::max(group.cycle_ms, use_by_ms);
  settings.use_by_ms = std::max(use_by_ms, plan == nullptr ? 0 : plan->min_hold_ms);
  return settings;
}

namespace {

/// Slots that the consumer's work has to leave come within its grace.
Instant end_of_last(const State& state, const SlotGroup& lease) {
  const Instant end = use_by(demand_settings(state, lease), *lease.demand);
  if (lease.demand->grant.to != kProvider || state.now < end) return end;
  const bool coming =
      std::any_of(lease.transfers.begin(), lease.transfers.end(), [](const Transfer& open) {
        return open.to == kProvider && open.lowering == wire::Lowering::reclaim;
      });
  return coming ? end + state.policies[lease.policy].config.reclaim_grace_ms : end;
}

/// Calls see(grant, end) for each grant of the lease to the member whose time is not over.
template <class See>
void each_open_grant(const State& state, const SlotGroup& lease, uint8_t member, const See& see) {
  if (!lease.demand || lease.demand->in_vain.failed[member]) return;
  const demand_aware::Ledger& known = *lease.demand;
  const demand_aware::Settings settings = demand_settings(state, lease);
  const auto see_open = [&](const Grant& grant, Instant end) {
    if (grant.unused > 0 && state.now < end) see(grant, end);
  };
  if (member == kConsumer) {
    for (const Grant& one : known.earlier) see_open(one, use_by(settings, one));
  }
  if (known.grant.to == member) see_open(known.grant, end_of_last(state, lease));
}

/// Takes jobs out of a cluster's waiting work.
class Serving {
 public:
  Serving(const State& state, uint32_t cluster, const SlotGroup& but)
      : state_(state), index_(cluster), cluster_(state.clusters[cluster]), but_(but) {}

  BeingServed find() {
    const bool waits = cluster_.demand ? !cluster_.demand->empty() : cluster_.pending > 0;
    if (!waits) return {};
    const std::span<const uint32_t> groups =
        std::span(cluster_.slot_groups)
            .first(std::min(cluster_.slot_groups.size(), kOtherGroupsMost + 1));
    for (const uint32_t g : groups) {  // they lie far apart
      if (g < state_.summaries.size()) prefetch(&state_.summaries[g]);
    }
    for (const uint32_t g : groups) {
      const LeaseSummary* summary = fresh_summary(state_, g);
      const bool lease = summary != nullptr && summary->consumer != kNoIndex;
      if (!lease || summary->granted) look_at(g);
    }
    return std::move(served_);
  }

 private:
  void look_at(uint32_t g) {
    const SlotGroup& group = state_.slot_groups[g];
    if (&group == &but_ || group.phase == Phase::closed) return;
    if (group.resource_group != kNoIndex) return look_at_plan(group);
    const uint32_t member = member_of(group, index_);
    if (member == kNoIndex) return;
    each_open_grant(state_, group, static_cast<uint8_t>(member),
                    [&](const Grant& grant, Instant end) {
                      serve({&g, 1}, grant, end);
                    });
  }

  /// A plan is looked at once, by the first of its slot groups in which the cluster is a leaf.
  void look_at_plan(const SlotGroup& group) {
    const ResourceGroupLedger& ledger = state_.resource_groups[group.resource_group];
    if (group.resource_group == but_.resource_group || group.phase == Phase::draining) return;
    if (resource_group(state_, ledger.name) == nullptr) return;
    const uint32_t member = member_of(group, index_);
    const uint32_t leaf = member == kNoIndex ? kNoIndex : group.members[member].plan_consumer;
    const bool seen = std::count(plans_.begin(), plans_.end(), group.resource_group) > 0;
    if (leaf == kNoIndex || seen) return;
    plans_.push_back(group.resource_group);
    if (!ledger.consumers[leaf].work) return;
    const int64_t use_by_ms = grant_settings(state_, ledger).use_by_ms;
    const demand_aware::Ledger& known = ledger.consumers[leaf].work->grants;
    // Nobody knows yet whether gathered slots will come: their work is demand elsewhere as ever.
    const auto see_open = [&](const Grant& grant) {
      const Instant end = grant.at + use_by_ms;
      const bool open = grant.unused > 0 && state_.now < end && !is_gathered(known, grant.shapes);
      if (open) serve(ledger.slot_groups, grant, end);
    };
    for (const Grant& one : known.earlier) see_open(one);
    if (known.grant.to != kNobody) see_open(known.grant);
  }

  void serve(std::span<const uint32_t> groups, const Grant& grant, Instant end) {
    if (left_.empty()) read_work();
    int64_t slots = grant.unused;
    for (const Shape& shape : grant.shapes) {
      if (slots <= 0) return;
      const int64_t each = slots_of_job(groups, shape);
      const int64_t jobs = take(groups, shape, std::max<int64_t>(1, slots / each));
      slots -= jobs * each;
      if (jobs > 0) served_.until = std::min(served_.until, end);
    }
  }

  void read_work() {
    if (!cluster_.demand) {
      shapes_.emplace_back();
      left_.push_back(cluster_.pending);
    } else {
      for (const wire::DemandBucket& bucket : *cluster_.demand) {
        shapes_.push_back(waiting_of_bucket(state_.now, bucket).shape);
        left_.push_back(bucket.jobs);
      }
    }
    served_.jobs.assign(left_.size(), 0);
  }

  /// A job that takes hosts whole may have the largest ones.
  int64_t slots_of_job(std::span<const uint32_t> groups, const Shape& shape) const {
    if (!shape.whole) return shape.slots;
    int64_t largest = 0;
    for (const uint32_t g : groups) {
      for (const HostLedger& host : state_.slot_groups[g].hosts) {
        largest = std::max<int64_t>(largest, host.exported);
      }
    }
    return std::max(shape.slots, shape.hosts * largest);
  }

  bool could_start(std::span<const uint32_t> groups, size_t bucket) const {
    if (!cluster_.demand || (*cluster_.demand)[bucket].host_types.empty()) return true;
    return std::any_of(groups.begin(), groups.end(), [&](uint32_t g) {
      return waiting_in_group(state_, state_.slot_groups[g], (*cluster_.demand)[bucket]);
    });
  }

  int64_t take(std::span<const uint32_t> groups, const Shape& shape, int64_t most) {
    int64_t taken = 0;
    for (size_t b = 0; b < left_.size() && taken < most; ++b) {
      if (shapes_[b] != shape || left_[b] <= 0 || !could_start(groups, b)) continue;
      const int64_t jobs = std::min(left_[b], most - taken);
      left_[b] -= jobs;
      served_.jobs[b] += jobs;
      taken += jobs;
    }
    return taken;
  }

  const State& state_;
  const uint32_t index_;
  const Cluster& cluster_;
  const SlotGroup& but_;
  std::vector<uint32_t> plans_;  // looked at
  std::vector<Shape> shapes_;    // by bucket, once something is open
  std::vector<int64_t> left_;    // by bucket: jobs that nobody serves
  BeingServed served_;
};

}  // namespace

BeingServed being_served(const State& state, uint32_t cluster, const SlotGroup& but) {
  return Serving(state, cluster, but).find();
}

int64_t slots_for_served(const State& state, const SlotGroup& lease, uint8_t member) {
  int64_t slots = 0;
  each_open_grant(state, lease, member,
                  [&slots](const Grant& grant, Instant) { slots += grant.unused; });
  return slots;
}

}  // namespace leasehold
