// Lookahead: groups that changed lie far apart in memory, and each is four hops deep. Asking for
// the next ones while one is decided lets the waits overlap; nothing else changes.
#pragma once

#include <cstddef>
#include <span>

#include "broker/core/model/state.hpp"

namespace leasehold {

class Lookahead {
 public:
  Lookahead(const State& state, std::span<const uint32_t> order) : state_(state), order_(order) {}

  /// Call before the work on order[at].
  void ask(size_t at) const {
    if (at + kHeader < order_.size()) ask_header(order_[at + kHeader]);
    if (at + kRows < order_.size()) ask_rows(state_.slot_groups[order_[at + kRows]]);
    if (at + kHost < order_.size()) ask_host(state_.slot_groups[order_[at + kHost]]);
  }

 private:
  static constexpr size_t kHeader = 24;
  static constexpr size_t kRows = 16;
  static constexpr size_t kHost = 8;
  static constexpr size_t kLine = 64;

  static void ask_lines(const void* start, size_t bytes) {
    const char* first = static_cast<const char*>(start);
    for (size_t offset = 0; offset < bytes; offset += kLine) __builtin_prefetch(first + offset);
  }
  void ask_header(uint32_t group) const {
    ask_lines(&state_.slot_groups[group], sizeof(SlotGroup));
    __builtin_prefetch(&state_.totals[group]);
  }
  static void ask_rows(const SlotGroup& group) {
    __builtin_prefetch(group.members.data());
    __builtin_prefetch(group.members.data() + 1);
    __builtin_prefetch(group.hosts.data());
    __builtin_prefetch(group.holdings.data());
  }
  void ask_host(const SlotGroup& group) const {
    const Cluster& provider = state_.clusters[group.members[kProvider].cluster];
    const Host& host = provider.hosts[group.hosts.front().host];
    __builtin_prefetch(&host.present);
    __builtin_prefetch(&host.closed_for);
  }

  const State& state_;
  std::span<const uint32_t> order_;
};

}  // namespace leasehold
