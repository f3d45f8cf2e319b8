#include "tests/demand/proof/plans/site.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/plan/cycle.hpp"
#include "broker/core/plan/grants.hpp"
#include "broker/rules/demand_aware/back_off.hpp"
#include "tests/demand/proof/taker.hpp"

namespace leasehold::demand_aware::proof::plans {

namespace {

std::vector<size_t> members_of(const State& state) {
  const SlotGroup& group = state.slot_groups.front();
  std::vector<size_t> members(state.resource_groups.front().consumers.size(), kNoMember);
  for (size_t m = 0; m < group.members.size(); ++m) {
    if (group.members[m].plan_consumer != kNoIndex) members[group.members[m].plan_consumer] = m;
  }
  return members;
}

wire::DemandBucket bucket_of(const Waiting& waiting) {
  wire::DemandBucket bucket;
  bucket.slots_per_host = waiting.shape.slots_per_host;
  bucket.hosts = waiting.shape.hosts;
  bucket.jobs = waiting.jobs;
  bucket.slots = waiting.jobs * waiting.shape.slots;
  return bucket;
}

bool by_quotas_alone(Reason reason) {
  return reason == Reason::reclaim_quota || reason == Reason::reclaim_share ||
         reason == Reason::reclaim_owned;
}

}  // namespace

Site::Site(const State& base, const std::vector<HostState>& hosts, std::vector<Queue> waiting)
    : state_(base), waiting_(std::move(waiting)), member_(members_of(base)) {
  for (size_t h = 0; h < hosts.size(); ++h) {
    for (size_t leaf = 0; leaf < leaves(); ++leaf) {
      Holding& holding = row(h, leaf);
      holding.due = hosts[h][leaf].idle + hosts[h][leaf].used;
      holding.used = hosts[h][leaf].used;
    }
    fill(h);
  }
  tell();
}

Queue Site::counting(size_t leaf) const {
  Queue counting = waiting_[leaf];
  if (!known(leaf).work) return counting;
  const BackOffs& all = known(leaf).work->grants.back_offs;
  std::erase_if(counting, [&](const Waiting& one) {
    return demand_aware::waits_off(all, kConsumer, one.shape, state_.now);
  });
  return counting;
}

Idle Site::idle(size_t leaf) const {
  Idle idle{};
  for (size_t h = 0; h < hosts(); ++h) idle[h] = row(h, leaf).held - row(h, leaf).used;
  return idle;
}

Idle Site::coming(size_t leaf) const {
  Idle coming{};
  for (size_t h = 0; h < hosts(); ++h) {
    coming[h] = std::max(0, row(h, leaf).due - row(h, leaf).held);
  }
  return coming;
}

Idle Site::free() const {
  Idle free{};
  for (size_t h = 0; h < hosts(); ++h) {
    free[h] = group().hosts[h].exported;
    for (size_t leaf = 0; leaf < leaves(); ++leaf) free[h] -= row(h, leaf).due;
  }
  return free;
}

Idle Site::all_but_used(size_t leaf) const {
  Idle slots{};
  for (size_t h = 0; h < hosts(); ++h) slots[h] = group().hosts[h].exported - row(h, leaf).used;
  return slots;
}

bool Site::in_whole_hosts() const {
  const Plan& plan = state_.config.resource_groups.front().variants.front();
  return plan.placement == Placement::exclusive;
}

int64_t Site::used(size_t leaf) const {
  int64_t used = 0;
  for (size_t h = 0; h < hosts(); ++h) used += row(h, leaf).used;
  return used;
}

int64_t Site::due(size_t leaf) const {
  int64_t due = 0;
  for (size_t h = 0; h < hosts(); ++h) due += row(h, leaf).due;
  return due;
}

void Site::evaluate() {
  effects_ = {};
  Turn turn{state_, effects_, state_.now};
  evaluate_plan_now(turn, 0);
}

Idle Site::to_end_for(size_t leaf) const {
  std::vector<Idle> idle_left(leaves());
  for (size_t other = 0; other < leaves(); ++other) idle_left[other] = idle(other);
  Idle ended{};
  for (const Transfer& transfer : group().transfers) {
    if (transfer.lowering != wire::Lowering::reclaim) continue;
    const auto from = static_cast<size_t>(std::find(member_.begin(), member_.end(), transfer.from) -
                                          member_.begin());
    for (const auto& [host, slots] : transfer.wanted) {
      const int32_t idle = std::min(slots, idle_left[from][host]);
      idle_left[from][host] -= idle;
      if (transfer.to == member_[leaf] && by_quotas_alone(transfer.reason)) {
        ended[host] += slots - idle;
      }
    }
  }
  return ended;
}

int64_t Site::to_shrink() const {
  int64_t slots = 0;
  for (size_t leaf = 0; leaf < leaves(); ++leaf) {
    for (size_t h = 0; h < hosts(); ++h) {
      slots += std::max(0, row(h, leaf).used - row(h, leaf).due - reclaimed(h, leaf));
    }
  }
  return slots;
}

int32_t Site::reclaimed(size_t host, size_t leaf) const {
  int32_t slots = 0;
  group().transfers.each_from(member_[leaf], [&](const Transfer& transfer) {
    if (transfer.lowering != wire::Lowering::reclaim) return;
    for (const auto& [row, wanted] : transfer.wanted) slots += row == host ? wanted : 0;
  });
  return slots;
}

/// Returns the slots of work that ended.
int32_t Site::lose(size_t host, size_t leaf) {
  const int32_t reclaimed = this->reclaimed(host, leaf);
  Holding& holding = row(host, leaf);
  const int32_t above = std::max(0, holding.held - holding.due);
  const int32_t idle = std::min(above, holding.held - holding.used);
  const int32_t ended = std::min(above - idle, std::max(0, reclaimed - idle));
  holding.held -= idle + ended;
  holding.used -= ended;
  return ended;
}

/// Gives members what they are due, out of what nobody holds.
void Site::fill(size_t host) {
  HostLedger& ledger = state_.slot_groups.front().hosts[host];
  int32_t left = ledger.exported;
  for (size_t leaf = 0; leaf < leaves(); ++leaf) left -= row(host, leaf).held;
  for (size_t leaf = 0; leaf < leaves(); ++leaf) {
    Holding& holding = row(host, leaf);
    const int32_t more = std::clamp(holding.due - holding.held, 0, left);
    holding.held += more;
    left -= more;
    holding.ordered = holding.stated = holding.held;
    holding.confirmed = true;
  }
  ledger.unallocated = left;
}

void Site::carry_out() {
  for (size_t leaf = 0; leaf < leaves(); ++leaf) {
    int32_t ended = 0;
    for (size_t h = 0; h < hosts(); ++h) ended += lose(h, leaf);
    if (ended == 0) continue;
    Queue& queue = waiting_[leaf];
    const auto single = std::find_if(queue.begin(), queue.end(),
                                     [](const Waiting& one) { return one.shape == Shape{}; });
    if (single != queue.end()) {
      single->jobs += ended;
    } else {
      queue.push_back({{}, ended, 0, {}});
    }
  }
  for (size_t h = 0; h < hosts(); ++h) fill(h);
  state_.slot_groups.front().transfers.clear();
  state_.deadlines.clear();
  tell();
}

int64_t Site::start_work() {
  int64_t started = 0;
  for (size_t leaf = 0; leaf < leaves(); ++leaf) {
    for (Waiting& waiting : waiting_[leaf]) {
      while (waiting.jobs > 0) {
        Idle idle = this->idle(leaf);
        const Idle before = idle;
        if (!place(waiting.shape, idle)) break;
        for (size_t h = 0; h < hosts(); ++h) row(h, leaf).used += before[h] - idle[h];
        --waiting.jobs;
        started += waiting.shape.slots;
      }
    }
    std::erase_if(waiting_[leaf], [](const Waiting& one) { return one.jobs == 0; });
  }
  tell();
  return started;
}

void Site::note_use() {
  Turn turn{state_, effects_, state_.now};
  for (const size_t member : member_) note_plan_use(turn, 0, member);
}

int64_t Site::just_given(size_t leaf) const {
  if (!known(leaf).work) return 0;
  const Grant& grant = known(leaf).work->grants.grant;
  return grant.to != kNobody && grant.at == state_.now ? grant.slots : 0;
}

int64_t Site::granted_before(size_t leaf, Instant last) const {
  if (!known(leaf).work) return 0;
  const Ledger& grants = known(leaf).work->grants;
  int64_t slots = grants.grant.to != kNobody && grants.grant.at <= last ? grants.grant.unused : 0;
  for (const Grant& one : grants.earlier) slots += one.at <= last ? one.unused : 0;
  return slots;
}

int64_t Site::reserved(size_t leaf) const {
  const Plan& plan = state_.config.resource_groups.front().variants.front();
  return plan.consumers[leaf].reserved.value_or(0);
}

bool Site::waits_off() const {
  for (size_t leaf = 0; leaf < leaves(); ++leaf) {
    if (!known(leaf).work) continue;
    for (const BackOff& one : known(leaf).work->grants.back_offs) {
      if (one.until > state_.now) return true;
    }
  }
  return false;
}

bool Site::remembers() const {
  for (size_t leaf = 0; leaf < leaves(); ++leaf) {
    if (!known(leaf).work) continue;
    const Ledger& grants = known(leaf).work->grants;
    if (grants.grant.to != kNobody || !grants.earlier.empty()) return true;
  }
  return waits_off();
}

void Site::tell() {
  for (size_t leaf = 0; leaf < leaves(); ++leaf) {
    Cluster& cluster = state_.clusters[group().members[member_[leaf]].cluster];
    cluster.demand.emplace();
    cluster.pending = 0;
    for (const Waiting& one : waiting_[leaf]) {
      cluster.demand->push_back(bucket_of(one));
      cluster.pending += cluster.demand->back().slots;
    }
  }
}

}  // namespace leasehold::demand_aware::proof::plans
