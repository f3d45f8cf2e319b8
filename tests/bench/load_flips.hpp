// Durable flips: 512 leases of 32 pairs of agents, all idle, flip at each evaluation, evaluations
// follow each other at once; beside a ROUTER and SQLite alone that write as many rows.
#pragma once

namespace leasehold::bench {

/// For about `seconds` each. Prints a line.
void measure_flips(int run, double seconds);

}  // namespace leasehold::bench
