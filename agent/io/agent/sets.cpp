// The part of Agent that keeps sets of hosts of which it chooses itself what it gives back
// (reclaim/sets.hpp).
#include <algorithm>

#include "agent/io/agent/agent.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

/// A group of the order's sets has an order as late, or is not known.
bool Agent::comes_late(const wire::Order& order) const {
  for (const wire::ReclaimSet& set : order.sets) {
    for (const wire::SetHost& host : set.hosts) {
      const LeasedGroup* group = book_.find(host.generation);
      const auto begun = pending_.find(host.generation);
      if (group == nullptr || group->limits.seq >= order.seq) return true;
      if (begun != pending_.end() && begun->second.order.seq >= order.seq) return true;
    }
  }
  return false;
}

/// They are on disk before anything of their order is done. False: the order is not applied.
bool Agent::take_sets(const wire::Order& order) {
  if (order.sets.empty() || !session_.is_current(order.session)) return true;
  if (const Status good = check_sets(order); !good) {
    log_error("order-not-applied", {{"why", describe(good.error())}});
    return false;
  }
  if (comes_late(order)) return true;
  const ReclaimSets before = sets_;
  sets_.take(order);
  if (const Status saved = state_.save_sets(sets_.all()); !saved) {
    sets_ = before;
    log_error("state-not-written", {{"error", describe(saved.error())}});
    return false;
  }
  return true;
}

/// Those that are over are forgotten; on disk too, when the next ones are kept there.
void Agent::mind_sets() {
  std::map<uint64_t, uint64_t> begun;
  for (const auto& [generation, pending] : pending_) begun.emplace(generation, pending.order.seq);
  sets_.drop_ended(book_, begun);
  sets_.withhold(book_);
}

/// What is in use on their hosts counts once their fences have settled.
void Agent::await_set_fences(int64_t now_ms) {
  for (const LeasedGroup& group : book_.groups()) {
    for (size_t i = 0; i < group.places.size(); ++i) {
      if (group.limits.hosts[i].withheld == 0) continue;
      const int64_t settled_ms = fences_.settled_ms(group.places[i], now_ms);
      if (settled_ms > now_ms) reclaim_due_ms_ = std::min(reclaim_due_ms_, settled_ms);
    }
  }
}

void Agent::lower_sets(std::map<uint64_t, GroupLimits>& before) {
  if (sets_.all().empty()) return;
  UseByGeneration used;
  std::map<uint64_t, GroupLimits> limits;
  for (size_t i = 0; i < book_.groups().size(); ++i) {
    const GroupLimits& group = book_.groups()[i].limits;
    used.emplace(group.generation, fenced_use(i));
    limits.emplace(group.generation, group);
  }
  for (const uint64_t generation : sets_.lower(book_, used))
    before.emplace(generation, std::move(limits.at(generation)));
}

/// True: a host was chosen; what is needed is to be counted anew.
bool Agent::give_up_whole_hosts(const WorkList& work) {
  const std::vector<ChosenHost> hosts =
      whole_hosts_for(book_, use_, sets_, work.units, work_sessions_, settings_.scheduling,
                      reclaims_.told(work.units), work.now);
  bool chosen = false;
  for (const ChosenHost& chosen_host : hosts) {
    LeasedGroup& group = *book_.find(chosen_host.host.generation);
    const GroupLimits before = group.limits;
    ReclaimSets::give_up(book_, chosen_host);
    if (persist(group))
      chosen = true;
    else
      group.limits = before;
  }
  if (chosen) enforce_wanted();
  return chosen;
}

}  // namespace leasehold::agent
