#include "broker/rules/demand_aware/back_off.hpp"

#include <algorithm>

#include "common/canary.hpp"

namespace leasehold::demand_aware {

namespace {

constexpr int32_t kDoublingsMost = 10;
constexpr int32_t kDoublingsOfAllMost = 4;
constexpr int64_t kLongestMs = int64_t{1} << 40;

/// Returns nullptr if the member's shape waits for nothing.
BackOff* find_back_off(BackOffs& all, uint8_t member, const Shape& shape) {
  for (BackOff& one : all) {
    if (one.member == member && one.shape == shape) return &one;
  }
  return nullptr;
}

}  // namespace

bool waits_off(const BackOffs& all, uint8_t member, const Shape& shape, Instant now) {
  return std::any_of(all.begin(), all.end(), [&](const BackOff& one) {
    return one.member == member && one.shape == shape && one.until > now;
  });
}

bool waits_off(const Ledger& ledger, uint8_t member, const Shape& shape, Instant now) {
  const bool all_waits = member == kConsumer && ledger.in_vain.until > now;
  return all_waits || waits_off(ledger.back_offs, member, shape, now);
}

void back_off_from(BackOffs& all, uint8_t member, const Shape& shape, Delay delay) {
  if (LEASEHOLD_CANARY(forgets_the_unused)) return;
  BackOff* found = find_back_off(all, member, shape);
  if (found == nullptr) {
    if (all.size() == kBackOffsMost) {
      all.erase(std::min_element(all.begin(), all.end(), [](const BackOff& a, const BackOff& b) {
        return a.until < b.until;
      }));
    }
    found = &all.emplace_back(BackOff{member, shape, {}, 0});
  }
  found->until =
      delay.now + std::min(kLongestMs, delay.ms << std::min(found->times, kDoublingsMost));
  found->times = std::min(found->times + 1, kDoublingsMost);
}

void back_off_as_a_whole(InVain& in_vain, Delay delay) {
  if (LEASEHOLD_CANARY(forgets_the_unused)) return;
  const int32_t most = kNewShapesMost + kDoublingsOfAllMost;
  in_vain.shapes = std::min(in_vain.shapes + 1, most);
  const int32_t doublings = in_vain.shapes - kNewShapesMost;
  if (doublings < 0) return;
  in_vain.until = delay.now + std::min(kLongestMs, delay.ms << doublings);
}

}  // namespace leasehold::demand_aware
