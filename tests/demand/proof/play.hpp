// Play evaluates a site, lease by lease, until it is at rest, and checks what must hold of every
// answer on the way.
#pragma once

#include <optional>
#include <string>

#include "tests/demand/proof/site.hpp"

namespace leasehold::demand_aware::proof {

/// The result of playing a site.
struct Course {
  int evaluations = 0;  // of each lease, until it was known to be at rest
  int last_move = 0;    // the evaluation, from 1; 0: nothing moved
  int moves = 0;
  /// Slots are gathered for a job in vain, go away, and are gathered again: at most two moves in 20
  /// minutes, and no others.
  bool in_turns = false;
  /// A grant was not used, and its work backed off: the scheduler placed other work otherwise, or
  /// one_as_two.
  bool left_unused = false;
  bool served_twice = false;  // two leases gave slots for one job
  bool one_as_two = false;    // slots of one host in two leases were taken for those of two hosts
  bool first_waits = false;   // with provider_first: idle slots were kept for the consumer's job
  std::string wrong;          // what must not be; "": nothing
};

Course play(Site site);

/// Whether the first answer of a lease is the same with its hosts in another order.
struct Orders {
  bool hosts = true;  // host for host, of hosts that are alike either
  std::string wrong;  // "": as many slots, to the same side, for the same reason
};
Orders orders_of(const Site& site);

/// Compares with the sides swapped, where one side alone has work. "": the answers are alike.
std::string other_way_round(const Site& site);

}  // namespace leasehold::demand_aware::proof
