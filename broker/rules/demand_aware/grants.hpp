// Grants of the rule demand-aware: when the time of each is over, and what comes of it then. Not
// how what was left unused is moved back: decide.cpp.
#pragma once

#include "broker/rules/demand_aware/ledger.hpp"
#include "broker/rules/demand_aware/view.hpp"

namespace leasehold::demand_aware {

/// Returns when the time of the ledger's last grant is over. Where the provider comes first its
/// slots have to be home within a delay from when they arrived (README.md, 6).
Instant use_by(const Settings& settings, const Ledger& ledger);
/// Does the same for a grant whose slots have arrived.
Instant use_by(const Settings& settings, const Grant& arrived);

/// Returns the idle slots of the member's grants that may still be used.
int64_t still_granted(const Ledger& ledger, uint8_t member);

/// Ends the grants whose time is over. What the consumer never used of one has to go back to the
/// provider, and the work that it was for has to wait; what was used is not followed any further.
/// `on_way`: slots that are being taken back from work for the provider.
void end_grants(const View& view, Ledger& ledger, int64_t on_way);

/// Returns so many of the member's idle slots, from the last row on. A row that moves whole is not
/// divided.
std::vector<RowSlots> last_idle(const View& view, uint8_t member, int64_t slots);

/// A new grant replaces the last one, whose time is not over. The consumer's is kept, so that what
/// it leaves unused of it goes back all the same.
void replace_grant(const View& view, Ledger& ledger, Grant grant);

}  // namespace leasehold::demand_aware
