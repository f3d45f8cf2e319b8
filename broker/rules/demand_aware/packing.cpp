#include "broker/rules/demand_aware/packing.hpp"

#include <algorithm>
#include <tuple>

namespace leasehold::demand_aware {

namespace {

int64_t all_of(const Place& place) {
  return int64_t{place.own} + place.given;
}

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
  for (size_t count = least; count < hosts.size(); ++count) {
    slots += hosts[hosts.size() - 1 - count]->size;
    if (slots >= shape.slots) return hosts.last(count + 1);
  }
  return {};
}

}  // namespace

Packing::Packing(uint8_t member, std::span<const IdleRow> rows, std::span<const int32_t> elsewhere,
                 int64_t protect)
    : member_(member), elsewhere_(elsewhere) {
  places_.reserve(elsewhere.size() + rows.size());
  for (const int32_t idle : elsewhere) places_.emplace_back().own = idle;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    const IdleRow& idle = rows[row];
    const int32_t own =
        idle.idle[member] + idle.beside[member] + (member == kProvider ? idle.on_way : 0);
    const int32_t given = idle.idle[other(member)];
    if (own == 0 && given == 0 && idle.in_use == 0) continue;  // nothing is ever put there
    Place& place = places_.emplace_back();
    place.own = own;
    place.given = given;
    place.row = row;
    place.size = idle.size;
    place.whole = idle.whole;
  }
  for (size_t at = places_.size(); at > elsewhere.size() && protect > 0; --at) {
    const auto kept = static_cast<int32_t>(std::min<int64_t>(protect, places_[at - 1].given));
    if (places_[at - 1].whole && kept > 0) places_[at - 1].given = kept;
    places_[at - 1].given -= kept;
    protect -= kept;
  }
  for (const Place& place : places_) idle_ += all_of(place);
}

bool Packing::usable(const Waiting& waiting, const Place& place) const {
  return place.row == kNoRow || waiting.may_use(place.row);
}

bool Packing::has_hosts(const Waiting& waiting) {
  int64_t lacking = waiting.shape.hosts;
  for (const Place& place : places()) {
    if (all_of(place) >= waiting.shape.slots_per_host && usable(waiting, place)) --lacking;
    if (lacking == 0) return true;
  }
  return false;
}

void Packing::order_places(Order order) {
  const std::span<Place> all = places();
  order_first(order, all, all.size());
}

/// Puts the first `count` of them in order, before the others.
void Packing::order_first(Order order, std::span<Place> all, size_t count) {
  if (all.size() < 2) return;  // as a lease has them most often
  const auto key = [order](const Place& place) {
    const int64_t own = place.own;
    if (order == Order::least_in_all) return std::tuple(all_of(place), own, place.row);
    return std::tuple(order == Order::most_own ? -own : own, int64_t{place.given}, place.row);
  };
  // Those outside the group that are alike are the same to all: this is one order.
  const auto less = [&key](const Place& a, const Place& b) { return key(a) < key(b); };
  if (count < all.size()) {
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                      less);
  } else {
    std::sort(all.begin(), all.end(), less);
  }
}

/// Returns the places where a job fits on one host, in order; no more than there are jobs.
std::span<Place> Packing::first_that_fit(const Waiting& waiting, int64_t jobs, bool with_given) {
  const std::span<Place> all = places();
  const auto end = std::partition(all.begin(), all.end(), [&](const Place& place) {
    const int64_t idle = with_given ? all_of(place) : place.own;
    return idle >= waiting.shape.slots && usable(waiting, place);
  });
  const std::span<Place> fit(all.begin(), end);
  const size_t most = std::min(fit.size(), static_cast<size_t>(jobs));
  order_first(with_given ? Order::most_own : Order::least_own, fit, most);
  return fit.first(most);
}

/// First what the member has. With the first slot of a whole host the rest of it comes along.
void Packing::take(Place& place, int64_t slots) {
  const int64_t own = std::min<int64_t>(slots, place.own);
  const auto rest = static_cast<int32_t>(slots - own);
  const int32_t moved = place.whole && rest > 0 ? place.given : rest;
  place.own += moved - rest - static_cast<int32_t>(own);
  place.given -= moved;
  place.moved += moved;
  slots_moved_ += moved;
  idle_ -= slots;
  if (place.row != kNoRow) own_taken_ += own;  // what is elsewhere was left unused by nobody
}

/// So many slots wherever they are; returns what was taken.
int64_t Packing::take_over(const Waiting& waiting, int64_t slots, bool with_given) {
  const int64_t wanted = slots;
  for (Place& place : places()) {
    if (slots == 0) break;
    if (!usable(waiting, place)) continue;
    const int64_t some = std::min<int64_t>(slots, with_given ? all_of(place) : place.own);
    take(place, some);
    slots -= some;
  }
  return wanted - slots;
}

/// Puts slots one by one, on any host.
Packing::Put Packing::put_anywhere(const Waiting& waiting) {
  int64_t own = 0;
  int64_t given = 0;
  for (const Place& place : places()) {
    if (!usable(waiting, place)) continue;
    own += place.own;
    given += place.given;
  }
  const int64_t size = waiting.shape.slots;
  const int64_t fit = std::min(waiting.jobs, (own + given) / size);
  const int64_t without = std::min(fit, own / size);
  if (fit == 0) return {};
  order_places(Order::least_in_all);
  take_over(waiting, fit * size, false);
  take_over(waiting, std::max<int64_t>(0, fit * size - own), true);
  return {fit, fit - without};
}

