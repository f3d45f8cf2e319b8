#include "broker/core/plan/by_work.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/model/queries/being_served.hpp"
#include "broker/core/model/queries/owner_jobs.hpp"
#include "broker/rules/demand_aware/back_off.hpp"
#include "broker/rules/plan/demand/leaf_demand.hpp"

namespace leasehold {

namespace {

class ByWork {
 public:
  ByWork(const State& state, PlanSnapshot& snapshot)
      : state_(state),
        snapshot_(snapshot),
        whole_(snapshot.in_slots.has_value()),
        hosts_(whole_ ? snapshot.in_slots->hosts : snapshot.hosts),
        slots_(whole_ ? snapshot.in_slots->state : snapshot.state) {}

  void go(std::span<const ShapedLeaf> shaped) {
    for (const LeafState& leaf : slots_.leaves) {
      snapshot_.wants.push_back(leaf.connected ? leaf.demand : leaf.allocated);
    }
    std::vector<LeafWork> works;
    for (const ShapedLeaf& leaf : shaped) works.push_back(work_of(leaf));
    LeafDemands found =
        leaf_demands({*snapshot_.plan, snapshot_.compiled, snapshot_.state,
                      *snapshot_.ready->compiled, whole_, hosts_, snapshot_.select(), works});
    for (const LeafDemand& leaf : found.leaves) take(leaf);
    for (const WantedSlots& wanted : found.wanted) take(wanted);
    snapshot_.returning = std::move(found.returning);
  }

 private:
  /// A shape that left what it was given unused is no demand while it waits off, nor are jobs for
  /// which the cluster has slots elsewhere.
  LeafWork work_of(const ShapedLeaf& shaped) {
    LeafWork work;
    work.consumer = shaped.consumer;
    work.slots_in_use = shaped.used;
    work.slots_allocated = slots_.leaves[shaped.consumer].allocated;
    work.in_use = whole_ ? hosts_in_use(shaped.consumer) : shaped.used;
    bool off = false;
    const BeingServed served = served_elsewhere(shaped.cluster);
    const wire::Demand& demand = *state_.clusters[shaped.cluster].demand;
    for (size_t b = 0; b < demand.size(); ++b) {
      const wire::DemandBucket& bucket = demand[b];
      demand_aware::Waiting waiting = waiting_of_bucket(state_.now, bucket);
      if (shaped.grants != nullptr &&
          demand_aware::waits_off(*shaped.grants, demand_aware::kConsumer, waiting.shape,
                                  state_.now)) {
        off = true;
        continue;
      }
      waiting.jobs -= served.jobs_of(b);
      if (waiting.jobs <= 0) continue;
      // Work of which no host has the type waits, too: its leaf is a misfit.
      set_rows(waiting, bucket.host_types, hosts_.size(),
               [this](uint32_t h) -> const std::string& { return hosts_[h].facts.type; });
      work.waiting.push_back(std::move(waiting));
    }
    if (off) snapshot_.wait_off.push_back(shaped.consumer);
    return work;
  }

  BeingServed served_elsewhere(uint32_t cluster) {
    if (snapshot_.rows.empty()) return {};
    BeingServed served =
        being_served(state_, cluster, state_.slot_groups[snapshot_.rows.front().group]);
    snapshot_.served_until = std::min(snapshot_.served_until, served.until);
    return served;
  }

  int64_t hosts_in_use(uint32_t consumer) const {
    int64_t hosts = 0;
    for (const PlanHost& host : hosts_) {
      for (const HostHolding& held : host.held) {
        hosts += held.consumer == consumer && held.used > 0 ? 1 : 0;
      }
    }
    for (const HostHolding& held : snapshot_.without_contact) {
      hosts += held.consumer == consumer ? 1 : 0;
    }
    return hosts;
  }

  void take(const LeafDemand& leaf) {
    snapshot_.state.leaves[leaf.consumer].demand = leaf.demand;
    if (whole_) slots_.leaves[leaf.consumer].demand = leaf.slots;
    if (leaf.misfit) snapshot_.misfits.push_back(leaf.consumer);
    if (leaf.stuck) snapshot_.stuck.push_back(leaf.consumer);
    for (const demand_aware::RowSlots& own : leaf.own) need(leaf.consumer, own);
    if (leaf.granted == 0) return;
    snapshot_.grants.push_back({leaf.consumer, leaf.granted, leaf.shapes, leaf.beside});
  }

  void need(uint32_t consumer, const demand_aware::RowSlots& own) {
    for (HostHolding& held : snapshot_.hosts[own.row].held) {
      if (held.consumer != consumer) continue;
      const int64_t idle = std::max<int64_t>(0, held.slots - held.used);
      held.needed = whole_ ? idle : std::min(idle, held.needed + own.slots);
    }
  }

  /// The leaf wants all of a host that comes whole.
  void take(const WantedSlots& wanted) {
    const int64_t slots = whole_ ? 1 : wanted.slots;
    snapshot_.hosts[wanted.host].wanted.push_back({wanted.consumer, wanted.from, slots});
    if (!whole_) return;
    LeafState& leaf = slots_.leaves[wanted.consumer];
    const int64_t due = std::max(leaf.demand, leaf.allocated);
    leaf.demand = std::min(kMostSlots, due + hosts_[wanted.host].slots);
  }

  const State& state_;
  PlanSnapshot& snapshot_;
  const bool whole_;
  const std::vector<PlanHost>& hosts_;  // in slots
  PlanState& slots_;                    // in slots
};

}  // namespace

bool goes_by_work(size_t leaves, size_t hosts) {
  constexpr size_t kLeavesTimesHostsMost = 20'000;
  return leaves > 0 && hosts <= kLeavesTimesHostsMost / leaves;
}

void go_by_work(const State& state, std::span<const ShapedLeaf> shaped, PlanSnapshot& snapshot) {
  ByWork(state, snapshot).go(shaped);
}

}  // namespace leasehold
