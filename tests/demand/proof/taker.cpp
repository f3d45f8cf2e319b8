#include "tests/demand/proof/taker.hpp"

#include <algorithm>
#include <numeric>

namespace leasehold::demand_aware::proof {

namespace {

int64_t sum_of(const Idle& idle) {
  return std::accumulate(idle.begin(), idle.end(), int64_t{0});
}

/// Hosts that have a job's least; those with the fewest idle slots first, or the most.
struct Picked {
  std::array<size_t, kPlacesMost> hosts{};
  size_t count = 0;
};
Picked picked(const Shape& shape, const Idle& idle, bool fewest) {
  Picked all;
  for (size_t h = 0; h < kPlacesMost; ++h) {
    if (idle[h] >= shape.slots_per_host) all.hosts[all.count++] = h;
  }
  std::stable_sort(
      all.hosts.begin(), all.hosts.begin() + static_cast<ptrdiff_t>(all.count),
      [&](size_t a, size_t b) { return fewest ? idle[a] < idle[b] : idle[a] > idle[b]; });
  return all;
}

/// Tries every way to place the work, until one is found that no other can be better than.
class Search {
 public:
  Search(const Queue& queue, const Idle& idle) : queue_(queue), idle_(idle), most_(sum_of(idle)) {
    int64_t wanted = 0;
    for (const Waiting& waiting : queue) wanted += waiting.jobs * waiting.shape.slots;
    most_ = std::min(most_, wanted);
  }

  int64_t most() {
    buckets(0, 0, 0);
    return best_;
  }

 private:
  bool enough() const { return best_ == most_; }

  void buckets(size_t bucket, int64_t taken, int64_t of_bucket) {
    best_ = std::max(best_, taken);
    if (enough() || bucket == queue_.size()) return;
    if (of_bucket < queue_[bucket].jobs) {
      on_hosts(bucket, taken, of_bucket, 0, queue_[bucket].shape.slots, 0);
    }
    if (!enough()) buckets(bucket + 1, taken, 0);
  }

  void on_hosts(size_t bucket, int64_t taken, int64_t of_bucket, size_t host, int64_t left,
                int64_t hosts) {
    const Shape& shape = queue_[bucket].shape;
    if (left == 0 && hosts >= shape.hosts) {
      return buckets(bucket, taken + shape.slots, of_bucket + 1);
    }
    if (host == kPlacesMost || enough()) return;
    const auto most = static_cast<int32_t>(std::min<int64_t>(left, idle_[host]));
    for (int32_t some = most; some >= shape.slots_per_host && !enough(); --some) {
      idle_[host] -= some;
      on_hosts(bucket, taken, of_bucket, host + 1, left - some, hosts + 1);
      idle_[host] += some;
    }
    if (!enough()) on_hosts(bucket, taken, of_bucket, host + 1, left, hosts);
  }

  const Queue& queue_;
  Idle idle_;
  int64_t most_ = 0;
  int64_t best_ = 0;
};

}  // namespace

bool place(const Shape& shape, Idle& idle) {
  const bool one_host = shape.hosts == 1;
  const bool whole = one_host && shape.slots == shape.slots_per_host;
  const Picked all = picked(shape, idle, one_host);
  int64_t left = shape.slots;
  int64_t hosts = std::max<int64_t>(1, shape.hosts);
  Idle after = idle;
  for (size_t i = 0; i < all.count && left > 0; ++i) {
    int32_t& there = after[all.hosts[i]];
    if (whole && there < left) continue;
    hosts = std::max<int64_t>(0, hosts - 1);
    const int64_t some = std::min<int64_t>(there, left - hosts * shape.slots_per_host);
    there -= static_cast<int32_t>(some);
    left -= some;
  }
  if (left > 0 || hosts > 0) return false;
  idle = after;
  return true;
}

int64_t most_started(const Queue& queue, const Idle& idle) {
  return Search(queue, idle).most();
}

}  // namespace leasehold::demand_aware::proof
