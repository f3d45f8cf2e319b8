#include "broker/rules/plan/hosts/place.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "broker/rules/plan/hosts/host_index.hpp"
#include "broker/rules/plan/moves/damping.hpp"

namespace leasehold {

namespace {

using Spot = HostIndex::Spot;

/// Moves with the same ends on the same host are one.
class Made {
 public:
  void add(uint32_t from, uint32_t to, uint32_t host, int64_t slots) {
    const auto [known, added] = place_.emplace(Key{from, to, host}, moves.size());
    if (added) moves.push_back({from, to, host, 0});
    moves[known->second].slots += slots;
  }
  std::vector<PlacedMove> moves;

 private:
  struct Key {
    uint32_t from;
    uint32_t to;
    uint32_t host;
    bool operator==(const Key&) const = default;
  };
  struct Mixed {
    size_t operator()(const Key& key) const {
      const uint64_t ends = uint64_t{key.from} << 32U | key.to;
      return static_cast<size_t>((ends ^ (uint64_t{key.host} << 20U)) * 0x9E3779B97F4A7C15U >> 8U);
    }
  };
  std::unordered_map<Key, size_t, Mixed> place_;
};

/// Hosts of which claimants' work wants slots, and which of these claimants are still to have them.
class WantedHosts {
 public:
  WantedHosts(size_t consumers, const std::vector<PlanHost>& hosts)
      : hosts_(hosts), of_(wanted_hosts(consumers, hosts)), waits_(consumers, false) {}

  std::span<const uint32_t> of(uint32_t claimant) const { return of_.of(claimant); }
  void set_waits(uint32_t claimant, bool waits) {
    waiting_ += static_cast<int>(waits) - static_cast<int>(waits_[claimant]);
    waits_[claimant] = waits;
  }
  bool any_waits() const { return waiting_ > 0; }
  /// True if such a claimant wants slots of that host: others would do for whoever wants none.
  bool waited_for(uint32_t host) const {
    const std::vector<HostWanted>& wanted = hosts_[host].wanted;
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const HostWanted& one) { return waits_[one.consumer]; });
  }
  int64_t slots_waited_for(uint32_t host) const {
    int64_t slots = 0;
    for (const HostWanted& one : hosts_[host].wanted) slots += waits_[one.consumer] ? one.slots : 0;
    return slots;
  }

 private:
  const std::vector<PlanHost>& hosts_;
  const Lists of_;  // by claimant
  std::vector<bool> waits_;
  int waiting_ = 0;
};

class Placing {
 public:
  Placing(const Plan& plan, const PlanAnswer& answer, std::vector<PlanHost> hosts,
          std::span<const Selection> select)
      : plan_(plan),
        host_index_(plan.consumers.size(), std::move(hosts)),
        usable_(plan.consumers.size(), host_index_.hosts(), select),
        named_(named_losers(plan.consumers.size(), answer.moves)),
        wanted_(plan.consumers.size(), host_index_.hosts()),
        excess_(plan.consumers.size(), 0),
        room_(plan.consumers.size(), 0),
        planned_(plan.consumers.size(), 0),
        forced_(plan.consumers.size(), 0),
        losers_(0) {
    for (const PlanRow& row : answer.rows) {
      // Slots that are not reclaimed may not be claimed, though they are above the quota.
      excess_[row.consumer] = row.allocated - row.quota - row.shrink;
      room_[row.consumer] = row.quota - row.allocated;
    }
    for (const PlanMove& move : answer.moves) {
      if (move.to != kNoIndex && !wanted_.of(move.to).empty()) wanted_.set_waits(move.to, true);
      if (move.from == kNoIndex) continue;
      planned_[move.from] += move.slots;
      excess_[move.from] = std::max(excess_[move.from], planned_[move.from]);
      if (move.to == kNoIndex || !for_quota(move)) forced_[move.from] += move.slots;
    }
    for (const int64_t excess : excess_) above_.push_back(excess > 0);
  }

  /// Sets the leaves that may lose besides those that the plan names, the first to lose first.
  void set_losers(std::vector<uint32_t> reversed) {
    reversed_ = std::move(reversed);
    losers_ = Left(reversed_.size());
  }

  /// Gives a claimant its slots: idle ones first, then of losers that the plan names, then of any
  /// leaf above its quota, in reverse priority order, that has slots which match.
  void claim(uint32_t claimant, int64_t slots) {
    wanted_.set_waits(claimant, false);
    slots = std::clamp<int64_t>(room_[claimant], 0, slots);  // it may not have lost what it was to
    if (!wanted_.of(claimant).empty()) slots = claim_wanted(claimant, slots);
    slots -= take(kNoIndex, claimant, slots);
    for (const uint32_t loser : named_.of(claimant)) {
      if (slots == 0) return;
      slots -= take(loser, claimant, std::min(slots, excess_[loser]));
    }
    for (uint32_t i = losers_.from(0); slots > 0 && i != losers_.end(); i = losers_.from(i + 1)) {
      const uint32_t loser = reversed_[i];
      slots -= take(loser, claimant, std::min(slots, excess_[loser]));
      if (excess_[loser] <= 0) losers_.remove(i);
    }
    if (slots > 0) missing_.push_back({claimant, slots});
  }

