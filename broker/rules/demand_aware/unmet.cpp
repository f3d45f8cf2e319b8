#include "broker/rules/demand_aware/unmet.hpp"

#include <algorithm>

namespace leasehold::demand_aware {

namespace {

/// Unmet demand counts for about so long.
constexpr int64_t kWindowMs = 3'600'000;

/// By one of the jobs, of the smallest hosts that will do where it takes them whole.
int64_t slots_taken(const View& view, const Waiting& waiting) {
  const Shape& shape = waiting.shape;
  if (!shape.whole) return shape.slots;
  int64_t smallest = 0;
  for (uint32_t row = 0; row < view.rows.size(); ++row) {
    const int32_t size = view.rows[row].size;
    const bool fits = size >= shape.slots_per_host && waiting.may_use(row);
    if (fits && (smallest == 0 || size < smallest)) smallest = size;
  }
  return std::max(shape.slots, shape.hosts * smallest);
}

int64_t wanted_by(const View& view, uint8_t member) {
  int64_t wanted = 0;
  for (const Waiting& waiting : view.sides[member].waiting) {
    const int64_t slots = slots_taken(view, waiting);
    const int64_t most = view.slots / std::max<int64_t>(1, slots) + 1;
    wanted += std::min(waiting.jobs, most) * slots;
    if (wanted >= view.slots) return view.slots;
  }
  return wanted;
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
    ledger.wanted[m] = wanted_by(view, m);
  }
}

}  // namespace leasehold::demand_aware
