// The references of words that leasectl, log, database, metrics and JSON share: reasons and events,
// made of the tables that spell them.
#pragma once

#include <string>

namespace leasehold {

/// Markdown, as schema/REASONS.md holds it.
std::string reasons_text();
/// Markdown, as schema/EVENTS.md holds it.
std::string events_text();

}  // namespace leasehold
