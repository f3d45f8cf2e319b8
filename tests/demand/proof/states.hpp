// States are all sites of a number of hosts, up to the order of hosts, which makes no difference
// (play.hpp checks that), and the work that waits there.
#pragma once

#include <functional>
#include <string_view>

#include "tests/demand/proof/site.hpp"

namespace leasehold::demand_aware::proof {

enum class Kind : uint8_t { plain, whole_hosts, provider_first, two_leases };
inline constexpr std::array kKinds{Kind::plain, Kind::whole_hosts, Kind::provider_first,
                                   Kind::two_leases};
std::string_view name_of(Kind kind);

/// One host's slots in each lease of the site.
using HostState = std::vector<HostSlots>;

/// All states of a host with `slots_least` to `slots_most` slots in each lease.
std::vector<HostState> host_states(Kind kind, int32_t slots_least, int32_t slots_most);

/// Visits each multiset of `hosts` states, as a site without work; `number` counts them in order.
void each_site(Kind kind, const std::vector<HostState>& states, size_t hosts,
               const std::function<void(int64_t number, const Site& site)>& visit);

/// The work that may wait on a side: none; single slots; loose jobs; jobs of one host, over hosts,
/// too wide for most of what is idle; pairs of those.
const std::vector<Queue>& queues();
/// A smaller choice for two leases, which have three sides.
const std::vector<Queue>& few_queues();

}  // namespace leasehold::demand_aware::proof
