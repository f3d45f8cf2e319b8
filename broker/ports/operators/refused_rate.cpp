#include "broker/ports/operators/refused_rate.hpp"

#include <algorithm>
#include <utility>

namespace leasehold {

std::optional<int64_t> RefusedRate::count(const std::string& asker, Instant now) {
  const bool room = askers_.size() < kAskersMax || askers_.contains(asker);
  Asker& of = askers_[room ? asker : ""];
  const int64_t minutes = (now - of.written) / kEvery_ms;
  of.left = std::min(kInARow, of.left + minutes);
  if (of.left == 0) {
    ++of.silent;
    return std::nullopt;
  }
  --of.left;
  of.written = now;
  return 1 + std::exchange(of.silent, 0);
}

}  // namespace leasehold
