// Durable flips: 512 leases of 32 pairs of agents, all idle, flip at each evaluation, and
// evaluations follow each other at once. Beside them a ROUTER and SQLite alone keep the same bytes
// in as many commits (bare_flips.hpp). Turns have as many messages as the broker takes, or end at
// 64 flips, as on a disk that is soon done.
#pragma once

namespace leasehold::bench {

/// Measures for about `seconds` each. Prints a line for each size of turns.
void measure_flips(int run, double seconds);

}  // namespace leasehold::bench
