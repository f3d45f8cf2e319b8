// Inventory: which hosts a cluster has, as its agent tells, and what is new of that.
#pragma once

#include <optional>
#include <vector>

#include "broker/core/model/event.hpp"
#include "broker/core/model/turn.hpp"

namespace leasehold {

/// What such an inventory of that session says that the state does not know: as an event for
/// step(), whichever of the two is shorter; nullopt: nothing. Contract: check_inventory() passed
/// it.
std::optional<Event> inventory_news(const State& state, uint32_t cluster, uint64_t session,
                                    const std::vector<wire::HostFacts>& hosts);

void inventory_reported(Turn& turn, const InventoryReported& event);
void inventory_changed(Turn& turn, const InventoryChanged& event);

}  // namespace leasehold
