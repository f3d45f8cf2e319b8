#include "tests/demand/proof/site.hpp"

#include <algorithm>

#include "tests/demand/proof/taker.hpp"

namespace leasehold::demand_aware::proof {

namespace {

/// On a host that moves as a whole, slots idle beside work move with nobody.
IdleRow row_of(const HostSlots& host, bool whole_hosts) {
  IdleRow row;
  row.whole = whole_hosts;
  for (const uint8_t m : {kProvider, kConsumer}) {
    const bool beside = whole_hosts && host.idle[m] < host.exported();
    (beside ? row.beside : row.idle)[m] = host.idle[m];
  }
  row.in_use = host.used[kConsumer] + row.beside[kConsumer];
  return row;
}

/// Idle slots that a member has in the other leases: the provider alone is in several.
std::vector<int32_t> elsewhere(const Site& site, size_t lease) {
  std::vector<int32_t> idle;
  for (size_t other_lease = 0; other_lease < site.leases.size(); ++other_lease) {
    if (other_lease == lease) continue;
    for (const HostSlots& host : site.leases[other_lease].hosts) {
      if (host.idle[kProvider] > 0) idle.push_back(host.idle[kProvider]);
    }
  }
  return idle;
}

bool take_idle(HostSlots& host, uint8_t to, int32_t slots) {
  host.idle[other(to)] -= slots;
  host.idle[to] += slots;
  return host.idle[other(to)] >= 0;
}

/// Reclaims idle slots first. Work that ends waits again, in pieces.
bool reclaim(Site& site, size_t lease, const RowSlots& row) {
  HostSlots& host = site.leases[lease].hosts[row.row];
  const int32_t idle = std::min(row.slots, host.idle[kConsumer]);
  const int32_t used = row.slots - idle;
  host.idle[kConsumer] -= idle;
  host.used[kConsumer] -= used;
  host.idle[kProvider] += row.slots;
  Queue& queue = site.leases[lease].waiting;
  const auto single = std::find_if(queue.begin(), queue.end(),
                                   [](const Waiting& one) { return one.shape == Shape{}; });
  if (used > 0 && single != queue.end()) {
    single->jobs += used;
  } else if (used > 0) {
    queue.push_back({{}, used, 0, {}});
  }
  return host.used[kConsumer] >= 0;
}

void use(Site& site, size_t lease, uint8_t member, const Idle& taken) {
  for (size_t h = 0; h < site.leases[lease].hosts.size(); ++h) {
    int32_t left = taken[h];
    for (size_t i = 0; i < site.leases.size(); ++i) {
      if (member == kConsumer && i != lease) continue;
      HostSlots& host = site.leases[i].hosts[h];
      const int32_t some = std::min(left, host.idle[member]);
      host.idle[member] -= some;
      host.used[member] += some;
      left -= some;
    }
  }
}

}  // namespace

Idle Site::idle(size_t lease, uint8_t member) const {
  Idle sum{};
  for (size_t i = 0; i < leases.size(); ++i) {
    if (member == kConsumer && i != lease) continue;
    for (size_t h = 0; h < leases[i].hosts.size(); ++h) sum[h] += leases[i].hosts[h].idle[member];
  }
  return sum;
}

Idle Site::idle_by_lease(size_t lease, uint8_t member) const {
  Idle idle{};
  for (size_t i = 0; i < leases.size(); ++i) {
    if (member == kConsumer && i != lease) continue;
    for (size_t h = 0; h < leases[i].hosts.size(); ++h) {
      idle[i * kHostsMost + h] = leases[i].hosts[h].idle[member];
    }
  }
  return idle;
}

View view_of(const Site& site, size_t lease) {
  View view;
  view.now = site.now;
  view.settings = site.settings;
  for (const HostSlots& host : site.leases[lease].hosts) {
    view.rows.push_back(row_of(host, site.whole_hosts));
    view.exported.push_back(host.exported());
    view.slots += host.exported();
  }
  for (const uint8_t m : {kProvider, kConsumer}) view.sides[m].waiting = site.queue(lease, m);
  view.sides[kProvider].elsewhere = elsewhere(site, lease);
  return view;
}

bool carry_out(Site& site, size_t lease, const Answer& answer) {
  bool there = true;
  for (const RowSlots& row : answer.moves) {
    there = take_idle(site.leases[lease].hosts[row.row], answer.to, row.slots) && there;
  }
  for (const RowSlots& row : answer.reclaims) there = reclaim(site, lease, row) && there;
  return there;
}

int64_t start(Site& site, size_t lease, uint8_t member) {
  int64_t started = 0;
  Queue& queue = site.queue(lease, member);
  for (Waiting& waiting : queue) {
    while (waiting.jobs > 0) {
      Idle idle = site.idle(lease, member);
      const Idle before = idle;
      if (!place(waiting.shape, idle)) break;
      Idle taken{};
      for (size_t h = 0; h < kHostsMost; ++h) taken[h] = before[h] - idle[h];
      use(site, lease, member, taken);
      --waiting.jobs;
      started += waiting.shape.slots;
    }
  }
  std::erase_if(queue, [](const Waiting& one) { return one.jobs == 0; });
  return started;
}

}  // namespace leasehold::demand_aware::proof
