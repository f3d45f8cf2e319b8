// The part of Agent that carries out orders.
#include <algorithm>

#include "agent/core/bounds.hpp"
#include "agent/io/agent/agent.hpp"
#include "common/canary.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kRetryMs = 1'000;  // before what failed is tried again

}  // namespace

/// Each group for itself; what the sets of the order say holds once all of theirs have it.
void Agent::on_order(const wire::Order& order, int64_t now_ms) {
  const bool any_session = LEASEHOLD_CANARY(ignores_session);
  if (!session_.is_current(order.session) && !any_session) return;
  if (!other_leaders_.check(session_, "order", order.epoch, order.incarnation)) return;
  // Rule 11: until the session's first configuration it is not known when leases end.
  if (!session_.open() && !any_session) {
    log_debug("order-not-applied", {{"group", order.generation},
                                    {"seq", order.seq},
                                    {"why", "the session has no configuration yet"}});
    return;
  }
  if (const Status good = check_numbers(order); !good) {
    log_error("order-not-applied", {{"why", describe(good.error())}});
    return;
  }
  if (!take_sets(order)) return;
  on_part(order, now_ms);
  wire::Order part = order;
  part.parts.clear();
  part.sets.clear();
  for (const wire::OrderPart& more : order.parts) {
    part.generation = more.generation;
    part.hosts = more.hosts;
    on_part(part, now_ms);
  }
  mind_sets();
  if (order.sets.empty()) return;
  enforce_wanted();
  poll_due_ms_ = now_ms;
}

void Agent::on_part(const wire::Order& order, int64_t now_ms) {
  LeasedGroup* group = book_.find(order.generation);
  if (group == nullptr || book_.configuration().observe) {
    log_warn("order-not-applied",
             {{"group", order.generation},
              {"seq", order.seq},
              {"why", group ? "the broker only observes" : "the configuration has no such group"}});
    return;
  }
  const wire::Configuration& known = book_.configuration();
  const bool same = known.session == order.session && known.number == order.configuration;
  if (order.configuration != 0 && !same && !LEASEHOLD_CANARY(ignores_session)) {
    // Its limits count exports that this agent does not have (yet, or any more).
    log_warn("order-not-applied", {{"group", order.generation},
                                   {"seq", order.seq},
                                   {"why", "it was made by another configuration"},
                                   {"configuration", order.configuration}});
    return;
  }
  if (lease_.ended(now_ms) && group->limits.role == wire::Role::consumer) {
    // It may have waited here since before the end. What the broker says when it answers is new.
    log_warn("order-not-applied",
             {{"group", order.generation}, {"seq", order.seq}, {"why", "the lease has ended"}});
    return;
  }
  if (order.reason) fates_.note_reason(order.generation, *order.reason);
  reached_(Step::order_received);
  Status good = check_order(group->configured, order);
  if (good) good = check_limits_in_all(book_, order);
  if (!good) {
    log_error("order-not-applied", {{"why", describe(good.error())}});
    return;
  }
  const auto pending = pending_.find(order.generation);
  if (pending != pending_.end() && order.seq <= pending->second.order.seq) return;
  switch (judge(group->limits, order.seq)) {
    case Verdict::refused:
      log_warn(
          "order-too-old",
          {{"group", order.generation}, {"seq", order.seq}, {"seq_applied", group->limits.seq}});
      return;
    case Verdict::repeated:
      if (LEASEHOLD_CANARY(applies_equal_seq)) return begin(*group, order, now_ms);
      return send_state(order.generation);
    case Verdict::applies:
      return begin(*group, order, now_ms);
  }
}

/// An order with the same fences as the one before, as for overdue slots, does not wait again until
/// its fence takes effect, but for a look: repeated sooner than settle_ms, it would never be
/// carried out.
void Agent::begin(LeasedGroup& group, const wire::Order& order, int64_t now_ms) {
  const GroupLimits known = group.limits;
  group.limits = begin_order(std::move(group.limits), group.configured, order);
  PendingOrder& pending =
      pending_.try_emplace(order.generation, PendingOrder{order, true, now_ms, known})
          .first->second;
  pending.order = order;
  pending.fenced = pending.fenced && fences_as_before(group.limits, known);
  if (!pending.fenced) pending.ready_ms = 0;
  advance_order(order.generation, now_ms);
}

