#include "broker/ports/http/deferred.hpp"

#include <algorithm>

namespace leasehold {

namespace {

bool is_readyz(const Inquiry& inquiry) {
  return inquiry.route.kind == RouteKind::readyz;
}

/// Returns the turn that the notice answers the inquiry with.
uint64_t turn_for(const Inquiry& inquiry, const Notice& notice) {
  return is_readyz(inquiry) ? notice.turn : notice.liveness_turn;
}

bool has_other_rights(const Visitor& visitor, const Notice& notice) {
  return visitor.asker && !still_welcome(visitor, *notice.in_force->access);
}

}  // namespace

void Deferred::look(const Notice& notice, int64_t now_ms) {
  if (notice.liveness_turn == liveness_turn_) return;
  liveness_turn_ = notice.liveness_turn;
  liveness_seen_ms_ = now_ms;
}

bool Deferred::must_wait(const Inquiry& inquiry, int64_t now_ms) const {
  if (is_readyz(inquiry)) return true;
  const bool is_fresh =
      inquiry.notice.liveness != nullptr && now_ms - liveness_seen_ms_ < kLiveness_ms;
  return !is_fresh && tells_of_agents(inquiry);
}

void Deferred::add(Id id, Inquiry inquiry, Visitor visitor, int64_t now_ms) {
  waiting_[id] = {std::move(inquiry), std::move(visitor), now_ms + kTurn_ms};
}

std::vector<Deferred::Question> Deferred::take(const Notice& notice, int64_t now_ms) {
  std::vector<Question> taken;
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    Inquiry& inquiry = each->second.inquiry;
    const bool has_turned = turn_for(inquiry, notice) > turn_for(inquiry, inquiry.notice);
    if (!has_turned && now_ms < each->second.until_ms) {
      ++each;
      continue;
    }
    const bool silent = !has_turned && (is_readyz(inquiry) || notice.liveness == nullptr);
    inquiry.notice = notice;
    const bool rights_changed = has_other_rights(each->second.visitor, notice);
    taken.push_back({each->first, std::move(inquiry), rights_changed, silent});
    each = waiting_.erase(each);
  }
  return taken;
}

int64_t Deferred::next_ms() const {
  int64_t next = INT64_MAX;
  for (const auto& [id, each] : waiting_) next = std::min(next, each.until_ms);
  return next;
}

}  // namespace leasehold