  /// Releases the slots that must leave it but that nobody takes (the leaf that was to have them
  /// may be able to use none): from the last host first, so that the first ones stay full.
  void release(uint32_t loser) {
    int64_t slots = std::min(forced_[loser], excess_[loser]);
    const std::vector<Spot>& spots = host_index_.spots(loser);
    for (const Offered which : {Offered::unneeded, Offered::unused, Offered::all}) {
      if (which == Offered::unneeded && !host_index_.any_needed()) continue;
      for (size_t i = spots.size(); i-- > 0 && slots > 0;) {
        const int64_t part = std::min(slots, host_index_.offered(spots[i], which));
        slots -= part;
        if (part > 0) move(loser, kNoIndex, spots[i].host, part);
      }
    }
  }

  /// An owner takes back just its slots, for which the loser gets others (moves.hpp).
  bool loses(uint32_t consumer) const { return planned_[consumer] > 0; }

  PlacedMoves finish() { return {std::move(made_.moves), std::move(missing_), host_index_.take()}; }

 private:
  /// The offer of one host; the most slots come first, then the group's order.
  struct Offer {
    int64_t slots = 0;
    uint32_t place = 0;
    uint32_t host = 0;
    bool operator<(const Offer& other) const {
      return slots != other.slots ? slots < other.slots : place > other.place;
    }
  };

  /// Gives a claimant slots that its work starts on, and no others for that work: idle ones first.
  /// Returns how many it gains besides.
  int64_t claim_wanted(uint32_t claimant, int64_t slots) {
    std::vector<Wanted> all = wanted_by(claimant);
    int64_t wanted = 0;
    for (const Wanted& one : all) wanted += one.slots;
    int64_t left = std::min(wanted, slots);
    const int64_t besides = slots - left;
    for (const bool idle : {true, false}) {
      for (Wanted& one : all) {
        const uint32_t from = idle ? kNoIndex : one.from;
        const int64_t part = std::min({left, one.slots, to_take(from, one.host, idle)});
        if (part <= 0) continue;
        move(from, claimant, one.host, part);
        one.slots -= part;
        left -= part;
      }
    }
    if (left > 0) missing_.push_back({claimant, left});
    return besides;
  }

  /// Slots that a claimant wants of one host.
  struct Wanted {
    uint32_t host = 0;
    uint32_t from = kNoIndex;
    int64_t slots = 0;
  };
  std::vector<Wanted> wanted_by(uint32_t claimant) const {
    std::vector<Wanted> all;
    uint32_t last = kNoIndex;
    for (const uint32_t host : wanted_.of(claimant)) {
      if (std::exchange(last, host) == host) continue;
      for (const HostWanted& one : host_index_.hosts()[host].wanted) {
        if (one.consumer == claimant) all.push_back({host, one.from, one.slots});
      }
    }
    return all;
  }

  /// Returns what one who is above its quota has there. For work that starts on just those slots it
  /// may lose more than the plan takes from it, for which others above their quotas lose less.
  int64_t to_take(uint32_t from, uint32_t host, bool idle) const {
    if (idle) return std::max<int64_t>(0, host_index_.free(host));
    return from != kNoIndex && above_[from] ? host_index_.held(host, from) : 0;
  }

  /// Slots to look at, of hosts that claimants to come want, or not.
  struct Look {
    Offered which;
    bool waited_for;
    bool spare = false;  // only what those claimants leave
  };

  /// Calls see(host, slots on offer) for each host in the group's order where slots may go from
  /// `from` to `to`, until it says false.
  template <class See>
  void each_offer(uint32_t from, uint32_t to, const Look& look, const See& see) {
    const auto show = [&](uint32_t host, int64_t offered) {
      const bool waits = wanted_.any_waits();
      if (!usable_(to, host) || (waits && wanted_.waited_for(host) != look.waited_for)) return true;
      return see(host, look.spare ? offered - wanted_.slots_waited_for(host) : offered);
    };
    if (from == kNoIndex) {
      Left& idle = host_index_.idle();
      for (uint32_t h = idle.from(0); h != idle.end(); h = idle.from(h + 1)) {
        if (!show(h, host_index_.offered(h, look.which))) return;
      }
      return;
    }
    const std::vector<Spot>& spots = host_index_.spots(from);
    for (size_t i = 0; i < spots.size(); ++i) {
      const Spot spot = spots[i];
      if (!show(spot.host, host_index_.offered(spot, look.which))) return;
    }
  }

