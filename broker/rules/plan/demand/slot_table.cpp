#include "broker/rules/plan/demand/slot_table.hpp"

#include <algorithm>
#include <utility>

#include "broker/rules/demand_aware/packing.hpp"

namespace leasehold {

using demand_aware::IdleRow;
using demand_aware::kConsumer;
using demand_aware::kProvider;
using demand_aware::RowSlots;

SlotTable::SlotTable(std::span<const PlanHost> hosts, bool whole_hosts, const Leaves& leaves)
    : of_(hosts), whole_hosts_(whole_hosts), stays_(&leaves.stays), hosts_(hosts.size()) {
  for (size_t h = 0; h < hosts.size(); ++h) {
    Host& host = hosts_[h];
    host.free = hosts[h].slots;
    for (const HostHolding& held : hosts[h].held) {
      host.free -= held.slots;
      const int64_t used = std::min(held.used, held.slots);
      host.parts.push_back({held.consumer, held.slots - used, used});
    }
    host.free = std::max<int64_t>(0, host.free);
    if (whole_hosts && host.parts.size() == 1) {
      host.parts.front().idle += std::exchange(host.free, 0);
    }
    std::sort(host.parts.begin(), host.parts.end(), [&leaves](const Part& a, const Part& b) {
      return leaves.place[a.consumer] > leaves.place[b.consumer];
    });
  }
  excess_.assign(stays_->size(), 0);
}

void SlotTable::clear_others(uint32_t consumer) {
  for (Host& host : hosts_) {
    std::erase_if(host.parts, [&](const Part& part) {
      if (part.consumer == consumer || (*stays_)[part.consumer]) return false;
      host.free += part.idle + part.used;
      return true;
    });
  }
}

void SlotTable::free_idle(uint32_t consumer) {
  for (Host& host : hosts_) {
    if (Part* part = part_of(host, consumer)) host.free += std::exchange(part->idle, 0);
  }
}

void SlotTable::spare_idle(uint32_t consumer, int64_t most) {
  excess_[consumer] = std::max(excess_[consumer], std::min(most, idle_of(consumer)));
}

SlotTable::Part* SlotTable::part_of(Host& host, uint32_t consumer) {
  const auto found = std::find_if(host.parts.begin(), host.parts.end(),
                                  [&](const Part& part) { return part.consumer == consumer; });
  return found == host.parts.end() ? nullptr : &*found;
}

const SlotTable::Part* SlotTable::part_of(const Host& host, uint32_t consumer) {
  const auto found = std::find_if(host.parts.begin(), host.parts.end(),
                                  [&](const Part& part) { return part.consumer == consumer; });
  return found == host.parts.end() ? nullptr : &*found;
}

/// Returns what the part's leaf could lose of it to the consumer.
int64_t SlotTable::may_lose(uint32_t consumer, uint32_t host, const Part& part, Reach reach) const {
  if (part.consumer == consumer || reach == Reach::free) return 0;
  if (reach == Reach::returned) {
    return is_own(consumer, host) && !(*stays_)[part.consumer] ? part.idle + part.used : 0;
  }
  const int64_t excess = std::max<int64_t>(0, excess_[part.consumer]);
  if (whole_hosts_) {
    return excess > 0 && (reach == Reach::used || part.used == 0) ? part.idle + part.used : 0;
  }
  return std::min(excess, part.idle + (reach == Reach::used ? part.used : 0));
}

/// Returns what others could lose of the host; where `whole_hosts`, all of it or nothing.
int64_t SlotTable::given(uint32_t consumer, uint32_t host, Reach reach) const {
  if (whole_hosts_ && hosts_[host].parts.size() > 1) return 0;
  int64_t slots = hosts_[host].free;
  for (const Part& part : hosts_[host].parts) {
    const int64_t some = may_lose(consumer, host, part, reach);
    if (whole_hosts_ && (some == 0 || some < part.idle + part.used)) return 0;
    slots += some;
  }
  return whole_hosts_ ? of_[host].slots : slots;
}

SlotTable::Rows SlotTable::rows(const TableLeaf& leaf, Reach reach) const {
  Rows rows(hosts_.size());
  for (uint32_t h = 0; h < rows.size(); ++h) {
    if (!leaf.usable[h]) continue;
    const Part* own = part_of(hosts_[h], leaf.consumer);
    if (own != nullptr) rows[h].idle[kConsumer] = static_cast<int32_t>(own->idle);
    const int64_t others = std::min(given(leaf.consumer, h, reach), of_[h].slots);
    rows[h].idle[kProvider] = static_cast<int32_t>(others);
    if (of_[h].slots >= of_[h].facts.slots) rows[h].size = static_cast<int32_t>(of_[h].slots);
  }
  return rows;
}

SlotTable::Rows SlotTable::rows_together(const TableLeaf& leaf, Reach reach,
                                         const demand_aware::Shape& shape) const {
  Rows rows = this->rows(leaf, reach);
  SlotTable left = *this;
  const int64_t of_others = int64_t{shape.hosts - 1} * shape.slots_per_host;
  const bool alike = whole_hosts_ || shape.whole || shape.hosts == 1;
  for (uint32_t h = 0; h < rows.size(); ++h) {
    const int64_t own = rows[h].idle[kConsumer];
    int64_t others = std::exchange(rows[h].idle[kProvider], 0);
    if (others > 0) others = std::min(left.given(leaf.consumer, h, reach), of_[h].slots);
    if (!alike) others = std::clamp<int64_t>(shape.slots - of_others - own, 0, others);
    const int64_t least = shape.whole ? of_[h].slots : shape.slots_per_host;
    if (others == 0 || own + others < least) continue;
    left.take(leaf.consumer, {0, {}, {{h, static_cast<int32_t>(others)}}});
    rows[h].idle[kProvider] = static_cast<int32_t>(others);
  }
  return rows;
}

PutJobs SlotTable::put(const demand_aware::Waiting& waiting, int64_t jobs, const Rows& rows) {
  const auto would_do = std::count_if(rows.begin(), rows.end(), [&](const IdleRow& row) {
    return int64_t{row.idle[kConsumer]} + row.idle[kProvider] >= waiting.shape.slots_per_host;
  });
  if (would_do < waiting.shape.hosts) return {};  // as on full hosts, without sorting them
  demand_aware::Waiting some = waiting;
  some.jobs = jobs;
  demand_aware::Packing packing(kConsumer, rows, {}, 0);
  PutJobs put;
  put.jobs = packing.put(some).jobs;
  put.own = packing.kept(rows);
  put.coming = packing.moves();
  return put;
}

/// False: those who hold the rest may not lose so much. Slots on which nothing runs go first.
bool SlotTable::lose(uint32_t consumer, const RowSlots& coming, Host& host, Losses& losses) const {
  if (whole_hosts_) return lose_whole(consumer, coming, host, losses);
  int64_t slots = coming.slots;
  const auto take = [&](uint32_t from, int64_t& has, int64_t most) {
    const int64_t some = std::clamp<int64_t>(most, 0, std::min(has, slots));
    if (some == 0) return int64_t{0};
    has -= some;
    slots -= some;
    losses.taken.push_back({consumer, from, coming.row, some});
    return some;
  };
  take(kNoIndex, host.free, slots);
  for (int64_t Part::*const kind : {&Part::idle, &Part::used}) {
    for (Part& part : host.parts) {
      if (part.consumer == consumer) continue;
      int64_t& gone = losses.of[part.consumer];
      gone += take(part.consumer, part.*kind, excess_[part.consumer] - gone);
    }
  }
  return slots == 0;
}

bool SlotTable::lose_whole(uint32_t consumer, const RowSlots& coming, Host& host,
                           Losses& losses) const {
  for (const Part& part : host.parts) {
    if (++losses.of[part.consumer] > excess_[part.consumer]) return false;
  }
  const uint32_t from = host.parts.empty() ? kNoIndex : host.parts.front().consumer;
  losses.taken.push_back({consumer, from, coming.row, coming.slots});
  const int64_t all = std::max<int64_t>(coming.slots, of_[coming.row].slots);
  host = {0, {{consumer, all - coming.slots, coming.slots}}};
  return true;
}

bool SlotTable::others_may_lose(uint32_t consumer, const PutJobs& put) const {
  Losses losses;
  return std::all_of(put.coming.begin(), put.coming.end(), [&](const RowSlots& coming) {
    Host host = hosts_[coming.row];
    return lose(consumer, coming, host, losses);
  });
}

std::vector<WantedSlots> SlotTable::take(uint32_t consumer, const PutJobs& put) {
  for (const RowSlots& own : put.own) {
    Part* part = part_of(hosts_[own.row], consumer);
    part->idle -= own.slots;
    part->used += own.slots;
  }
  Losses losses;
  for (const RowSlots& coming : put.coming) lose(consumer, coming, hosts_[coming.row], losses);
  for (const auto& [loser, slots] : losses.of) excess_[loser] -= slots;
  return std::move(losses.taken);
}

std::vector<WantedSlots> SlotTable::take_slots(const TableLeaf& leaf, Reach reach, int64_t slots) {
  std::vector<WantedSlots> taken;
  for (uint32_t h = 0; h < hosts_.size() && slots > 0; ++h) {
    if (!leaf.usable[h]) continue;
    const int64_t some = std::min(slots, given(leaf.consumer, h, reach));
    if (some <= 0) continue;
    const auto here = take(leaf.consumer, {0, {}, {{h, static_cast<int32_t>(some)}}});
    taken.insert(taken.end(), here.begin(), here.end());
    slots -= some;
  }
  return taken;
}

int64_t SlotTable::idle_of(uint32_t consumer) const {
  int64_t idle = 0;
  for (const Host& host : hosts_) {
    const Part* part = part_of(host, consumer);
    if (part == nullptr) continue;
    idle += !whole_hosts_ ? part->idle : part->used == 0 ? 1 : 0;
  }
  return idle;
}

int64_t SlotTable::idle_slots_of(uint32_t consumer) const {
  int64_t idle = 0;
  for (const Host& host : hosts_) {
    const Part* part = part_of(host, consumer);
    if (part != nullptr && (!whole_hosts_ || part->used == 0)) idle += part->idle;
  }
  return idle;
}

void SlotTable::keep_idle(uint32_t consumer, int64_t idle) {
  std::vector<Part*> parts;
  for (size_t h = hosts_.size(); h-- > 0;) {
    Part* part = part_of(hosts_[h], consumer);
    if (part != nullptr && !(whole_hosts_ && part->used > 0)) parts.push_back(part);
  }
  if (!whole_hosts_) {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part* a, const Part* b) { return a->idle < b->idle; });
  }
  for (Part* part : parts) {
    if (idle <= 0) break;
    const int64_t some = whole_hosts_ ? part->idle : std::min(part->idle, idle);
    part->idle -= some;
    part->used += some;
    idle -= whole_hosts_ ? 1 : some;
  }
}

bool SlotTable::in_use(uint32_t consumer, uint32_t host) const {
  const Part* part = part_of(hosts_[host], consumer);
  return part != nullptr && part->used > 0;
}

}  // namespace leasehold
