#include "broker/daemon/leadership/cut_off.hpp"

#include <algorithm>

namespace leasehold {

namespace {

constexpr int64_t kWaitsMostMs = 3'600'000;
constexpr int64_t kDoublesMost = 20;

int64_t waits_ms(int64_t agent_timeout_ms, int64_t in_vain) {
  const int64_t doubled = agent_timeout_ms * (int64_t{1} << std::min(in_vain, kDoublesMost));
  return std::min(doubled, std::max(kWaitsMostMs, agent_timeout_ms));
}

}  // namespace

std::string CutOff::gives_to(int64_t now_ms, bool hears, int64_t agent_timeout_ms,
                             const std::vector<ComeTo>& others) {
  if (hears) {
    silent_since_ms_ = now_ms;
    in_vain_ = 0;
    return "";
  }
  if (silent_ms(now_ms) < waits_ms(agent_timeout_ms, in_vain_)) return "";
  const ComeTo* best = nullptr;
  for (const ComeTo& other : others) {
    if (other.agents == 0 || !other.may_lead) continue;
    const bool more = best == nullptr || other.agents > best->agents ||
                      (other.agents == best->agents && other.name < best->name);
    if (more) best = &other;
  }
  return best == nullptr ? "" : best->name;
}

void CutOff::gave() {
  ++in_vain_;
}

}  // namespace leasehold
