// Measures the whole loop of a broker with 64 agents and a PostgreSQL server, beside the same loop
// with a file: durable flips (load_flips.hpp) in turns of a slice each, and incoming reports
// (load_reports.hpp).
#pragma once

namespace leasehold::bench {

/// Measures flips for about `seconds` a store, and `rounds` reports of every agent. Prints a line
/// for each store.
void measure_server_loop(double seconds, int rounds);

}  // namespace leasehold::bench
