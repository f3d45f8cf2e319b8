// The part of Packing for work that takes its hosts whole: on hosts that are wholly idle, or would
// be with what the other could give, and all of each. The smallest that will do, so that the larger
// ones are left for work that needs them. Hosts outside the group are none of these: whether one is
// wholly idle is not known there.
#include <algorithm>
#include <tuple>

#include "broker/rules/demand_aware/packing.hpp"

namespace leasehold::demand_aware {

namespace {

int64_t size_together(std::span<Place* const> hosts) {
  int64_t slots = 0;
  for (const Place* host : hosts) slots += host->size;
  return slots;
}

/// Returns the smallest run of `shape.hosts` hosts, which are sorted by size, that has enough slots
/// together; if none has, as many of the largest hosts as it takes. Empty: there are too few.
std::span<Place*> choose(const Shape& shape, std::span<Place*> hosts) {
  const auto least = static_cast<size_t>(shape.hosts);
  if (hosts.size() < least) return {};
  int64_t slots = size_together(hosts.first(least));
  for (size_t at = 0;; ++at) {
    if (slots >= shape.slots) return hosts.subspan(at, least);
    if (at + least == hosts.size()) break;
    slots += hosts[at + least]->size - hosts[at]->size;
  }
  for (size_t count = least; slots < shape.slots; ++count) {
    if (count == hosts.size()) return {};
    slots += hosts[hosts.size() - 1 - count]->size;
    if (slots >= shape.slots) return hosts.last(count + 1);
  }
  return {};
}

}  // namespace

std::vector<Place*> Packing::wholly_idle(const Waiting& waiting, bool with_given) {
  std::vector<Place*> hosts;
  for (Place& place : places_) {
    const int64_t idle = int64_t{place.own} + (with_given ? place.given : 0);
    const bool fits = place.size >= waiting.shape.slots_per_host && idle == place.size;
    if (fits && place.row != kNoRow && waiting.may_use(place.row)) hosts.push_back(&place);
  }
  std::sort(hosts.begin(), hosts.end(), [](const Place* a, const Place* b) {
    return std::tuple(a->size, a->given, a->row) < std::tuple(b->size, b->given, b->row);
  });
  return hosts;
}

/// A host for each job. Returns how many were put.
int64_t Packing::take_each(const Waiting& waiting, int64_t jobs, const std::vector<Place*>& hosts) {
  int64_t put = 0;
  for (Place* host : hosts) {
    if (put == jobs) break;
    if (host->size < waiting.shape.slots) continue;
    take(*host, host->size);
    ++put;
  }
  return put;
}

/// One job; `hosts` loses those that it takes. False: it does not fit.
bool Packing::take_several(const Shape& shape, std::vector<Place*>& hosts) {
  const std::span<Place*> chosen = choose(shape, hosts);
  if (chosen.empty()) return false;
  for (Place* host : chosen) take(*host, host->size);
  const auto first = hosts.begin() + (chosen.data() - hosts.data());
  hosts.erase(first, first + static_cast<std::ptrdiff_t>(chosen.size()));
  return true;
}

Packing::Put Packing::put_on_whole_hosts(const Waiting& waiting) {
  const Shape& shape = waiting.shape;
  const bool alone = shape.hosts == 1 && shape.slots == shape.slots_per_host;
  const int64_t most = alone ? waiting.jobs : std::min(waiting.jobs, kWideJobsAtOnce);
  Put put;
  for (const bool with_given : {false, true}) {
    std::vector<Place*> hosts = wholly_idle(waiting, with_given);
    int64_t more = 0;
    if (alone) more = take_each(waiting, most - put.jobs, hosts);
    while (!alone && put.jobs + more < most && take_several(shape, hosts)) ++more;
    put.jobs += more;
    if (with_given) put.with_moves += more;
  }
  return put;
}

}  // namespace leasehold::demand_aware
