#include "broker/rules/demand_aware/unmet.hpp"

#include <algorithm>

namespace leasehold::demand_aware {

namespace {

/// Unmet demand counts for about so long.
constexpr int64_t kWindowMs = 3'600'000;

int64_t wanted_by(const Side& side, int64_t slots) {
  int64_t wanted = 0;
  for (const Waiting& waiting : side.waiting) {
    const int64_t most = slots / std::max<int64_t>(1, waiting.shape.slots) + 1;
    wanted += std::min(waiting.jobs, most) * waiting.shape.slots;
  }
  return std::min(wanted, slots);
}

}  // namespace

void count_unmet(const View& view, Ledger& ledger) {
  const bool first = ledger.evaluated_at.ms == INT64_MIN;
  const int64_t past_ms =
      first ? 0 : std::clamp<int64_t>(view.now - ledger.evaluated_at, 0, kWindowMs);
  for (const uint8_t m : {kProvider, kConsumer}) {
    int64_t& waited = ledger.waited_slot_s[m];
    waited -= waited * past_ms / kWindowMs;
    waited += ledger.wanted[m] * past_ms / 1000;
    ledger.wanted[m] = wanted_by(view.sides[m], view.slots);
  }
}

}  // namespace leasehold::demand_aware
