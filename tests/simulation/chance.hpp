// Chance: everything random in a simulated run, drawn from its seed. It gives the same numbers on
// every machine (splitmix64; the distributions of <random> differ between libraries). Parts of the
// world draw from chances of their own, so that one more fault here does not change every draw
// elsewhere.
#pragma once

#include <cstdint>

namespace leasehold::simulation {

class Chance {
 public:
  explicit Chance(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 0x632be59bd9b4e019U) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// Returns 0 … n-1. Contract: n > 0.
  int64_t below(int64_t n) { return static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }
  /// Returns a number between `from` and `to`, both included.
  int64_t between(int64_t from, int64_t to) { return from + below(to - from + 1); }
  /// Returns true in `ppm` of a million cases.
  bool happens(int64_t ppm) { return below(1'000'000) < ppm; }
  bool one_in(int64_t n) { return below(n) == 0; }
  /// Returns a time that is mostly short and sometimes long: about `mean`, at most 8 times it.
  int64_t span(int64_t mean) {
    int64_t left = between(1, 2 * mean);
    for (int i = 0; i < 2 && one_in(4); ++i) left *= 2;
    return left;
  }
  Chance fork() { return Chance(next()); }

 private:
  uint64_t state_;
};

}  // namespace leasehold::simulation