/// Drops orders made by another configuration. Their limits count exports otherwise than the
/// configuration does now; the broker sends new ones.
void Agent::drop_outdated_orders() {
  const uint64_t number = book_.configuration().number;
  std::erase_if(pending_, [&](const auto& entry) {
    const uint64_t made_by = entry.second.order.configuration;
    if (made_by == 0 || made_by == number) return false;
    drop_order(book_.find(entry.first)->limits, entry.second.before);
    log_info("order-dropped", {{"group", entry.first}, {"seq", entry.second.order.seq}});
    return true;
  });
}

void Agent::advance_orders(int64_t now_ms) {
  std::vector<uint64_t> waiting;
  for (const auto& [generation, pending] : pending_)
    if (now_ms >= pending.ready_ms) waiting.push_back(generation);
  for (const uint64_t generation : waiting) advance_order(generation, now_ms);
}

/// Carries the order out as far as it goes now. What fails is tried again until the order is
/// replaced or dropped.
void Agent::advance_order(uint64_t generation, int64_t now_ms) {
  PendingOrder& pending = pending_.at(generation);
  LeasedGroup& group = *book_.find(generation);
  if (!pending.fenced && !fence(pending, group, now_ms)) return;
  if (now_ms < pending.ready_ms) return;
  const bool fences = std::any_of(group.limits.hosts.begin(), group.limits.hosts.end(),
                                  [](const HostLimit& host) { return host.settling; });
  pending.ready_ms = now_ms + kRetryMs;  // if it cannot be finished now
  if (fences && !LEASEHOLD_CANARY(reads_use_before_fence) && !look()) return;
  if (fences && !fences_stand(group)) {
    log_warn("fence-does-not-stand", {{"group", generation}, {"seq", pending.order.seq}});
    pending.fenced = false;
    return;
  }
  if (!finish(pending, group)) return;
  pending_.erase(generation);
  enforce_wanted();
  use_ = book_.use(view_);
  reached_(Step::before_answer);
  send_state(generation);
  reached_(Step::after_answer);
  workload_due_ms_ = now_ms;
  if (std::any_of(group.limits.hosts.begin(), group.limits.hosts.end(), [](const HostLimit& host) {
        return host.withheld > 0 ||
               (host.lowering && host.lowering->kind == wire::Lowering::reclaim);
      }))
    poll_due_ms_ = now_ms;
}

bool Agent::fence(PendingOrder& pending, LeasedGroup& group, int64_t now_ms) {
  const bool lowers = std::any_of(group.limits.hosts.begin(), group.limits.hosts.end(),
                                  [](const HostLimit& host) { return host.settling; });
  pending.ready_ms = now_ms + kRetryMs;
  if (lowers && !enforce_wanted()) return false;
  pending.ready_ms = now_ms;
  if (lowers) {
    reached_(Step::fence_enforced);
    if (!LEASEHOLD_CANARY(answers_before_settle)) pending.ready_ms += workload_.traits().settle_ms;
  }
  pending.fenced = true;
  return true;
}

bool Agent::finish(const PendingOrder& pending, LeasedGroup& group) {
  use_ = book_.use(view_);
  const size_t index = static_cast<size_t>(&group - book_.groups().data());
  const GroupLimits begun = group.limits;
  const std::vector<int32_t> used = workload_.traits().fences_by_slot
                                        ? fenced_use(index)
                                        : Book::used_for_order(group, use_[index]);
  group.limits = finish_order(begun, pending.order, used);
  if (!persist(group)) {
    group.limits = begun;
    return false;
  }
  // A host that is not in sight gives up nothing, but what the order takes is not opened there: the
  // limit may be an older one, and the slot somebody else's by now.
  for (const wire::OrderedHost& named : pending.order.hosts) {
    HostLimit& host = group.limits.hosts[named.host];
    if (!use_[index].known[named.host] && host.limit > named.limit) freeze(host);
  }
  reached_(Step::limit_persisted);
  bool raised = false;
  for (size_t i = 0; i < begun.hosts.size(); ++i)
    raised = raised || group.limits.hosts[i].limit > begun.hosts[i].limit;
  if (raised) reached_(Step::raise_persisted);
  return true;
}

}  // namespace leasehold::agent
