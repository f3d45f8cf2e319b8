// idle-comparison: LSF's rule for shared leases, to the letter (LSF, "Shared lease", How it
// works): the cluster with more idle slots loses, all idle slots go to the other, a tie changes
// nothing. Pure; on the totals of one group of slots and one consumer, decided by itself.
#pragma once

#include <cstdint>

#include "broker/rules/answer.hpp"

namespace leasehold {

enum class IdleWinner : uint8_t { nobody = 0, provider = 1, consumer = 2 };

/// Slots on hosts that are up for both sides; all >= 0, used <= available.
struct IdleCounts {
  int32_t provider_available = 0;
  int32_t provider_used = 0;
  int32_t consumer_available = 0;
  int32_t consumer_used = 0;

  constexpr int32_t provider_idle() const { return provider_available - provider_used; }
  constexpr int32_t consumer_idle() const { return consumer_available - consumer_used; }
  bool operator==(const IdleCounts&) const = default;
};

struct IdleOutcome {
  IdleWinner winner = IdleWinner::nobody;
  int32_t slots = 0;  // idle slots of the loser: what moves
};

constexpr IdleOutcome compare_idle(const IdleCounts& counts) {
  const int32_t idle_provider = counts.provider_idle();
  const int32_t idle_consumer = counts.consumer_idle();
  if (idle_provider > idle_consumer) return {IdleWinner::consumer, idle_provider};
  if (idle_consumer > idle_provider) return {IdleWinner::provider, idle_consumer};
  return {};
}

constexpr RuleAnswer idle_comparison(const IdleCounts& counts) {
  const IdleOutcome found = compare_idle(counts);
  if (found.winner == IdleWinner::nobody) return {Reason::tie, 0, false};
  const bool to_consumer = found.winner == IdleWinner::consumer;
  return {to_consumer ? Reason::provider_idle : Reason::consumer_idle, found.slots, to_consumer};
}

}  // namespace leasehold
