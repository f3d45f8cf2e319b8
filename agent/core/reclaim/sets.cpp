#include "agent/core/reclaim/sets.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace leasehold::agent {

namespace {

/// The limits of an order, sorted by group and host so that one is found quickly: an order may be
/// about every host of a plan. If two parts name one group, the first counts.
class OrderLimits {
 public:
  explicit OrderLimits(const wire::Order& order) {
    std::set<uint64_t> named{order.generation};
    add(order.generation, order.hosts);
    for (const wire::OrderPart& part : order.parts) {
      if (named.insert(part.generation).second) add(part.generation, part.hosts);
    }
    if (!std::is_sorted(rows_.begin(), rows_.end(), before)) {
      std::stable_sort(rows_.begin(), rows_.end(), before);
    }
  }

  size_t size() const { return rows_.size(); }
  /// Returns nullopt if the order gives it no limit.
  std::optional<size_t> find(const wire::SetHost& host) const {
    const Row wanted{{host.generation, host.host}, 0};
    const auto row = std::lower_bound(rows_.begin(), rows_.end(), wanted, before);
    if (row == rows_.end() || row->place != wanted.place) return std::nullopt;
    return static_cast<size_t>(row - rows_.begin());
  }
  int32_t limit(size_t row) const { return rows_[row].limit; }

 private:
  struct Row {
    std::pair<uint64_t, uint32_t> place;  // generation, host
    int32_t limit = 0;
  };
  static bool before(const Row& one, const Row& other) { return one.place < other.place; }
  void add(uint64_t generation, const std::vector<wire::OrderedHost>& hosts) {
    for (const wire::OrderedHost& named : hosts) {
      rows_.push_back({{generation, named.host}, named.limit});
    }
  }

  std::vector<Row> rows_;
};

tl::unexpected<Error> refused_set(const wire::Order& order, const wire::SetHost& host,
                                  const char* why) {
  return fail(ErrorCode::refused, "a set of order " + std::to_string(order.seq) + " names host " +
                                      std::to_string(host.host) + " of group " +
                                      std::to_string(host.generation) + why);
}

bool has_host(const LeasedGroup* group, uint32_t host) {
  return group != nullptr && host < group->limits.hosts.size();
}

HostLimit& limit_of(Book& book, const wire::SetHost& host) {
  return book.find(host.generation)->limits.hosts[host.host];
}

}  // namespace

Status check_sets(const wire::Order& order) {
  const OrderLimits ordered(order);
  std::vector<bool> seen(ordered.size(), false);
  for (const wire::ReclaimSet& set : order.sets) {
    for (const wire::SetHost& host : set.hosts) {
      const std::optional<size_t> row = ordered.find(host);
      if (!row) return refused_set(order, host, ", to which the order gives no limit");
      if (seen[*row]) return refused_set(order, host, " a second time");
      seen[*row] = true;
    }
  }
  return {};
}

void ReclaimSets::take(const wire::Order& order) {
  const OrderLimits ordered(order);
  for (const wire::ReclaimSet& set : order.sets) {
    HeldSet held{order.seq, -set.sum, set};
    for (const wire::SetHost& host : set.hosts) {
      held.to_return += ordered.limit(*ordered.find(host));
    }
    sets_.push_back(std::move(held));
  }
}

bool ReclaimSets::in_force(const HeldSet& held, const Book& book) const {
  return std::all_of(held.set.hosts.begin(), held.set.hosts.end(), [&](const wire::SetHost& host) {
    const LeasedGroup* group = book.find(host.generation);
    return has_host(group, host.host) && group->limits.seq == held.seq;
  });
}

void ReclaimSets::drop_ended(const Book& book, const std::map<uint64_t, uint64_t>& begun) {
  const auto over = [&](const wire::SetHost& host, uint64_t seq) {
    const LeasedGroup* group = book.find(host.generation);
    if (!has_host(group, host.host)) return true;
    const auto order = begun.find(host.generation);
    return (order == begun.end() ? group->limits.seq : order->second) != seq;
  };
  std::erase_if(sets_, [&](const HeldSet& held) {
    return std::any_of(held.set.hosts.begin(), held.set.hosts.end(),
                       [&](const wire::SetHost& host) { return over(host, held.seq); });
  });
}

int64_t ReclaimSets::excess(const HeldSet& held, const Book& book) const {
  int64_t sum = 0;
  for (const wire::SetHost& host : held.set.hosts) {
    sum += kept_limit(book.find(host.generation)->limits.hosts[host.host]);
  }
  return sum - held.set.sum;
}

void ReclaimSets::withhold(Book& book) const {
  book.withhold_nothing();
  for (const HeldSet& held : sets_) {
    if (in_force(held, book) && excess(held, book) <= 0) continue;
    const auto slots = static_cast<int32_t>(std::clamp<int64_t>(held.to_return, 0, INT32_MAX));
    for (const wire::SetHost& host : held.set.hosts) {
      if (has_host(book.find(host.generation), host.host)) limit_of(book, host).withheld = slots;
    }
  }
}

int64_t ReclaimSets::fenced_beyond(const Book& book) const {
  int64_t slots = 0;
  for (const HeldSet& held : sets_) {
    const int64_t returning = in_force(held, book) ? excess(held, book) : held.to_return;
    if (returning <= 0) continue;
    slots -= returning;
    for (const wire::SetHost& host : held.set.hosts) {
      const LeasedGroup* group = book.find(host.generation);
      if (!has_host(group, host.host)) continue;
      const HostLimit& limit = group->limits.hosts[host.host];
      slots += std::min(limit.withheld, kept_limit(limit));
    }
  }
  return std::max<int64_t>(0, slots);
}

std::vector<uint64_t> ReclaimSets::lower(Book& book, const UseByGeneration& used) const {
  std::set<uint64_t> fell;
  for (const HeldSet& held : sets_) {
    if (held.set.whole_hosts || !in_force(held, book)) continue;
    int64_t left = std::min(excess(held, book), held.to_return);
    for (const wire::SetHost& host : held.set.hosts) {
      HostLimit& limit = limit_of(book, host);
      if (limit.lowering || left <= 0) continue;
      const int32_t in_use = used.at(host.generation)[host.host];
      const auto part =
          static_cast<int32_t>(std::min<int64_t>(left, std::max(0, limit.limit - in_use)));
      if (part == 0) continue;
      limit.limit -= part;
      left -= part;
      fell.insert(host.generation);
    }
  }
  return {fell.begin(), fell.end()};
}

void ReclaimSets::give_up(Book& book, const ChosenHost& chosen) {
  GroupLimits& limits = book.find(chosen.host.generation)->limits;
  limits.hosts[chosen.host.host].lowering = OpenLowering{wire::Lowering::reclaim, 0, true};
  limits.grace_ms = std::max(limits.grace_ms, chosen.grace_ms);
}

}  // namespace leasehold::agent
