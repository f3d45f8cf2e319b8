#include "agent/io/agent/orders.hpp"

#include <algorithm>

#include "agent/core/bounds.hpp"
#include "agent/core/limits/book_use.hpp"
#include "common/canary.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kFinishAgainMs = 1'000;  // before what failed is tried again

bool any_settling(const GroupLimits& limits) {
  return std::any_of(limits.hosts.begin(), limits.hosts.end(),
                     [](const HostLimit& host) { return host.settling; });
}

constexpr const char* kLimitsStay = "limits stay as they are, and the broker asks again";
constexpr const char* kNothing = "nothing; if it comes again: leasectl doctor";

void log_not_applied(const wire::Order& order, const char* why) {
  log_warn("order-not-applied", {{"group", order.generation},
                                 {"seq", order.seq},
                                 {"why", why},
                                 {"then", kLimitsStay},
                                 {"do", kNothing}});
}

void log_wrong(const Error& fault) {
  log_error("order-not-applied",
            {{"why", describe(fault)}, {"then", kLimitsStay}, {"do", kCompareReleases}});
}

}  // namespace

void Orders::on_order(const wire::Order& order, int64_t now_ms) {
  const bool any_session = LEASEHOLD_CANARY(ignores_session);
  const Session& session = parts_.contact.session();
  if (!session.is_current(order.session) && !any_session) return;
  if (!parts_.contact.is_of_leader(order, "order")) return;
  // Rule 11 of broker/store/postgres/README.md: until the session's first configuration it is not
  // known when leases end.
  if (!session.open() && !any_session) {
    log_debug("order-not-applied",
              {{"group", order.generation},
               {"seq", order.seq},
               {"why", "the broker has not sent this session's configuration yet"}});
    return;
  }
  if (const Status good = check_numbers(order); !good) return log_wrong(good.error());
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
  drop_ended_sets();
  if (order.sets.empty()) return;
  parts_.enforcement.enforce(now_ms);
  next_look_.poll_ms = now_ms;
}

/// Returns whether the order may be applied to its group, and logs why not.
bool Orders::may_apply(const wire::Order& order, const LeasedGroup* group, int64_t now_ms) const {
  const wire::Configuration& known = book().configuration();
  if (group == nullptr || known.observe) {
    log_not_applied(order, group ? "the broker is in observe mode, and orders nothing"
                                 : "the broker's configuration has no such slot group");
    return false;
  }
  const bool same = known.session == order.session && known.number == order.configuration;
  if (order.configuration != 0 && !same && !LEASEHOLD_CANARY(ignores_session)) {
    // Its limits count exports that this agent does not have (yet, or any more).
    log_warn("order-not-applied",
             {{"group", order.generation},
              {"seq", order.seq},
              {"why", "the order was made for another configuration than this agent has"},
              {"configuration", order.configuration},
              {"configuration_here", known.number},
              {"then", kLimitsStay},
              {"do", kNothing}});
    return false;
  }
  if (parts_.contact.lease().ended(now_ms) && group->limits.role == wire::Role::consumer) {
    // The order may have waited here since before the end. The broker sends new ones when it
    // answers.
    log_not_applied(order, "the lease ended by lease_ttl before the order was carried out");
    return false;
  }
  return true;
}

void Orders::on_part(const wire::Order& order, int64_t now_ms) {
  LeasedGroup* group = book().find(order.generation);
  if (!may_apply(order, group, now_ms)) return;
  if (order.reason) parts_.fates.note_reason(order.generation, *order.reason);
  reached_(Step::order_received);
  Status good = check_order(group->configured, order);
  if (good) good = check_limits_in_all(book(), order);
  if (!good) return log_wrong(good.error());
  const auto pending = pending_.find(order.generation);
  if (pending != pending_.end() && order.seq <= pending->second.order.seq) return;
  switch (judge(group->limits, order.seq)) {
    case Verdict::refused:
      log_warn("order-too-old", {{"group", order.generation},
                                 {"seq", order.seq},
                                 {"seq_applied", group->limits.seq},
                                 {"why", "an older order came late"},
                                 {"then", "it is left out"}});
      return;
    case Verdict::repeated:
      if (LEASEHOLD_CANARY(applies_equal_seq)) return begin(*group, order, now_ms);
      return parts_.statements.state(order.generation);
    case Verdict::applies:
      return begin(*group, order, now_ms);
  }
}