/// Whole jobs on one host each: on what the member has there, then with what it could be given.
Packing::Put Packing::put_on_one_host(const Waiting& waiting) {
  const int64_t size = waiting.shape.slots;
  Put put;
  for (const bool with_given : {false, true}) {
    for (Place& place : first_that_fit(waiting, waiting.jobs - put.jobs, with_given)) {
      const int64_t left = waiting.jobs - put.jobs;
      if (left == 0) return put;
      const int64_t fit = std::min(left, (with_given ? all_of(place) : place.own) / size);
      take(place, fit * size);
      put.jobs += fit;
      if (with_given) put.with_moves += fit;
    }
  }
  return put;
}

/// Finds a place for one job over several hosts: `picks_`. Each host but the last takes what it
/// has, but leaves enough for the least of each host to come.
bool Packing::fits(const Waiting& waiting, bool with_given) {
  picks_.clear();
  int64_t hosts = waiting.shape.hosts;
  int64_t slots = waiting.shape.slots;
  const int64_t least = waiting.shape.slots_per_host;
  const auto pick = [&](uint32_t at, int64_t idle, int64_t at_least) {
    const int64_t for_others = std::max<int64_t>(0, hosts - (at_least > 0 ? 1 : 0)) * least;
    const int64_t some = std::min(idle, std::max(at_least, slots - for_others));
    if (some <= 0) return;
    picks_.push_back({at, some});
    slots -= some;
    if (at_least > 0) hosts = std::max<int64_t>(0, hosts - 1);
  };
  const std::span<Place> all = places();
  for (const bool given : {false, true}) {
    if (given && !with_given) break;
    for (uint32_t at = 0; at < all.size() && (hosts > 0 || slots > 0); ++at) {
      if (!usable(waiting, all[at])) continue;
      const bool picked = given && all[at].own >= least;  // in the first round
      const int64_t idle = picked ? all[at].given : given ? all_of(all[at]) : all[at].own;
      if (picked || idle >= least) pick(at, idle, picked ? 0 : least);
    }
  }
  return hosts == 0 && slots <= 0;
}

Packing::Put Packing::put_over_hosts(const Waiting& waiting) {
  Put put;
  const int64_t most = std::min(waiting.jobs, kWideJobsAtOnce);
  for (; put.jobs < most && has_hosts(waiting); ++put.jobs) {
    order_places(Order::most_own);
    const bool without = fits(waiting, false);
    if (!without && !fits(waiting, true)) break;
    for (const Pick& pick : picks_) take(places()[pick.place], pick.slots);
    if (!without) ++put.with_moves;
  }
  return put;
}

bool Packing::starts_elsewhere(const Waiting& waiting) const {
  int64_t hosts = 0;
  int64_t slots = 0;
  for (const int32_t idle : elsewhere_) {
    if (idle < waiting.shape.slots_per_host) continue;
    ++hosts;
    slots += idle;
  }
  return hosts >= waiting.shape.hosts && slots >= waiting.shape.slots;
}

/// Whatever order the bucket before wanted.
void Packing::put_elsewhere_first() {
  std::partition(places_.begin(), places_.end(),
                 [](const Place& place) { return place.row == kNoRow; });
}

Packing::Put Packing::put(const Waiting& waiting) {
  const Shape& shape = waiting.shape;
  if (shape.slots > idle_) return {};
  if (shape.whole) return put_on_whole_hosts(waiting);
  if (!elsewhere_.empty()) put_elsewhere_first();
  from_ = starts_elsewhere(waiting) ? elsewhere_.size() : 0;
  if (shape.slots_per_host == 1 && shape.hosts == 1) return put_anywhere(waiting);
  if (shape.hosts == 1 && shape.slots == shape.slots_per_host) return put_on_one_host(waiting);
  return put_over_hosts(waiting);
}

void Packing::take_used(std::span<const IdleRow> rows) {
  takes_used_ = true;
  for (Place& place : places_) {
    place.released = place.moved;
    if (place.row == kNoRow) continue;
    place.given += rows[place.row].in_use;
    idle_ += rows[place.row].in_use;
  }
}

std::vector<RowSlots> Packing::moves() const {
  return moved(false);
}

std::vector<RowSlots> Packing::reclaims() const {
  return moved(true);
}

std::vector<RowSlots> Packing::kept(std::span<const IdleRow> rows) const {
  std::vector<RowSlots> kept;
  for (const Place& place : places_) {
    if (place.row == kNoRow) continue;
    const IdleRow& idle = rows[place.row];
    const int32_t own = idle.idle[member_] + idle.beside[member_];
    const int32_t coming = member_ == kProvider ? idle.on_way : 0;
    const int32_t taken = place.whole && place.moved > 0 ? own : own + coming - place.own;
    if (const int32_t slots = std::min(own, taken); slots > 0) kept.push_back({place.row, slots});
  }
  std::sort(kept.begin(), kept.end(),
            [](const RowSlots& a, const RowSlots& b) { return a.row < b.row; });
  return kept;
}

std::vector<RowSlots> Packing::moved(bool of_used) const {
  std::vector<RowSlots> moves;
  if (slots_moved_ == 0) return moves;
  for (const Place& place : places_) {
    const bool used = takes_used_ && place.moved > place.released;
    if (place.moved > 0 && used == of_used) moves.push_back({place.row, place.moved});
  }
  std::sort(moves.begin(), moves.end(),
            [](const RowSlots& a, const RowSlots& b) { return a.row < b.row; });
  return moves;
}

// Work that takes its hosts whole: on hosts that are wholly idle, or would be with what the other
// could give, and all of each. The smallest that will do, so that the larger ones are left for work
// that needs them. Hosts outside the group are none of these: whether one is wholly idle is not
// known there.

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
