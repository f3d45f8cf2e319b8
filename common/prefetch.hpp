// prefetch() requests a cache line before it is read, so that several memory waits overlap.
//
// It is more than __builtin_prefetch: g++ 12 treats a function that does nothing else as free of
// effects and drops the calls that it does not inline, and the prefetches with them. The empty
// statement counts as an effect; it costs no instruction.
#pragma once

namespace leasehold {

inline void prefetch(const void* line) {
  __builtin_prefetch(line);
  asm volatile("");
}

}  // namespace leasehold
