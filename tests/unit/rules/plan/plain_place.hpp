// Placement as it reads, without any index: each question looks at every host and every move. What
// place_moves must come to, on any plan.
#pragma once

#include <algorithm>

#include "broker/rules/plan/hosts/place.hpp"
#include "broker/rules/plan/moves/damping.hpp"
#include "broker/rules/plan/tree.hpp"

namespace leasehold::plain {

inline int64_t free_slots(const PlanHost& host) {
  int64_t free = host.slots;
  for (const HostHolding& one : host.held) free -= one.slots;
  return free;
}

inline int64_t held_by(const PlanHost& host, uint32_t consumer) {
  for (const HostHolding& one : host.held) {
    if (one.consumer == consumer) return one.slots;
  }
  return 0;
}

/// Returns on how many of the slots nothing runs; they are to be taken from `from` (or nobody).
inline int64_t unused(const PlanHost& host, uint32_t from, int64_t slots) {
  if (from == kNoIndex) return std::clamp<int64_t>(slots - host.busy, 0, slots);
  for (const HostHolding& one : host.held) {
    if (one.consumer == from) return std::clamp<int64_t>(one.slots - one.used, 0, slots);
  }
  return 0;
}

inline void change(PlanHost& host, uint32_t consumer, int64_t slots) {
  for (HostHolding& one : host.held) {
    if (one.consumer != consumer) continue;
    one.slots += slots;
    return;
  }
  host.held.push_back({consumer, slots});
}

class Placing {
 public:
  Placing(const Plan& plan, const PlanAnswer& answer, std::vector<PlanHost> hosts,
          const std::vector<Selection>& select)
      : plan_(plan),
        select_(select),
        excess_(plan.consumers.size(), 0),
        room_(plan.consumers.size(), 0),
        planned_(plan.consumers.size(), 0),
        forced_(plan.consumers.size(), 0) {
    placed_.hosts = std::move(hosts);
    for (const PlanRow& row : answer.rows) {
      // Slots that are not reclaimed cannot be claimed, though they are above the quota.
      excess_[row.consumer] = row.allocated - row.quota - row.shrink;
      room_[row.consumer] = row.quota - row.allocated;
    }
    for (const PlanMove& move : answer.moves) {
      if (move.from == kNoIndex) continue;
      planned_[move.from] += move.slots;
      excess_[move.from] = std::max(excess_[move.from], planned_[move.from]);
      if (move.to == kNoIndex || !for_quota(move)) forced_[move.from] += move.slots;
    }
  }

  /// A claimant gains idle slots first, then those of the losers that the plan names, then those of
  /// anyone above its quota, in reverse priority order, that has slots which match.
  void claim(uint32_t claimant, int64_t slots, const std::vector<uint32_t>& losers) {
    slots = std::clamp<int64_t>(room_[claimant], 0, slots);  // it may not have lost what it was to
    slots -= take(kNoIndex, claimant, slots);
    for (const uint32_t loser : losers) {
      if (slots == 0) return;
      slots -= take(loser, claimant, std::min(slots, excess_[loser]));
    }
    if (slots > 0) placed_.missing.push_back({claimant, slots});
  }

  /// Takes from the loser what must leave it and nobody takes (whoever was to have it may be able
  /// to use none of it): from the last host first, so that the first ones stay full.
  void release(uint32_t loser) {
    int64_t slots = std::min(forced_[loser], excess_[loser]);
    for (const bool only_unused : {true, false}) {
      for (auto last = static_cast<uint32_t>(placed_.hosts.size()); last > 0 && slots > 0; --last) {
        const uint32_t h = last - 1;
        const int64_t held = held_by(placed_.hosts[h], loser);
        const int64_t free = only_unused ? unused(placed_.hosts[h], loser, held) : held;
        const int64_t part = std::min(slots, free);
        slots -= part;
        if (part > 0) move(loser, kNoIndex, h, part);
      }
    }
  }

  /// An owner takes back just its slots, for which the loser gets others (moves.hpp).
  bool loses(uint32_t consumer) const { return planned_[consumer] > 0; }

  PlacedMoves finish() { return std::move(placed_); }

 private:
  bool matches(uint32_t claimant, uint32_t host) const {
    const std::vector<uint32_t>& barred = placed_.hosts[host].barred;
    if (std::find(barred.begin(), barred.end(), claimant) != barred.end()) return false;
    return claimant >= select_.size() || select_[claimant].matches(placed_.hosts[host].facts);
  }

  /// Slots on this host that go from `from` to `to` if they are wanted.
  int64_t offered(uint32_t from, uint32_t to, uint32_t h) const {
    const PlanHost& host = placed_.hosts[h];
    if (!matches(to, h)) return 0;
    return from == kNoIndex ? free_slots(host) : held_by(host, from);
  }

