#include "broker/views/forecast/hosts.hpp"

#include <algorithm>
#include <limits>

#include "broker/rules/demand_aware/packing.hpp"

namespace leasehold::forecasting {

namespace {

using demand_aware::IdleRow;
using demand_aware::Waiting;

int32_t counted(int64_t slots) {
  return static_cast<int32_t>(std::min<int64_t>(slots, std::numeric_limits<int32_t>::max()));
}

int64_t loose(const HostSlots& host) {
  return host.used - host.placed;
}

int64_t end_on_few(std::span<HostSlots> hosts, int64_t slots) {
  std::vector<HostSlots*> by_use;
  for (HostSlots& host : hosts) {
    if (loose(host) > 0) by_use.push_back(&host);
  }
  std::stable_sort(by_use.begin(), by_use.end(),
                   [](const HostSlots* a, const HostSlots* b) { return a->used < b->used; });
  for (HostSlots* host : by_use) {
    const int64_t some = std::min(loose(*host), slots);
    host->used -= some;
    slots -= some;
  }
  return slots;
}

int64_t end_on_all(std::span<HostSlots> hosts, int64_t slots) {
  int64_t used = 0;
  for (const HostSlots& host : hosts) used += loose(host);
  const int64_t some = std::min(slots, used);
  int64_t before = 0;
  int64_t ended = 0;
  for (HostSlots& host : hosts) {
    if (loose(host) == 0) continue;
    before += loose(host);
    const int64_t here = before * some / used - ended;
    ended += here;
    host.used -= here;
  }
  return slots - some;
}

bool would_do(const Waiting& waiting, const HostSlots& host, uint32_t position) {
  return host.known && host.idle() >= waiting.shape.slots_per_host && waiting.may_use(position);
}

}  // namespace

int64_t slots_in_all(std::span<const OnHost> slots) {
  int64_t sum = 0;
  for (const OnHost& one : slots) sum += one.slots;
  return sum;
}

int64_t end_work(std::span<HostSlots> hosts, int64_t slots, EndsOn where) {
  if (slots <= 0) return 0;
  return where == EndsOn::few ? end_on_few(hosts, slots) : end_on_all(hosts, slots);
}

std::vector<OnHost> use_any(std::span<HostSlots> hosts, int64_t slots) {
  std::vector<OnHost> on;
  for (uint32_t h = 0; h < hosts.size() && slots > 0; ++h) {
    const int64_t some = std::min(hosts[h].idle(), slots);
    if (some == 0) continue;
    hosts[h].place(some);
    slots -= some;
    on.push_back({h, some});
  }
  return on;
}

bool goes_anywhere(const Waiting& job) {
  const demand_aware::Shape& shape = job.shape;
  return !shape.whole && shape.hosts == 1 && shape.slots_per_host == 1 && job.rows.empty();
}

PutJobs put_jobs(const Waiting& waiting, std::span<const HostSlots> hosts, size_t first,
                 size_t last) {
  int64_t enough = 0;
  int64_t idle = 0;
  for (auto h = static_cast<uint32_t>(first); h < last; ++h) {
    if (!would_do(waiting, hosts[h], h)) continue;
    ++enough;
    idle += hosts[h].idle();
  }
  // Full hosts are not sorted in vain.
  if (enough < waiting.shape.hosts || idle < waiting.shape.slots) return {};
  std::vector<IdleRow> rows(last);
  for (auto h = static_cast<uint32_t>(first); h < last; ++h) {
    if (!would_do(waiting, hosts[h], h)) continue;
    rows[h].idle[demand_aware::kConsumer] = counted(hosts[h].idle());
    rows[h].size = counted(hosts[h].size);
  }
  demand_aware::Packing packing(demand_aware::kConsumer, rows, {}, 0);
  Waiting left = waiting;
  PutJobs put;
  while (left.jobs > 0) {  // of wide jobs it puts some at a time
    const int64_t jobs = packing.put(left).jobs;
    if (jobs == 0) break;
    put.jobs += jobs;
    left.jobs -= jobs;
  }
  for (const demand_aware::RowSlots& kept : packing.kept(rows)) {
    put.on.push_back({kept.row, kept.slots});
  }
  return put;
}

}  // namespace leasehold::forecasting
