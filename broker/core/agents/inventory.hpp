// Inventory: which hosts a cluster has, as its agent tells, and what is new of that.
#pragma once

#include <optional>
#include <vector>

#include "broker/core/model/event.hpp"
#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Returns the news of such an inventory of that session as an event for step(), the shorter of the
/// two; nullopt: the state knows all of it. Contract: check_inventory() passed it.
std::optional<Event> inventory_news(const State& state, uint32_t cluster, uint64_t session,
                                    const std::vector<wire::HostFacts>& hosts);

void inventory_reported(Turn& turn, const InventoryReported& event);
void inventory_changed(Turn& turn, const InventoryChanged& event);

}  // namespace leasehold
