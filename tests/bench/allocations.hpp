// Counts the allocations that go through operator new in this program, and the bytes that are held.
// Linking allocations.cpp replaces the global operators; for benchmarks only.
#pragma once

#include <cstdint>

namespace leasehold::bench {

struct Allocations {
  int64_t count = 0;       // calls so far
  int64_t bytes_held = 0;  // with what the allocator adds for itself
};

Allocations allocations();

}  // namespace leasehold::bench
