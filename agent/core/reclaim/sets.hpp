// ReclaimSets: reclaims that name a number for a set of hosts (wire::ReclaimSet): what their limits
// may add up to in the end. Which host gives up how many is found here, by what comes free on it;
// which work ends is choice.hpp's. Lowers limits only; not fences, not the broker's orders.
//
// A set holds while its order is the last one of every group that its hosts are of. It waits where
// that order is begun and not finished, and is over with the first later order, whatever that
// brings: the broker repeats what still holds. So an order that comes twice takes nothing twice,
// and one that comes late takes nothing at all.
//
// While slots are to come back none that comes free on any of the hosts is refilled: each limit is
// enforced lower by all that was to come back, so that use found under a fence that stands cannot
// rise above a limit that was lowered by less.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "agent/core/limits/book.hpp"

namespace leasehold::agent {

struct HeldSet {
  uint64_t seq = 0;       // of the order that brought it
  int64_t to_return = 0;  // slots to come back when it was ordered
  wire::ReclaimSet set;
  bool operator==(const HeldSet&) const = default;
};

struct ChosenHost {
  wire::SetHost host;
  int64_t grace_ms = 0;
};

/// Slots in use by generation, by host position; what no fence holds counts as in use.
using UseByGeneration = std::map<uint64_t, std::vector<int32_t>>;

/// An order whose sets name a host that it gives no limit, or one host twice, is refused. Its
/// numbers were looked at before (agent/core/bounds.hpp).
Status check_sets(const wire::Order& order);

class ReclaimSets {
 public:
  /// Takes over what an order brings. Contract: check_sets(), and it is later than all that any
  /// group of its sets has.
  void take(const wire::Order& order);
  /// Drops what is over. `begun`: the numbers of orders begun and not finished, by generation.
  void drop_ended(const Book& book, const std::map<uint64_t, uint64_t>& begun);
  /// Says of each host how much of it is not to be refilled.
  void withhold(Book& book) const;
  /// Hosts give up what is not in use there, the first of each set first, until its sum is reached.
  /// Returns the generations whose limits fell.
  std::vector<uint64_t> lower(Book& book, const UseByGeneration& used) const;
  /// A host of a set of whole hosts was chosen: all of it goes when its work has ended.
  static void give_up(Book& book, const ChosenHost& chosen);

  /// Slots that are fenced on the hosts of sets, beyond those that are to come back: the cluster
  /// may use them, on whichever of the hosts.
  int64_t fenced_beyond(const Book& book) const;

  bool in_force(const HeldSet& held, const Book& book) const;
  /// Slots that are to come back still. Contract: in force.
  int64_t excess(const HeldSet& held, const Book& book) const;

  const std::vector<HeldSet>& all() const { return sets_; }
  void restore(std::vector<HeldSet> sets) { sets_ = std::move(sets); }

 private:
  std::vector<HeldSet> sets_;
};

}  // namespace leasehold::agent
