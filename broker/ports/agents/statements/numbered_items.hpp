// NumberedItems: what agents report until it is recorded, ended work and used slots, on its way
// into the record. Numbers tell what is new. They are those of one state of an agent, and outlive
// its sessions. Over a start of the broker an item may be recorded twice, under the same number.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "broker/core/admission.hpp"
#include "broker/ports/agents/limits/record_share.hpp"
#include "broker/ports/agents/peer.hpp"
#include "broker/ports/agents/turn.hpp"

namespace leasehold {

inline Event event_of(const std::string& cluster, uint64_t /*state_id*/,
                      std::vector<wire::EndedWork> work) {
  return WorkEnded{cluster, std::move(work)};
}
inline Event event_of(const std::string& cluster, uint64_t state_id,
                      std::vector<wire::UsedSlots> used) {
  return SlotsUsed{cluster, state_id, std::move(used)};
}

/// No agent counts so far; what says more is not taken.
inline constexpr uint64_t kNumberMost = uint64_t{1} << 53;

/// At most `kMost` of them are taken in one turn.
template <class Item, size_t kMost>
class NumberedItems {
 public:
  explicit NumberedItems(RecordShare& record) : record_(record) {}

  /// Begins a turn: what the turns before stepped counts as recorded. Contract: their batches are
  /// committed, or clear() was called.
  void begin_turn() {
    for (auto& [cluster, known] : known_) known.recorded = known.stepped;
  }
  /// Notes for step() what is new of a heartbeat's list.
  void note(const Peer& peer, const std::vector<Item>& items) {
    Known& known = known_[peer.cluster];
    if (known.state_id != peer.state_id) known = {peer.state_id, 0, 0, {}};
    uint64_t last = known.noted.empty() ? known.stepped : known.noted.back().number;
    for (const Item& item : items) {
      if (item.number <= last || item.number > kNumberMost) continue;
      if (known.noted.size() == kMost) continue;
      last = item.number;
      known.noted.push_back(item);
    }
  }
  /// Up to which number items of the agent's state are recorded.
  uint64_t recorded(const Peer& peer) const {
    const auto known = known_.find(peer.cluster);
    const bool same = known != known_.end() && known->second.state_id == peer.state_id;
    return same ? known->second.recorded : 0;
  }
  /// Steps at the end of a turn what was noted in it, so that answers before go by what was
  /// committed. What a cluster may not add to the record now is dropped: its agent says it again.
  void step(const State& state, const EventSink& sink) {
    for (auto& [cluster, known] : known_) {
      if (known.noted.empty()) continue;
      const uint64_t last = known.noted.back().number;
      const Event event = event_of(cluster, known.state_id, std::exchange(known.noted, {}));
      if (find_cluster(state, cluster) == kNoIndex || !record_.has_left(cluster)) continue;
      known.stepped = last;
      record_.step(cluster, event, sink);
    }
  }
  void clear() { known_.clear(); }

 private:
  struct Known {
    uint64_t state_id = 0;
    uint64_t stepped = 0;     // up to which number it was given to the core
    uint64_t recorded = 0;    // up to which number its commit is known to be done
    std::vector<Item> noted;  // in this turn
  };

  RecordShare& record_;
  std::unordered_map<std::string, Known> known_;  // by cluster
};

using EndedWork = NumberedItems<wire::EndedWork, wire::kEndedMost>;
using UsedSlots = NumberedItems<wire::UsedSlots, wire::kUsedSlotsMost>;

}  // namespace leasehold
