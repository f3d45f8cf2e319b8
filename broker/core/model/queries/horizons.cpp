#include "broker/core/model/queries/horizons.hpp"

#include <algorithm>

namespace leasehold {

Instant barred_from(const Host& host, const Cluster& borrower, uint32_t index) {
  if (!host.facts.horizon) return kNever;
  const Instant begin{host.facts.horizon->from_ms};
  const bool states_limits = borrower.ending && borrower.ending->longest_limit_ms;
  if (!states_limits) return is_barred(host, index) ? Instant{INT64_MIN} : begin;
  const int64_t longest_ms = *borrower.ending->longest_limit_ms;
  return longest_ms == wire::kNoTimeLimit ? Instant{INT64_MIN} : Instant{begin.ms - longest_ms};
}

bool is_barred(const Host& host, uint32_t borrower) {
  return std::binary_search(host.barred.begin(), host.barred.end(), borrower);
}

bool any_horizon(const Cluster& provider) {
  return std::any_of(provider.hosts.begin(), provider.hosts.end(),
                     [](const Host& host) { return host.facts.horizon || !host.barred.empty(); });
}

Instant next_horizon(const State& state) {
  Instant soonest = kNever;
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    if (!state.clusters[c].has_horizons) continue;
    each_borrower(state, c, [&](uint32_t id, uint32_t borrower) {
      const Host& host = state.clusters[c].hosts[id];
      if (is_barred(host, borrower)) return;
      soonest = std::min(soonest, barred_from(host, state.clusters[borrower], borrower));
    });
  }
  return soonest;
}

}  // namespace leasehold
