// Lookahead: leases that changed lie far apart in memory. Asking for the lines of the next ones
// while one is decided lets the waits overlap, and for those whose line is not enough what lies
// behind it, four hops deep; nothing else changes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// What will be read, or written, of a lease beside its line.
enum class Reads : uint8_t { line, record, rows };

/// `How(line, group)` foretells it as Reads; of what does not stand in State::lines it is `rows`.
template <class How>
class Lookahead {
 public:
  Lookahead(const State& state, std::span<const uint32_t> order, const How& how)
      : state_(state), order_(order), how_(how) {
    for (size_t at = 0; at < std::min(kLines, order.size()); ++at) ask_line(order[at]);
  }

  /// Call before the work on order[at].
  void ask(size_t at) const {
    if (at + kLines < order_.size()) ask_line(order_[at + kLines]);
    if (at + kHeader < order_.size()) ask_header(order_[at + kHeader]);
    if (at + kRows < order_.size() && reads(order_[at + kRows]) == Reads::rows) {
      ask_rows(state_.slot_groups[order_[at + kRows]]);
    }
    if (at + kHost < order_.size() && reads(order_[at + kHost]) == Reads::rows) {
      ask_host(state_.slot_groups[order_[at + kHost]]);
    }
  }

 private:
  static constexpr size_t kLines = 40;
  static constexpr size_t kHeader = 24;
  static constexpr size_t kRows = 16;
  static constexpr size_t kHost = 8;
  static constexpr size_t kLine = 64;
  static constexpr size_t kRecordBytes = 80;  // what is recorded stands first in SlotGroup

  static void ask_lines(const void* start, size_t bytes) {
    const char* first = static_cast<const char*>(start);
    for (size_t offset = 0; offset < bytes; offset += kLine) __builtin_prefetch(first + offset);
  }
  void ask_line(uint32_t group) const {
    if (group < state_.lines.size()) __builtin_prefetch(&state_.lines[group]);
  }
  Reads reads(uint32_t group) const {
    return group < state_.lines.size() ? how_(state_.lines[group], group) : Reads::rows;
  }
  void ask_header(uint32_t group) const {
    const Reads all = reads(group);
    if (all == Reads::line) return;
    ask_lines(&state_.slot_groups[group], all == Reads::rows ? sizeof(SlotGroup) : kRecordBytes);
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
  const How& how_;
};

}  // namespace leasehold