  /// Slots on which nothing runs, on whichever host, before others.
  int64_t take(uint32_t from, uint32_t to, int64_t slots) {
    int64_t taken = 0;
    for (const bool only_unused : {true, false}) {
      const int64_t left = slots - taken;
      taken += plan_.placement == Placement::balanced ? take_balanced(from, to, left, only_unused)
                                                      : take_stacked(from, to, left, only_unused);
    }
    return taken;
  }

  int64_t offered(uint32_t from, uint32_t to, uint32_t h, bool only_unused) const {
    const int64_t slots = offered(from, to, h);
    return only_unused ? unused(placed_.hosts[h], from, slots) : slots;
  }

  /// One host is filled before the next, in the group's order.
  int64_t take_stacked(uint32_t from, uint32_t to, int64_t slots, bool only_unused) {
    int64_t taken = 0;
    for (uint32_t h = 0; h < placed_.hosts.size() && taken < slots; ++h) {
      const int64_t part = std::min(offered(from, to, h, only_unused), slots - taken);
      if (part <= 0) continue;
      move(from, to, h, part);
      taken += part;
    }
    return taken;
  }

  /// Each slot from the host that has most on offer, the first of them.
  int64_t take_balanced(uint32_t from, uint32_t to, int64_t slots, bool only_unused) {
    int64_t taken = 0;
    for (; taken < slots; ++taken) {
      uint32_t best = 0;
      int64_t most = 0;
      for (uint32_t h = 0; h < placed_.hosts.size(); ++h) {
        const int64_t offer = offered(from, to, h, only_unused);
        if (offer <= most) continue;
        most = offer;
        best = h;
      }
      if (most == 0) break;
      move(from, to, best, 1);
    }
    return taken;
  }

  void move(uint32_t from, uint32_t to, uint32_t h, int64_t slots) {
    PlanHost& host = placed_.hosts[h];
    if (from != kNoIndex) change(host, from, -slots);
    if (to != kNoIndex) {
      change(host, to, slots);
      room_[to] -= slots;
    }
    if (from != kNoIndex) {
      excess_[from] -= slots;
      room_[from] += slots;
      forced_[from] -= slots;
    }
    for (PlacedMove& made : placed_.moves) {
      if (made.from != from || made.to != to || made.host != h) continue;
      made.slots += slots;
      return;
    }
    placed_.moves.push_back({from, to, h, slots});
  }

  const Plan& plan_;
  const std::vector<Selection>& select_;
  std::vector<int64_t> excess_;   // by consumer: what it may lose still
  std::vector<int64_t> room_;     // by consumer: what it may gain up to its quota, still
  std::vector<int64_t> planned_;  // by consumer: what the plan takes from it
  std::vector<int64_t> forced_;   // by consumer: of that, what leaves it come what may, still
  PlacedMoves placed_;
};

/// Those that the plan names for this claimant, then all the others, each part in reverse priority
/// order: `by_priority` reversed.
inline std::vector<uint32_t> losers_for(uint32_t claimant, const PlanAnswer& answer,
                                        const std::vector<uint32_t>& reversed) {
  std::vector<uint32_t> losers;
  for (const PlanMove& move : answer.moves) {
    if (move.to == claimant && move.from != kNoIndex) losers.push_back(move.from);
  }
  losers.insert(losers.end(), reversed.begin(), reversed.end());
  return losers;
}

inline PlacedMoves place_moves(const Plan& plan, const PlanAnswer& answer,
                               std::vector<PlanHost> hosts, const std::vector<Selection>& select) {
  Placing placing(plan, answer, std::move(hosts), select);
  std::vector<uint32_t> claimants;  // by priority, each with all it gains
  std::vector<uint32_t> reversed;   // who may lose, in reverse priority order
  const ConsumerTree tree = lay_out(plan, {});
  std::vector<int64_t> gains(plan.consumers.size(), 0);
  for (const PlanMove& move : answer.moves) {
    if (move.to != kNoIndex) gains[move.to] += move.slots;
  }
  for (const uint32_t leaf : tree.order().leaves) {
    const uint32_t consumer = tree.nodes[leaf].consumer;
    (gains[consumer] > 0 ? claimants : reversed).push_back(consumer);
  }
  std::reverse(reversed.begin(), reversed.end());
  // A claimant that gains for what it loses comes after those that it loses to.
  std::stable_partition(claimants.begin(), claimants.end(),
                        [&](uint32_t claimant) { return !placing.loses(claimant); });
  for (const uint32_t claimant : claimants) {
    placing.claim(claimant, gains[claimant], losers_for(claimant, answer, reversed));
  }
  for (const PlanMove& move : answer.moves) {
    if (move.from != kNoIndex) placing.release(move.from);
  }
  return placing.finish();
}

}  // namespace leasehold::plain
