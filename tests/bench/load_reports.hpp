// Measures incoming reports: 64 agents with 16 groups each; every report changes the use of all its
// groups.
#pragma once

namespace leasehold::bench {

/// Measures `rounds` reports of each agent: without a store, with it, and without merging (a turn
/// of one message), each beside a bare ROUTER that unpacks the same bytes. Prints a line each.
void measure_reports(int run, int rounds);

}  // namespace leasehold::bench
