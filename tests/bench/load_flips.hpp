// Durable flips: 512 leases of 32 pairs of agents, all idle, flip at each evaluation, evaluations
// follow each other at once; beside a ROUTER and SQLite alone that keep the same bytes in as many
// commits (bare_flips.hpp). In turns of as many messages as the broker takes, and in turns that end
// at 64 flips, as on a disk that is soon done.
#pragma once

namespace leasehold::bench {

/// For about `seconds` each. Prints a line for each size of turns.
void measure_flips(int run, double seconds);

}  // namespace leasehold::bench
