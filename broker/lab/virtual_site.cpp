#include "broker/lab/virtual_site.hpp"

#include <variant>

#include "broker/config/windows.hpp"
#include "broker/core/admission.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/step.hpp"

namespace leasehold {

Status VirtualSite::open(int64_t ahead_ms) {
  ahead_ms_ = ahead_ms;
  if (store_ == nullptr) return {};
  Result<State> fresh = store_->load();
  if (!fresh) return tl::unexpected(fresh.error());
  state_ = std::move(*fresh);
  return {};
}

void VirtualSite::feed(const Event& event, Instant now) {
  effects_.clear();
  now = time(now);
  if (now != fed_at_) commit();
  fed_at_ = now;
  const bool recorded = step(state_, event, now, effects_);
  if (store_ != nullptr && recorded) {
    store_->append(event, now, effects_.records, state_);
    kept_at_ = now;
  }
  keep_orders();
  stepped();
}

void VirtualSite::keep_orders() {
  for (const SendOrder& order : effects_.orders) {
    if (order.generation == 0) continue;  // a later order of the same step replaced it
    const auto keep = [&](uint64_t generation, std::span<const wire::OrderedHost> hosts) {
      orders_.push_back(
          {order.cluster, generation, order.seq, {hosts.begin(), hosts.end()}, order.grace_ms});
    };
    keep(order.generation, effects_.hosts_of(order));
    for (const SendPart& part : effects_.parts_of(order)) {
      if (part.generation != 0) keep(part.generation, effects_.hosts_of(part));
    }
  }
}

void VirtualSite::load(ConfigLoaded loaded, Instant now) {
  loaded.windows = resolve_windows(loaded.config, time(now));
  feed(loaded, now);
}

bool VirtualSite::tick(Instant now) {
  const Instant at = time(now);
  if (must_resolve_windows(state_.config, state_.windows.until, at)) {
    feed(WindowsResolved{resolve_windows(state_.config, at)}, now);
  }
  feed(Tick{}, now);
  return carry_out(now);
}

void VirtualSite::feed_report(Event& report, Instant now) {
  if (drop_known(state_, std::get<StateReported>(report))) feed(report, now);
}

bool VirtualSite::carry_out(Instant now) {
  bool more = false;
  while (follow(now) || has_orders()) {
    if (!has_orders()) continue;
    const CoreOrder order = std::move(orders_.front());
    orders_.pop_front();
    more = take_order(order, now) || more;
  }
  return more;
}

Instant VirtualSite::next() const {
  const Instant next = next_deadline(state_);
  return next == kNever ? kNever : next + -ahead_ms_;
}

/// Commits once for each instant: the past is read as of the end of a commit.
void VirtualSite::commit() {
  if (store_ != nullptr && failed_) failed_ = store_->commit(state_);
}

Status VirtualSite::close(Instant end) {
  // This input changes nothing but is recorded, so that the last state lasts until then.
  if (kept_at_ < time(end)) feed(WindowsResolved{state_.windows}, end);
  commit();
  return failed_;
}

}  // namespace leasehold
