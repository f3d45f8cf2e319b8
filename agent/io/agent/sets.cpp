// The part of Agent that gives slots back while work uses them: it keeps sets of hosts of which it
// chooses itself what it gives back (reclaim/sets.hpp), and has work end.
#include <algorithm>

#include "agent/core/reclaim/choice.hpp"
#include "agent/core/reclaim/deserved.hpp"
#include "agent/io/agent/agent.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kRetryMs = 1'000;  // before a call that failed is tried again

}  // namespace

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

/// Plans a look for when the fences of hosts with withheld slots take effect: what is in use there
/// counts from then on.
void Agent::await_set_fences(int64_t now_ms) {
  for (const LeasedGroup& group : book_.groups()) {
    for (size_t i = 0; i < group.places.size(); ++i) {
      if (group.limits.hosts[i].withheld == 0) continue;
      const int64_t settled_ms = fences_.settled_ms(group.places[i], now_ms);
      if (settled_ms > now_ms) reclaims_.look_by(settled_ms);
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

/// Returns true if a host was chosen; the needs have to be counted again then.
bool Agent::give_up_whole_hosts(const WorkList& work) {
  const std::vector<ChosenHost> hosts =
      whole_hosts_for(book_, use_, sets_, work.units, work_sessions_.sessions(),
                      settings_.scheduling, reclaims_.told(work.units), work.now);
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

void Agent::reclaim(int64_t now_ms) {
  const bool whole = std::any_of(sets_.all().begin(), sets_.all().end(),
                                 [](const HeldSet& held) { return held.set.whole_hosts; });
  const bool asked = whole || !open_reclaims(book_, use_, sets_).empty() || !reclaims_.empty();
  if (!asked && !preemptions_.possible() && !fates_.any_open()) return;
  const Result<WorkList> work = workload_.work_units();
  if (!work) {
    reclaims_.look_by(now_ms + kRetryMs);
    return failures_.count("work_units", work.error());
  }
  work_sessions_.look(*work, slots_usable());
  reclaims_.warn_of_final(book_, *work);
  if (whole) give_up_whole_hosts(*work);
  if (asked) end_for_reclaims(*work, now_ms);
  if (preemptions_.possible()) {
    preemptions_.advance(*work, work_sessions_.sessions(), view_, now_ms,
                         [&](const WorkUnit& job) { reclaims_.end(job, "preempt", now_ms); });
  }
  fates_.look(*work, reclaims_.told(work->units));
}

/// The look was before the list of the work: what ended between the two has given its slots back,
/// and nobody else must go for them.
ReclaimNeeds Agent::needs_by_then(const WorkList& work) {
  ReclaimNeeds needs = open_reclaims(book_, use_, sets_);
  if (!ended_since(needs, view_, work.units) || !look()) return needs;
  lower_open();
  return open_reclaims(book_, use_, sets_);
}

int64_t Agent::slots_usable() const {
  return usable_slots(view_) + sets_.fenced_beyond(book_);
}

void Agent::end_for_reclaims(const WorkList& work, int64_t now_ms) {
  const ReclaimNeeds needs = needs_by_then(work);
  const std::vector<ReclaimVictim> victims =
      choose_for(needs, work.units, work_sessions_.sessions(), settings_.scheduling,
                 reclaims_.told(work.units), work.now);
  reclaims_.advance(victims, {book_, sets_, work, now_ms});
}

}  // namespace leasehold::agent
