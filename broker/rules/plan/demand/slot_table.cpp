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

void SlotTable::spare_idle(uint32_t consumer) {
  excess_[consumer] = std::max(excess_[consumer], idle_of(consumer));
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

PutJobs SlotTable::put(const demand_aware::Waiting& waiting, int64_t jobs, const Rows& rows) {
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
bool SlotTable::lose(uint32_t consumer, const RowSlots& coming, Host& host, Lost& lost) const {
  if (whole_hosts_) return lose_whole(consumer, coming, host, lost);
  int64_t slots = coming.slots;
  const int64_t free = std::min(host.free, slots);
  host.free -= free;
  slots -= free;
  for (int64_t Part::*const kind : {&Part::idle, &Part::used}) {
    for (Part& part : host.parts) {
      if (slots == 0) return true;
      if (part.consumer == consumer) continue;
      int64_t& gone = lost[part.consumer];
      const int64_t most = std::min(part.*kind, slots);
      const int64_t some = std::clamp<int64_t>(excess_[part.consumer] - gone, 0, most);
      part.*kind -= some;
      gone += some;
      slots -= some;
    }
  }
  return slots == 0;
}

bool SlotTable::lose_whole(uint32_t consumer, const RowSlots& coming, Host& host,
                           Lost& lost) const {
  for (const Part& part : host.parts) {
    if (++lost[part.consumer] > excess_[part.consumer]) return false;
  }
  const int64_t all = std::max<int64_t>(coming.slots, of_[coming.row].slots);
  host = {0, {{consumer, all - coming.slots, coming.slots}}};
  return true;
}

bool SlotTable::others_may_lose(uint32_t consumer, const PutJobs& put) const {
  Lost lost;
  return std::all_of(put.coming.begin(), put.coming.end(), [&](const RowSlots& coming) {
    Host host = hosts_[coming.row];
    return lose(consumer, coming, host, lost);
  });
}

void SlotTable::take(uint32_t consumer, const PutJobs& put) {
  for (const RowSlots& own : put.own) {
    Part* part = part_of(hosts_[own.row], consumer);
    part->idle -= own.slots;
    part->used += own.slots;
  }
  Lost lost;
  for (const RowSlots& coming : put.coming) lose(consumer, coming, hosts_[coming.row], lost);
  for (const auto& [loser, slots] : lost) excess_[loser] -= slots;
}

std::vector<RowSlots> SlotTable::take_slots(const TableLeaf& leaf, Reach reach, int64_t slots) {
  std::vector<RowSlots> taken;
  for (uint32_t h = 0; h < hosts_.size() && slots > 0; ++h) {
    if (!leaf.usable[h]) continue;
    const int64_t some = std::min(slots, given(leaf.consumer, h, reach));
    if (some <= 0) continue;
    taken.push_back({h, static_cast<int32_t>(some)});
    take(leaf.consumer, {0, {}, {taken.back()}});
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

void SlotTable::keep_idle(uint32_t consumer, int64_t idle) {
  for (size_t h = hosts_.size(); h-- > 0 && idle > 0;) {
    Part* part = part_of(hosts_[h], consumer);
    if (part == nullptr || (whole_hosts_ && part->used > 0)) continue;
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
