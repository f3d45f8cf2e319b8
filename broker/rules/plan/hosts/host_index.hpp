// Index of a placement's hosts: who holds what of them, by host and by consumer; which of them a
// claimant can use; what is left of lists whose entries are removed one by one. With it a move
// looks only at the hosts that it is about. Only place.cpp uses it, and leaf_demand.cpp `Usable`.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "broker/rules/plan/hosts/held_hosts.hpp"
#include "broker/rules/plan/plan.hpp"
#include "broker/rules/select/select.hpp"

namespace leasehold {

/// The numbers that are left of 0 … count-1; a number that is removed never comes back.
class Left {
 public:
  explicit Left(size_t count) : next_(count + 1) { std::iota(next_.begin(), next_.end(), 0U); }
  /// Returns the first number left from `index` on; end(): none is left.
  uint32_t from(uint32_t index) {
    while (next_[index] != index) {
      next_[index] = next_[next_[index]];
      index = next_[index];
    }
    return index;
  }
  void remove(uint32_t index) { next_[index] = index + 1; }
  uint32_t end() const { return static_cast<uint32_t>(next_.size() - 1); }

 private:
  std::vector<uint32_t> next_;
};

/// Lists of numbers by consumer, stored in one vector. Each list keeps the order of `entries`.
class Lists {
 public:
  struct Entry {
    uint32_t consumer;
    uint32_t number;
  };
  Lists(size_t consumers, const std::vector<Entry>& entries) : first_(consumers + 1, 0) {
    for (const Entry& entry : entries) ++first_[entry.consumer + 1];
    for (size_t c = 0; c < consumers; ++c) first_[c + 1] += first_[c];
    numbers_.resize(entries.size());
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (const Entry& entry : entries) numbers_[next[entry.consumer]++] = entry.number;
  }
  std::span<const uint32_t> of(uint32_t consumer) const {
    return {numbers_.data() + first_[consumer], numbers_.data() + first_[consumer + 1]};
  }

 private:
  std::vector<uint32_t> first_;
  std::vector<uint32_t> numbers_;
};

inline Lists barred_hosts(size_t consumers, const std::vector<PlanHost>& hosts) {
  std::vector<Lists::Entry> entries;
  for (uint32_t h = 0; h < hosts.size(); ++h) {
    for (const uint32_t consumer : hosts[h].barred) entries.push_back({consumer, h});
  }
  return {consumers, entries};
}

/// Returns for each consumer the hosts of which its work wants slots.
inline Lists wanted_hosts(size_t consumers, const std::vector<PlanHost>& hosts) {
  std::vector<Lists::Entry> entries;
  for (uint32_t h = 0; h < hosts.size(); ++h) {
    for (const HostWanted& wanted : hosts[h].wanted) entries.push_back({wanted.consumer, h});
  }
  return {consumers, entries};
}

/// Returns for each claimant the losers that the plan names for it, in the order of the moves.
inline Lists named_losers(size_t consumers, const std::vector<PlanMove>& moves) {
  std::vector<Lists::Entry> entries;
  for (const PlanMove& move : moves) {
    if (move.to != kNoIndex && move.from != kNoIndex) entries.push_back({move.to, move.from});
  }
  return {consumers, entries};
}

/// Answers which hosts a claimant can use. The answers are cached for one claimant at a time, which
/// asks for a host more than once.
class Usable {
 public:
  Usable(size_t consumers, const std::vector<PlanHost>& hosts, std::span<const Selection> select)
      : hosts_(hosts),
        select_(select),
        barred_(barred_hosts(consumers, hosts)),
        no_(hosts.size(), 0),
        yes_(hosts.size(), 0) {}

  bool operator()(uint32_t claimant, uint32_t host) {
    if (claimant != claimant_) begin(claimant);
    if (no_[host] == round_) return false;
    if (yes_[host] == round_) return true;
    const bool yes = claimant >= select_.size() || select_[claimant].matches(hosts_[host].facts);
    (yes ? yes_ : no_)[host] = round_;
    return yes;
  }

