// Makes the reference pages of the words that leasectl, log, database, metrics and JSON share:
// reasons and events, from the tables that spell them.
#pragma once

#include <string>

namespace leasehold {

/// Returns Markdown, as schema/REASONS.md holds it.
std::string reasons_text();
/// Returns Markdown, as schema/EVENTS.md holds it.
std::string events_text();

}  // namespace leasehold
