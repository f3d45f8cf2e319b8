#include "broker/lab/simulate/core.hpp"

#include "broker/core/model/deadlines.hpp"
#include "broker/core/step.hpp"

namespace leasehold {

Status VirtualCore::begin(int64_t ahead_ms) {
  ahead_ms_ = ahead_ms;
  if (store_ == nullptr) return {};
  Result<State> fresh = store_->load();
  if (!fresh) return tl::unexpected(fresh.error());
  state_ = std::move(*fresh);
  return {};
}

void VirtualCore::feed(const Event& event, Instant now) {
  effects_.clear();
  now = time(now);
  if (now != fed_at_) commit();
  fed_at_ = now;
  const bool recorded = step(state_, event, now, effects_);
  if (store_ != nullptr && recorded) {
    store_->append(event, now, effects_.records, state_);
    kept_at_ = now;
  }
  for (const SendOrder& order : effects_.orders) {
    if (order.generation == 0) continue;  // a later order of the same step replaced it
    const auto hosts = effects_.hosts_of(order);
    orders_.push_back(
        {order.cluster, order.generation, order.seq, {hosts.begin(), hosts.end()}, order.grace_ms});
  }
}

std::optional<CoreOrder> VirtualCore::take_order() {
  if (orders_.empty()) return std::nullopt;
  std::optional<CoreOrder> order = std::move(orders_.front());
  orders_.pop_front();
  return order;
}

Instant VirtualCore::next() const {
  const Instant next = next_deadline(state_);
  return next == kNever ? kNever : next + -ahead_ms_;
}

/// Commits once for each instant: the past is read as of the end of a commit.
void VirtualCore::commit() {
  if (store_ != nullptr && failed_) failed_ = store_->commit(state_);
}

Status VirtualCore::finish(Instant end) {
  // This input changes nothing but is recorded, so that the last state lasts until then.
  if (kept_at_ < time(end)) feed(WindowsResolved{state_.windows}, end);
  commit();
  return failed_;
}

}  // namespace leasehold
