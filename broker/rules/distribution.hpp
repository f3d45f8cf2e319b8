// Distribution: how the slots, hosts or instances of an export are divided among its consumers by
// their shares (broker/rules/README.md, "Division by shares"; LSF's DISTRIBUTION). Pure and exact:
// 128-bit products, no rounding but the one stated. Consumers are positions in the list of shares.
//
// Contract: total for every input; a share below 1 counts as none, a negative number of units as 0.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "broker/rules/select/select.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

/// Divides `units`: each gets the floor of its share, then the rest go one each by largest
/// remainder, ties in list order. The sum is `units` unless nobody has a share: then all are 0.
std::vector<int64_t> split(int64_t units, std::span<const int64_t> shares);

/// Returns the receiver of unit 0, 1, 2 …: round and round in list order, leaving out each that has
/// its quota by split(). Empty if nobody has a share.
std::vector<uint32_t> deal(uint32_t units, std::span<const int64_t> shares);

/// One consumer's (host, slots) pairs, ascending as the hosts were given; never 0 slots.
using ShareSlots = std::vector<std::pair<uint32_t, int32_t>>;

/// Named hosts (`hosts` + `slots_per_host`): the slots of each host are split by themselves.
std::vector<ShareSlots> deal_slots(std::span<const uint32_t> hosts, int32_t slots_per_host,
                                   std::span<const int64_t> shares);

/// Chosen hosts (`select` + `nhosts`): whole hosts (host, slots) are dealt round in list order.
std::vector<ShareSlots> deal_hosts(std::span<const std::pair<uint32_t, int32_t>> hosts,
                                   std::span<const int64_t> shares);

/// Positions of the first `nhosts` hosts of the inventory, in its order, that match and have slots.
/// `taken[i]`: host i is exported already and is left out; shorter than the inventory: not taken.
std::vector<uint32_t> choose_hosts(const Selection& selection,
                                   std::span<const wire::HostFacts> inventory, int32_t nhosts,
                                   const std::vector<bool>& taken = {});

}  // namespace leasehold