  /// Takes slots on which nothing runs, on whichever host, before others; of both kinds those first
  /// that no claimant to come wants. What their holder's work would start on goes after what such
  /// claimants leave, and before what they want.
  int64_t take(uint32_t from, uint32_t to, int64_t slots) {
    int64_t taken = 0;
    for (const Look look :
         {Look{Offered::unneeded, false}, Look{Offered::unneeded, true, true},
          Look{Offered::unused, false}, Look{Offered::unneeded, true}, Look{Offered::unused, true},
          Look{Offered::all, false}, Look{Offered::all, true}}) {
      const int64_t left = slots - taken;
      if (left <= 0) break;
      if (look.which == Offered::unneeded && !host_index_.any_needed()) continue;
      if (look.waited_for && !wanted_.any_waits()) continue;
      taken += plan_.placement == Placement::balanced ? take_balanced(from, to, left, look)
                                                      : take_stacked(from, to, left, look);
    }
    return taken;
  }

  /// One host is filled before the next, in the group's order.
  int64_t take_stacked(uint32_t from, uint32_t to, int64_t slots, const Look& look) {
    int64_t taken = 0;
    each_offer(from, to, look, [&](uint32_t host, int64_t offer) {
      const int64_t part = std::min(offer, slots - taken);
      if (part <= 0) return true;
      move(from, to, host, part);
      taken += part;
      return taken < slots;
    });
    return taken;
  }

  /// Each slot from the host that has most on offer, the first of them.
  int64_t take_balanced(uint32_t from, uint32_t to, int64_t slots, const Look& look) {
    offers_.clear();
    each_offer(from, to, look, [&](uint32_t host, int64_t offer) {
      if (offer > 0) offers_.push_back({offer, static_cast<uint32_t>(offers_.size()), host});
      return true;
    });
    std::make_heap(offers_.begin(), offers_.end());
    int64_t taken = 0;
    for (; taken < slots && !offers_.empty(); ++taken) {
      std::pop_heap(offers_.begin(), offers_.end());
      Offer& most = offers_.back();
      move(from, to, most.host, 1);
      --most.slots;
      if (most.slots == 0) {
        offers_.pop_back();
      } else {
        std::push_heap(offers_.begin(), offers_.end());
      }
    }
    return taken;
  }

  void move(uint32_t from, uint32_t to, uint32_t host, int64_t slots) {
    if (from != kNoIndex) host_index_.change(host, from, -slots);
    if (to != kNoIndex) {
      host_index_.change(host, to, slots);
      room_[to] -= slots;
    }
    if (from != kNoIndex) {
      excess_[from] -= slots;
      room_[from] += slots;
      forced_[from] -= slots;
    }
    made_.add(from, to, host, slots);
  }

  const Plan& plan_;
  HostIndex host_index_;
  Usable usable_;
  const Lists named_;  // by claimant: whom the plan names to lose to it
  WantedHosts wanted_;
  std::vector<int64_t> excess_;   // by consumer: what it may lose still
  std::vector<bool> above_;       // by consumer: it may lose some
  std::vector<int64_t> room_;     // by consumer: what it may gain up to its quota, still
  std::vector<int64_t> planned_;  // by consumer: what the moves take from it
  std::vector<int64_t> forced_;   // by consumer: of that, what leaves it come what may, still
  std::vector<uint32_t> reversed_;
  Left losers_;  // of reversed_, those that can lose still
  Made made_;
  std::vector<HostHolding> missing_;
  std::vector<Offer> offers_;  // of one taking; kept for its memory
};

}  // namespace

PlacedMoves place_moves(const Plan& plan, const CompiledPlan& compiled, const PlanAnswer& answer,
                        std::vector<PlanHost> hosts, std::span<const Selection> select) {
  if (answer.moves.empty()) return {{}, {}, std::move(hosts)};  // as most cycles end
  Placing placing(plan, answer, std::move(hosts), select);
  std::vector<uint32_t> claimants;  // by priority, each with all it gains
  std::vector<uint32_t> reversed;   // who may lose, in reverse priority order
  std::vector<int64_t> gains(plan.consumers.size(), 0);
  for (const PlanMove& move : answer.moves) {
    if (move.to != kNoIndex) gains[move.to] += move.slots;
  }
  for (const uint32_t leaf : compiled.order().leaves) {
    const uint32_t consumer = compiled.nodes[leaf].consumer;
    (gains[consumer] > 0 ? claimants : reversed).push_back(consumer);
  }
  std::reverse(reversed.begin(), reversed.end());
  // Claimants that also lose come last: the others gain what these lose.
  std::stable_partition(claimants.begin(), claimants.end(),
                        [&](uint32_t claimant) { return !placing.loses(claimant); });
  placing.set_losers(std::move(reversed));
  for (const uint32_t claimant : claimants) placing.claim(claimant, gains[claimant]);
  for (const PlanMove& move : answer.moves) {
    if (move.from != kNoIndex) placing.release(move.from);
  }
  return placing.finish();
}

}  // namespace leasehold
