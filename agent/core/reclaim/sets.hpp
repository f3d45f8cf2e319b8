// ReclaimSets: reclaims that name a number for a set of hosts (wire::ReclaimSet): what their limits
// may add up to in the end. How many slots each host gives up is found here, by what comes free on
// it; which work ends is choice.hpp's. It only lowers limits; it fences nothing.
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

/// Refuses an order whose sets name a host that the order gives no limit, or one host twice.
/// Contract: its numbers were checked before (agent/core/bounds.hpp).
Status check_sets(const wire::Order& order);

class ReclaimSets {
 public:
  /// Takes over what an order brings. Contract: check_sets(), and it is later than all that any
  /// group of its sets has.
  void take(const wire::Order& order);
  /// Drops what is over. `begun`: the numbers of orders begun and not finished, by generation.
  void drop_ended(const Book& book, const std::map<uint64_t, uint64_t>& begun);
  /// Sets HostLimit::withheld of each host: how many of its slots are not to be refilled.
  void withhold(Book& book) const;
  /// Lowers limits of hosts by what is not in use there, from the first host of each set on, until
  /// its sum is reached. Returns the generations whose limits fell.
  std::vector<uint64_t> lower(Book& book, const UseByGeneration& used) const;
  /// Gives up a host that was chosen from a set of whole hosts: all of it goes when its work has
  /// ended.
  static void give_up(Book& book, const ChosenHost& chosen);

  /// Returns the slots that are fenced on hosts of sets beyond those that are to come back: the
  /// cluster may still use as many, on whichever of the hosts.
  int64_t fenced_beyond(const Book& book) const;

  bool in_force(const HeldSet& held, const Book& book) const;
  /// Returns the slots that are still to come back. Contract: the set is in force.
  int64_t excess(const HeldSet& held, const Book& book) const;

  const std::vector<HeldSet>& all() const { return sets_; }
  void restore(std::vector<HeldSet> sets) { sets_ = std::move(sets); }

 private:
  std::vector<HeldSet> sets_;
};

}  // namespace leasehold::agent
