// States are all ways in which leaves of small plans hold and use the slots of a few hosts, up to
// the order of hosts, and the work that waits for each leaf.
#pragma once

#include <functional>
#include <string_view>

#include "tests/demand/proof/plans/site.hpp"

namespace leasehold::demand_aware::proof::plans {

/// Plans. Where nothing else is said the leaves own alike, and hosts are filled one by one.
enum class Kind : uint8_t {
  hybrid,
  first_owns,   // hybrid: all is the first leaf's
  limited,      // hybrid: the first leaf has a limit of one slot below what it owns
  reserved,     // hybrid: one slot is reserved for the first leaf
  balanced,     // hybrid: hosts with most free slots come first
  whole_hosts,  // hybrid, in whole hosts
  provider,     // hybrid: the first leaf is the provider's own
  share_ratio,
  as_work_ends,  // share ratio: nothing is reclaimed
  ownership,     // all is lent
  first_lends,   // ownership: all is the first leaf's, and is lent
};
inline constexpr int kKinds = static_cast<int>(Kind::first_lends) + 1;
std::string_view name_of(Kind kind);

/// The size of a site.
struct Size {
  size_t hosts = 0;
  int32_t slots = 0;  // of each host
  size_t leaves = 0;
};

/// Returns a broker's state with that plan and agents that have reported; nobody holds anything.
State base_of(Kind kind, const Size& size);

/// All states of a host.
std::vector<HostState> host_states(Kind kind, const Size& size);

/// Visits each multiset of `hosts` states; `number` counts them in order.
void each_holding(
    const std::vector<HostState>& states, size_t hosts,
    const std::function<void(int64_t number, const std::vector<HostState>& hosts)>& visit);

/// The work that may wait for a leaf: none; single slots; jobs of one host, over hosts, too wide
/// for a host; two shapes.
const std::vector<Queue>& queues();
/// A smaller choice, for sites of many states.
const std::vector<Queue>& few_queues();

}  // namespace leasehold::demand_aware::proof::plans
