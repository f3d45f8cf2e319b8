#include "broker/lab/simulate/member_side.hpp"

#include <algorithm>

#include "common/check.hpp"

namespace leasehold {

void MemberSide::add_host(uint32_t host) {
  SideHost side{host, 0, 0, std::nullopt};
  if (by_host_) side.planned.emplace(*model_, host);
  hosts_.push_back(std::move(side));
}

MemberSide::Taken MemberSide::take(const CoreOrder& order, int64_t transfer_ms, Instant now) {
  if (!agent_.is_newer(order.seq)) return {};
  agent_.seq = order.seq;
  for (const wire::OrderedHost& ordered : order.hosts) {
    LEASEHOLD_CHECK(ordered.host < hosts_.size(), "an order names a host too many");
  }
  return by_host_ ? take_by_host(order, transfer_ms, now) : take_lease(order, transfer_ms, now);
}

/// Slots in use stay until their jobs end.
int32_t MemberSide::lease_limit(uint32_t host, int32_t ordered) const {
  const int32_t before = model_->cap(host);
  if (ordered >= before) return ordered;
  return std::max(ordered, std::min(before, model_->used(host)));
}

MemberSide::Taken MemberSide::take_lease(const CoreOrder& order, int64_t transfer_ms, Instant now) {
  Taken taken;
  bool less = false;
  for (const wire::OrderedHost& ordered : order.hosts) {
    const uint32_t host = hosts_[ordered.host].host;
    const int32_t before = model_->cap(host);
    const int32_t limit = lease_limit(host, ordered.limit);
    taken.more = taken.more || limit > before;
    less = less || limit < before;
    model_->set_cap(host, limit);
  }
  taken.answers = !less || transfer_ms == 0;
  agent_.answer_at = taken.answers ? kNever : now + transfer_ms;
  return taken;
}

/// A release has one answer, which says how many slots it gives; other lowerings are reported as
/// they happen.
MemberSide::Taken MemberSide::take_by_host(const CoreOrder& order, int64_t transfer_ms,
                                           Instant now) {
  Taken taken;
  bool releases = false;
  for (const wire::OrderedHost& ordered : order.hosts) {
    PlannedSide& planned = *hosts_[ordered.host].planned;
    const PlannedSide::Order limit{ordered.limit, ordered.lowering, order.grace_ms};
    const bool lower = ordered.limit < planned.limit_stated();
    releases = releases || (lower && ordered.lowering == wire::Lowering::release);
    taken.more = planned.take(limit, transfer_ms, now) || taken.more;
  }
  if (releases && transfer_ms > 0) agent_.answer_at = now + transfer_ms;
  taken.answers = !owes_answer();
  return taken;
}

int64_t MemberSide::end_overdue(int64_t transfer_ms, Instant now) {
  int64_t ended = 0;
  for (SideHost& host : hosts_) {
    if (host.planned) ended += host.planned->end_overdue(transfer_ms, now);
  }
  return ended;
}

bool MemberSide::deliver(Instant now) {
  bool arrived = false;
  for (SideHost& host : hosts_) {
    if (host.planned) arrived = host.planned->deliver(now) || arrived;
  }
  if (owes_answer() ? agent_.answer_at > now : !arrived) return false;
  agent_.answer_at = kNever;
  return true;
}

Instant MemberSide::next_delivery() const {
  Instant soonest = agent_.answer_at;
  for (const SideHost& host : hosts_) {
    if (!host.planned) continue;
    soonest = std::min({soonest, host.planned->next_delivery(), host.planned->next_grace_end()});
  }
  return soonest;
}

int64_t MemberSide::slot_ms_lost() const {
  int64_t lost = 0;
  for (const SideHost& host : hosts_) {
    if (host.planned) lost += host.planned->slot_ms_lost();
  }
  return lost;
}

bool MemberSide::has_news() const {
  if (owes_answer()) return false;
  return std::any_of(hosts_.begin(), hosts_.end(), [&](const SideHost& host) {
    if (model_->used(host.host) != host.used_reported) return true;
    return host.planned && host.planned->limit_stated() != host.limit_reported;
  });
}

void MemberSide::state(wire::StateBlock& block) {
  const size_t first = block.hosts.size();
  for (uint32_t row = 0; row < hosts_.size(); ++row) {
    SideHost& host = hosts_[row];
    host.limit_reported = host.planned ? host.planned->limit_stated() : model_->cap(host.host);
    host.used_reported = std::min(host.limit_reported, model_->used(host.host));
    block.hosts.push_back({row, host.limit_reported, host.used_reported, true});
  }
  agent_.state(block, first);
}

}  // namespace leasehold
