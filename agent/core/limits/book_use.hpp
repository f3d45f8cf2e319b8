// These functions put a Book beside a look at the workload manager: caps wanted, use found, state
// to send. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/core/limits/book.hpp"

namespace leasehold::agent {

/// Returns the caps to enforce, by host name. Hosts of ours without leased slots are not named.
std::vector<HostCap> caps_of(const Book& book, const std::vector<wire::HostFacts>& own_hosts);
/// Returns one entry a group, in the order of Book::groups().
std::vector<GroupUse> use_of(const Book& book, const View& view);

/// Freezes every group on the hosts where what is enforced differs from what should be. Without
/// state: all of them. Returns how many hosts.
int freeze_differing(Book& book, const View& view, bool state_lost);

/// Appends one group. `unknown_too`: also hosts that the workload manager does not know; their
/// slots are taken to be in use.
void add_state(const LeasedGroup& group, const GroupUse& use, bool unknown_too,
               wire::StateBlock& block);
/// `used` for an order: a host that is not known gives up nothing.
std::vector<int32_t> used_for_order(const LeasedGroup& group, const GroupUse& use);

/// True while slots are coming free, or a first job on a leased slot is awaited: both are reported
/// at once.
bool awaits_use(const Book& book);

/// Return exports and limit by the configuration, which may be ahead of the orders: exports that no
/// order has named yet are still used as the provider's own, so the limit in effect is that much
/// higher.
int32_t effective_exports(const LeasedGroup& group, size_t position);
int32_t effective_limit(const LeasedGroup& group, size_t position);
/// Returns the caps to enforce on hosts whose cap differs from what is wanted. Caps that are wanted
/// no longer are lifted (own hosts) or closed (imported hosts).
std::vector<HostCap> differences(const std::vector<HostCap>& wanted,
                                 const std::vector<HostCap>& found,
                                 const std::vector<wire::HostFacts>& own_hosts);

}  // namespace leasehold::agent