 private:
  void begin(uint32_t claimant) {
    claimant_ = claimant;
    ++round_;
    for (const uint32_t host : barred_.of(claimant)) no_[host] = round_;
  }

  const std::vector<PlanHost>& hosts_;
  std::span<const Selection> select_;
  Lists barred_;
  uint32_t claimant_ = kNoIndex;
  uint32_t round_ = 0;        // ordinal of the claimant being served
  std::vector<uint32_t> no_;  // by host: the round that last found it unusable
  std::vector<uint32_t> yes_;
};

/// The slots of a host that are looked at.
enum class Offered : uint8_t {
  unneeded,  // on which nothing runs, nor would start of their holder's waiting work
  unused,    // on which nothing runs
  all,
};

/// The hosts of a placement, and who holds what of them, by host and by consumer.
class HostIndex {
 public:
  HostIndex(size_t consumers, std::vector<PlanHost> hosts)
      : hosts_(std::move(hosts)), spots_(consumers), free_(hosts_.size()), idle_(hosts_.size()) {
    for (uint32_t h = 0; h < hosts_.size(); ++h) {
      free_[h] = hosts_[h].slots;
      for (uint32_t i = 0; i < hosts_[h].held.size(); ++i) {
        const HostHolding& one = hosts_[h].held[i];
        free_[h] -= one.slots;
        spots_[one.consumer].push_back({h, i});
        any_needed_ = any_needed_ || one.needed > 0;
      }
      if (free_[h] <= 0) idle_.remove(h);
    }
  }

  struct Spot {
    uint32_t host;
    uint32_t place;  // in PlanHost::held
  };
  /// Returns the places where the consumer holds something, or did, in the group's order.
  const std::vector<Spot>& spots(uint32_t consumer) const { return spots_[consumer]; }
  /// True if unneeded slots are others than unused ones.
  bool any_needed() const { return any_needed_; }
  /// Returns what somebody has there.
  int64_t offered(const Spot& spot, Offered which) const {
    const HostHolding& held = hosts_[spot.host].held[spot.place];
    if (which == Offered::all) return held.slots;
    const int64_t needed = which == Offered::unneeded ? held.needed : 0;
    return std::clamp<int64_t>(held.slots - held.used - needed, 0, held.slots);
  }
  /// Returns what is given to nobody.
  int64_t offered(uint32_t host, Offered which) const {
    const int64_t busy = which == Offered::all ? 0 : hosts_[host].busy;
    return std::clamp<int64_t>(free_[host] - busy, 0, std::max<int64_t>(0, free_[host]));
  }
  /// Returns the hosts that have slots which are given to nobody.
  Left& idle() { return idle_; }
  int64_t free(uint32_t host) const { return free_[host]; }
  /// Returns what the consumer has of that host.
  int64_t held(uint32_t host, uint32_t consumer) const {
    for (const HostHolding& held : hosts_[host].held) {
      if (held.consumer == consumer) return held.slots;
    }
    return 0;
  }
  const std::vector<PlanHost>& hosts() const { return hosts_; }
  std::vector<PlanHost> take() { return std::move(hosts_); }

  void change(uint32_t host, uint32_t consumer, int64_t slots) {
    free_[host] -= slots;
    if (free_[host] <= 0) idle_.remove(host);
    std::vector<Spot>& spots = spots_[consumer];
    const auto spot =
        std::lower_bound(spots.begin(), spots.end(), host,
                         [](const Spot& one, uint32_t wanted) { return one.host < wanted; });
    if (spot != spots.end() && spot->host == host) {
      hosts_[host].held[spot->place].slots += slots;
      return;
    }
    spots.insert(spot, {host, static_cast<uint32_t>(hosts_[host].held.size())});
    hosts_[host].held.push_back({consumer, slots});
  }

 private:
  std::vector<PlanHost> hosts_;
  std::vector<std::vector<Spot>> spots_;
  std::vector<int64_t> free_;
  Left idle_;
  bool any_needed_ = false;
};

}  // namespace leasehold