/// True if a group of the order's sets has this order or a later one already, or is not known.
bool Orders::comes_late(const wire::Order& order) const {
  for (const wire::ReclaimSet& set : order.sets) {
    for (const wire::SetHost& host : set.hosts) {
      const LeasedGroup* group = book().find(host.generation);
      const auto begun = pending_.find(host.generation);
      if (group == nullptr || group->limits.seq >= order.seq) return true;
      if (begun != pending_.end() && begun->second.order.seq >= order.seq) return true;
    }
  }
  return false;
}

/// Keeps the sets on disk before anything else of their order is done. False: the order is not
/// applied.
bool Orders::take_sets(const wire::Order& order) {
  if (order.sets.empty() || !parts_.contact.session().is_current(order.session)) return true;
  if (const Status good = check_sets(order); !good) {
    log_wrong(good.error());
    return false;
  }
  if (comes_late(order)) return true;
  return parts_.limits.take_sets(order);
}

void Orders::drop_ended_sets() {
  std::map<uint64_t, uint64_t> begun;
  for (const auto& [generation, pending] : pending_) begun.emplace(generation, pending.order.seq);
  parts_.limits.drop_ended_sets(begun);
}

/// An order with the same fences as the one before (for overdue slots) waits only for a look, and
/// not for its fences to take effect again: if it is repeated sooner than settle_ms it would never
/// be carried out.
void Orders::begin(LeasedGroup& group, const wire::Order& order, int64_t now_ms) {
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

void Orders::drop_outdated() {
  const uint64_t number = book().configuration().number;
  std::erase_if(pending_, [&](const auto& entry) {
    const uint64_t made_by = entry.second.order.configuration;
    if (made_by == 0 || made_by == number) return false;
    drop_order(book().find(entry.first)->limits, entry.second.before);
    log_info("order-dropped", {{"group", entry.first},
                               {"seq", entry.second.order.seq},
                               {"why", "the broker sent another configuration"},
                               {"then", "the broker gives the order again"}});
    return true;
  });
}

void Orders::drop(const std::vector<uint64_t>& generations) {
  for (const uint64_t generation : generations) pending_.erase(generation);
}

void Orders::drop_of_consumers() {
  std::erase_if(pending_, [&](const auto& entry) {
    return book().find(entry.first)->limits.role == wire::Role::consumer;
  });
}

void Orders::drop_all() {
  pending_.clear();
  drop_ended_sets();
}

int64_t Orders::next_ms() const {
  int64_t next = INT64_MAX;
  for (const auto& [generation, pending] : pending_) next = std::min(next, pending.ready_ms);
  return next;
}

void Orders::advance(int64_t now_ms) {
  std::vector<uint64_t> waiting;
  for (const auto& [generation, pending] : pending_) {
    if (now_ms >= pending.ready_ms) waiting.push_back(generation);
  }
  for (const uint64_t generation : waiting) advance_order(generation, now_ms);
}

/// Carries the order out as far as it goes now. What fails is tried again until the order is
/// replaced or dropped.
void Orders::advance_order(uint64_t generation, int64_t now_ms) {
  PendingOrder& pending = pending_.at(generation);
  LeasedGroup& group = *book().find(generation);
  if (!pending.fenced && !fence(pending, group, now_ms)) return;
  if (now_ms < pending.ready_ms) return;
  const bool fences = any_settling(group.limits);
  pending.ready_ms = now_ms + kFinishAgainMs;  // if it cannot be finished now
  if (fences && !LEASEHOLD_CANARY(reads_use_before_fence) && !parts_.enforcement.look(now_ms)) {
    return;
  }
  if (fences && !parts_.enforcement.fences_stand(group, now_ms)) {
    log_warn("fence-not-in-effect", {{"group", generation},
                                     {"seq", pending.order.seq},
                                     {"why", "the workload manager does not show the fence"},
                                     {"then", "the order waits, and no slot of it changes hands"},
                                     {"do",
                                      "if it comes again: lease-agent --probe, and look who "
                                      "removes fences"}});
    pending.fenced = false;
    return;
  }
  if (!finish(pending, group, now_ms)) return;
  pending_.erase(generation);
  parts_.enforcement.enforce(now_ms);
  parts_.enforcement.count_use();
  reached_(Step::before_answer);
  parts_.statements.state(generation);
  reached_(Step::after_answer);
  next_look_.change_ms = now_ms;
  if (std::any_of(group.limits.hosts.begin(), group.limits.hosts.end(), [](const HostLimit& host) {
        return host.withheld > 0 ||
               (host.lowering && host.lowering->kind == wire::Lowering::reclaim);
      })) {
    next_look_.poll_ms = now_ms;
  }
}

bool Orders::fence(PendingOrder& pending, const LeasedGroup& group, int64_t now_ms) {
  const bool lowers = any_settling(group.limits);
  pending.ready_ms = now_ms + kFinishAgainMs;
  if (lowers && !parts_.enforcement.enforce(now_ms)) return false;
  pending.ready_ms = now_ms;
  if (lowers) {
    reached_(Step::fence_enforced);
    if (!LEASEHOLD_CANARY(answers_before_settle)) {
      pending.ready_ms += parts_.workload.traits().settle_ms;
    }
  }
  pending.fenced = true;
  return true;
}

bool Orders::finish(const PendingOrder& pending, LeasedGroup& group, int64_t now_ms) {
  parts_.enforcement.count_use();
  const size_t index = book().index_of(group);
  const GroupUse& use = parts_.enforcement.use()[index];
  const GroupLimits begun = group.limits;
  const std::vector<int32_t> used = parts_.workload.traits().fences_by_slot
                                        ? parts_.enforcement.fenced_use(index, now_ms)
                                        : used_for_order(group, use);
  group.limits = finish_order(begun, pending.order, used);
  if (!parts_.limits.persist(group)) {
    group.limits = begun;
    return false;
  }
  // A host that the look does not show gives up nothing, but the slots that the order takes are not
  // opened there: the limit may be an older one, and the slots somebody else's by now.
  for (const wire::OrderedHost& named : pending.order.hosts) {
    HostLimit& host = group.limits.hosts[named.host];
    if (!use.known[named.host] && host.limit > named.limit) freeze(host);
  }
  reached_(Step::limit_persisted);
  bool raised = false;
  for (size_t i = 0; i < begun.hosts.size(); ++i) {
    raised = raised || group.limits.hosts[i].limit > begun.hosts[i].limit;
  }
  if (raised) reached_(Step::raise_persisted);
  return true;
}

void Orders::lower_open(int64_t now_ms) {
  drop_ended_sets();
  std::map<uint64_t, GroupLimits> before;  // of groups that fell
  for (size_t i = 0; i < book().groups().size(); ++i) {
    const uint64_t generation = book().groups()[i].limits.generation;
    LeasedGroup& group = *book().find(generation);
    GroupLimits limits = group.limits;
    if (lower_to_use(group.limits, parts_.enforcement.fenced_use(i, now_ms))) {
      before.emplace(generation, std::move(limits));
    }
  }
  lower_sets(before, now_ms);
  for (auto& [generation, limits] : before) {
    LeasedGroup& group = *book().find(generation);
    if (parts_.limits.persist(group)) {
      parts_.statements.state(generation);
    } else {
      group.limits = std::move(limits);
    }
  }
}

void Orders::lower_ended(int64_t now_ms) {
  for (const LeasedGroup& group : book().groups()) {
    if (group.limits.role != wire::Role::consumer) continue;
    if (has(group.limits.generation)) continue;  // that order fences for itself
    for (HostLimit& host : book().find(group.limits.generation)->limits.hosts) {
      host.settling = false;
    }
  }
  lower_open(now_ms);
}

void Orders::lower_sets(std::map<uint64_t, GroupLimits>& before, int64_t now_ms) {
  if (parts_.limits.sets().all().empty()) return;
  UseByGeneration used;
  std::map<uint64_t, GroupLimits> limits;
  for (size_t i = 0; i < book().groups().size(); ++i) {
    const GroupLimits& group = book().groups()[i].limits;
    used.emplace(group.generation, parts_.enforcement.fenced_use(i, now_ms));
    limits.emplace(group.generation, group);
  }
  for (const uint64_t generation : parts_.limits.sets().lower(book(), used)) {
    before.emplace(generation, std::move(limits.at(generation)));
  }
}

}  // namespace leasehold::agent
