// Keeps the exports that a provider in quarantine states at its greeting where the ledger has fewer
// (schema/wire/PROTOCOL.md, "Broker start"). The ledger may be of an older copy of the database, or
// the provider may not know yet that slots are its own again. Their holders are known when all
// members have stated theirs. With fewer exports in its orders, the provider would open as its own
// what another has in force.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Exports as many as the provider states. If its host has no room for all, others of its groups
/// that are in quarantine too give up what it does not count as theirs: exports that it does not
/// know of yet, or that are over.
void keep_stated_exports(Turn& turn, uint32_t provider, const wire::StateBlock& block);

}  // namespace leasehold
