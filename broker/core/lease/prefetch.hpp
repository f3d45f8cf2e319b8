// Prefetch: leases that changed lie far apart in memory. The summaries of the next ones are
// prefetched while one is decided, so that the waits overlap. If a summary is not enough, the
// group, rows and hosts behind it are prefetched too, four hops deep. Nothing else changes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "broker/core/model/state.hpp"
#include "common/prefetch.hpp"

namespace leasehold {

/// The memory of a lease that will be read or written beside its summary.
enum class Reads : uint8_t { summary, record, rows };

/// `How(summary, group)` foretells it as Reads; a group without a place in State::summaries counts
/// as `rows`.
template <class How>
class Prefetch {
 public:
  Prefetch(const State& state, std::span<const uint32_t> order, const How& how)
      : state_(state), order_(order), how_(how) {
    for (size_t at = 0; at < std::min(kLines, order.size()); ++at) prefetch_summary(order[at]);
  }

  /// Call before the work on order[at], for each in turn.
  void ask(size_t at) {
    if (at + kLines < order_.size()) prefetch_summary(order_[at + kLines]);
    if (at + kHeader < order_.size()) ask_header(at + kHeader);
    if (last_rows_ < at + kHost) return;  // nearly always: their summaries are enough
    ask_rows(at + kRows);
    ask_host(at + kHost);
  }

 private:
  static constexpr size_t kLines = 40;
  static constexpr size_t kHeader = 24;
  static constexpr size_t kRows = 16;
  static constexpr size_t kHost = 8;
  static constexpr size_t kLine = 64;
  static constexpr size_t kRecordBytes = 80;  // what is recorded stands first in SlotGroup
  static_assert(offsetof(SlotGroup, numbers) + sizeof(SlotGroup::numbers) <= kRecordBytes);

  static void ask_lines(const void* start, size_t bytes) {
    const char* first = static_cast<const char*>(start);
    for (size_t offset = 0; offset < bytes; offset += kLine) prefetch(first + offset);
  }
  void prefetch_summary(uint32_t group) const {
    if (group < state_.summaries.size()) prefetch(&state_.summaries[group]);
  }
  Reads reads(uint32_t group) const {
    return group < state_.summaries.size() ? how_(state_.summaries[group], group) : Reads::rows;
  }
  bool needs_rows(size_t at) const {
    return at < order_.size() && reads(order_[at]) == Reads::rows;
  }
  void ask_header(size_t at) {
    const Reads all = reads(order_[at]);
    if (all == Reads::summary) return;
    if (all == Reads::rows) last_rows_ = at;
    ask_lines(&state_.slot_groups[order_[at]],
              all == Reads::rows ? sizeof(SlotGroup) : kRecordBytes);
  }
  void ask_rows(size_t at) const {
    if (!needs_rows(at)) return;
    const SlotGroup& group = state_.slot_groups[order_[at]];
    prefetch(group.members.data());
    prefetch(group.members.data() + 1);
    prefetch(group.hosts.data());
    prefetch(group.holdings.data());
  }
  void ask_host(size_t at) const {
    if (!needs_rows(at)) return;
    const SlotGroup& group = state_.slot_groups[order_[at]];
    const std::vector<Host>& hosts = state_.clusters[group.members[kProvider].cluster].hosts;
    if (group.hosts.empty() || group.hosts.front().host >= hosts.size()) return;
    const Host& host = hosts[group.hosts.front().host];
    prefetch(&host.present);
    prefetch(&host.closed_for);
  }

  const State& state_;
  std::span<const uint32_t> order_;
  const How& how_;
  size_t last_rows_ = kHeader;  // the last place that needs rows; of the first ones it is not known
};

}  // namespace leasehold
