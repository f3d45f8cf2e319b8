#include "broker/rules/demand_aware/back_off.hpp"

#include <algorithm>

#include "common/canary.hpp"

namespace leasehold::demand_aware {

namespace {

constexpr int32_t kDoublingsMost = 10;
constexpr int64_t kLongestMs = int64_t{1} << 40;

}  // namespace

BackOff* find_back_off(Ledger& ledger, uint8_t member, const Shape& shape) {
  for (BackOff& one : ledger.back_offs) {
    if (one.member == member && one.shape == shape) return &one;
  }
  return nullptr;
}

bool waits_off(const Ledger& ledger, uint8_t member, const Shape& shape, Instant now) {
  return std::any_of(ledger.back_offs.begin(), ledger.back_offs.end(), [&](const BackOff& one) {
    return one.member == member && one.shape == shape && one.until > now;
  });
}

void back_off_from(Ledger& ledger, uint8_t member, const Shape& shape, Delay delay) {
  if (LEASEHOLD_CANARY(forgets_the_unused)) return;
  BackOff* found = find_back_off(ledger, member, shape);
  if (found == nullptr) {
    std::vector<BackOff>& all = ledger.back_offs;
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

}  // namespace leasehold::demand_aware
