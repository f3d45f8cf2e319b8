#include "broker/views/forecast/leaf_hosts.hpp"

#include <algorithm>
#include <utility>

#include "broker/rules/demand_aware/back_off.hpp"
#include "broker/rules/plan/demand/leaf_demand.hpp"
#include "broker/rules/plan/hosts/place.hpp"

namespace leasehold::forecasting {

LeafHosts::LeafHosts(const LeafCourseInput& input) : input_(input) {
  if (!input.by_host) return;
  hosts_ = input.snapshot.hosts;
  for (PlanHost& host : hosts_) {
    host.busy = 0;
    host.wanted.clear();
  }
}

std::vector<HostSlots> LeafHosts::held_by(uint32_t consumer) const {
  const int64_t allocated = input_.slots.leaves[consumer].allocated;
  if (hosts_.empty()) return {{.held = allocated, .used = input_.used[consumer], .known = false}};
  std::vector<HostSlots> slots;
  HostSlots elsewhere{.held = allocated, .known = false};
  for (const PlanHost& host : hosts_) {
    HostSlots& here = slots.emplace_back();
    here.type = host.facts.type;
    here.size = host.slots >= host.facts.slots ? host.slots : 0;
    for (const HostHolding& held : host.held) {
      if (held.consumer != consumer) continue;
      here.held = held.slots;
      here.used = std::min(held.used, held.slots);
    }
    elsewhere.held -= here.held;
  }
  for (const HostHolding& held : input_.snapshot.without_contact) {
    if (held.consumer == consumer) elsewhere.used += held.used;
  }
  elsewhere.used = std::min(elsewhere.used, elsewhere.held);
  slots.push_back(elsewhere);
  return slots;
}

int64_t LeafHosts::due(uint32_t consumer, uint32_t host) const {
  if (host >= hosts_.size()) return kMostSlots;
  for (const HostHolding& held : hosts_[host].held) {
    if (held.consumer == consumer) return held.slots;
  }
  return 0;
}

void LeafHosts::add_due(uint32_t consumer, const OnHost& slots) {
  if (slots.host >= hosts_.size()) return;
  for (HostHolding& held : hosts_[slots.host].held) {
    if (held.consumer != consumer) continue;
    held.slots += slots.slots;
    held.used = std::min(held.used, held.slots);
    return;
  }
  hosts_[slots.host].held.push_back({consumer, slots.slots, 0});
}

int64_t LeafHosts::next_close() const {
  return closed_ < input_.closes.size() ? input_.closes[closed_].at_ms : kNotAtAll;
}

std::span<const HostCloses> LeafHosts::close(int64_t now_ms) {
  for (; next_close() <= now_ms; ++closed_) {
    const HostCloses& closes = input_.closes[closed_];
    if (closes.consumer == kNoIndex) continue;
    std::vector<uint32_t>& barred = hosts_[closes.host].barred;
    const bool known = std::find(barred.begin(), barred.end(), closes.consumer) != barred.end();
    if (!known) barred.push_back(closes.consumer);
  }
  return std::span(input_.closes).first(closed_);
}

int64_t LeafHosts::drop_free(uint32_t host) {
  int64_t due = 0;
  for (const HostHolding& held : hosts_[host].held) due += held.slots;
  const int64_t free = std::max<int64_t>(0, hosts_[host].slots - due);
  hosts_[host].slots -= free;
  return free;
}

void LeafHosts::note_use(const std::vector<Work>& works) {
  for (uint32_t h = 0; h < hosts_.size(); ++h) {
    PlanHost& host = hosts_[h];
    host.wanted.clear();
    host.busy = 0;
    for (const Work& work : works) host.busy += work.leased()[h].used;
    for (HostHolding& held : host.held) {
      held.used = std::min(held.slots, works[held.consumer].leased()[h].used);
      host.busy -= held.used;
    }
  }
}

LeafWork LeafHosts::work_of(uint32_t consumer, const Work& work, const LeafAsks& asks,
                            int64_t now_ms, const PlanState& state) const {
  LeafWork out;
  out.consumer = consumer;
  out.in_use = out.slots_in_use = work.used();
  out.slots_allocated = state.leaves[consumer].allocated;
  out.waiting = work.waiting_at(now_ms);
  const PlanConsumerLedger& known = input_.ledger.consumers[input_.snapshot.ledger[consumer]];
  if (known.work) {
    std::erase_if(out.waiting, [&](const demand_aware::Waiting& one) {
      return demand_aware::waits_off(known.work->grants, demand_aware::kConsumer, one.shape,
                                     input_.now + now_ms);
    });
  }
  if (consumer != asks.consumer) return out;
  out.waiting.push_back(asks.job);
  if (goes_anywhere(asks.job)) {  // they may come one by one
    out.waiting.back().jobs = asks.job.shape.slots;
    out.waiting.back().shape.slots = 1;
  }
  return out;
}

std::span<const Selection> LeafHosts::select(const PlanThen& then) const {
  if (then.plan != input_.snapshot.plan) return {};
  return input_.snapshot.select();
}

void LeafHosts::count_demand(const PlanThen& then, const std::vector<Work>& works,
                             const LeafAsks& asks, int64_t now_ms, PlanState& state) {
  if (hosts_.empty()) return;
  note_use(works);
  std::vector<LeafWork> all;
  for (const uint32_t c : input_.shaped) all.push_back(work_of(c, works[c], asks, now_ms, state));
  if (all.empty()) return;
  const LeafDemands found = leaf_demands(
      {*then.plan, then.compiled, state, *then.compiled, false, hosts_, select(then), all});
  for (const LeafDemand& leaf : found.leaves) state.leaves[leaf.consumer].demand = leaf.demand;
  for (const WantedSlots& wanted : found.wanted) {
    hosts_[wanted.host].wanted.push_back({wanted.consumer, wanted.from, wanted.slots});
  }
}

std::vector<LeafMove> LeafHosts::place(const PlanThen& then, const PlanAnswer& answer) {
  std::vector<LeafMove> moves;
  if (hosts_.empty()) {
    for (const PlanMove& move : answer.moves) {
      moves.push_back({move.from, move.to, {0, move.slots}, move.grace_ms});
    }
    return moves;
  }
  PlacedMoves placed = place_moves(*then.plan, *then.compiled, answer, hosts_, select(then));
  hosts_ = std::move(placed.hosts);
  for (const PlacedMove& move : placed.moves) {
    LeafMove& made = moves.emplace_back(move.from, move.to, OnHost{move.host, move.slots});
    if (move.from == kNoIndex) continue;
    made.grace_ms = then.plan->consumers[move.from].reclaim_grace_ms;
    for (const PlanMove& planned : answer.moves) {
      if (planned.from == move.from && planned.to == move.to) made.grace_ms = planned.grace_ms;
    }
  }
  return moves;
}

}  // namespace leasehold::forecasting
