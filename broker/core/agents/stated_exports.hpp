// Stated exports: what a provider that greets in quarantine counts as exported, where the ledger
// says less (schema/wire/PROTOCOL.md, "Broker start"). The ledger may be of an older copy of the
// database, or the provider has not heard yet that slots are its own again. Whose they are is known
// when all have been heard; told of fewer, it would open as its own what another has in force.
#pragma once

#include "broker/core/model/turn.hpp"

namespace leasehold {

/// Exports as many as the provider states. Where its host has no room for all, others of its groups
/// that are in quarantine too give up what it does not count as theirs: exports that it has not
/// heard of yet, or that are over.
void keep_stated_exports(Turn& turn, uint32_t provider, const wire::StateBlock& block);

}  // namespace leasehold
