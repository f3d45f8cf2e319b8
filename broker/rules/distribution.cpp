#include "broker/rules/distribution.hpp"

#include <algorithm>
#include <numeric>

namespace leasehold {

namespace {

__extension__ using Wide = __int128;

/// Indices of those with a share, largest remainder first, ties in list order.
std::vector<size_t> by_remainder(const std::vector<Wide>& remainders) {
  std::vector<size_t> order(remainders.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return remainders[a] > remainders[b]; });
  return order;
}

Wide positive(int64_t share) {
  return share > 0 ? share : 0;
}

}  // namespace

std::vector<int64_t> split(int64_t units, std::span<const int64_t> shares) {
  std::vector<int64_t> quotas(shares.size(), 0);
  Wide sum = 0;
  for (const int64_t share : shares) sum += positive(share);
  if (sum == 0 || units <= 0) return quotas;
  std::vector<Wide> remainders(shares.size());
  int64_t rest = units;
  for (size_t i = 0; i < shares.size(); ++i) {
    const Wide exact = units * positive(shares[i]);
    quotas[i] = static_cast<int64_t>(exact / sum);
    remainders[i] = exact % sum;
    rest -= quotas[i];
  }
  // The rest is the sum of the remainders over `sum`: fewer than those whose remainder is not 0.
  const std::vector<size_t> order = by_remainder(remainders);
  for (size_t i = 0; i < static_cast<size_t>(rest); ++i) ++quotas[order[i]];
  return quotas;
}

std::vector<uint32_t> deal(uint32_t units, std::span<const int64_t> shares) {
  std::vector<int64_t> left = split(units, shares);
  std::vector<uint32_t> order;
  const int64_t total = std::accumulate(left.begin(), left.end(), int64_t{0});
  while (static_cast<int64_t>(order.size()) < total) {
    for (size_t i = 0; i < left.size(); ++i) {
      if (left[i] == 0) continue;
      order.push_back(static_cast<uint32_t>(i));
      --left[i];
    }
  }
  return order;
}

std::vector<ShareSlots> deal_slots(std::span<const uint32_t> hosts, int32_t slots_per_host,
                                   std::span<const int64_t> shares) {
  std::vector<ShareSlots> by_share(shares.size());
  const std::vector<int64_t> quotas = split(slots_per_host, shares);
  for (size_t i = 0; i < shares.size(); ++i) {
    if (quotas[i] == 0) continue;
    for (const uint32_t host : hosts) {
      by_share[i].emplace_back(host, static_cast<int32_t>(quotas[i]));
    }
  }
  return by_share;
}

std::vector<ShareSlots> deal_hosts(std::span<const std::pair<uint32_t, int32_t>> hosts,
                                   std::span<const int64_t> shares) {
  std::vector<ShareSlots> by_share(shares.size());
  const std::vector<uint32_t> receivers = deal(static_cast<uint32_t>(hosts.size()), shares);
  for (size_t i = 0; i < receivers.size(); ++i) {
    if (hosts[i].second > 0) by_share[receivers[i]].push_back(hosts[i]);
  }
  return by_share;
}

std::vector<uint32_t> choose_hosts(const Selection& selection,
                                   std::span<const wire::HostFacts> inventory, int32_t nhosts,
                                   const std::vector<bool>& taken) {
  std::vector<uint32_t> chosen;
  for (size_t i = 0; i < inventory.size(); ++i) {
    if (static_cast<int64_t>(chosen.size()) >= nhosts) break;
    if (i < taken.size() && taken[i]) continue;
    if (inventory[i].slots > 0 && selection.matches(inventory[i])) {
      chosen.push_back(static_cast<uint32_t>(i));
    }
  }
  return chosen;
}

}  // namespace leasehold
