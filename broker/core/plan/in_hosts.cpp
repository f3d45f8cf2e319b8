#include "broker/core/plan/in_hosts.hpp"

#include <algorithm>

#include "broker/rules/plan/division/fill.hpp"
#include "broker/rules/plan/evaluate.hpp"
#include "common/check.hpp"

namespace leasehold {

namespace {

int64_t slots_of(int64_t hosts, const HostCount& there) {
  return there.hosts == 0 ? 0 : static_cast<int64_t>(Wide{hosts} * there.slots / there.hosts);
}

int64_t hosts_of(int64_t slots, const HostCount& there) {
  return hosts_wanted(slots, {}, there);
}

PlanHost as_one(const PlanHost& host) {
  PlanHost one = host;
  one.slots = host.slots > 0 ? 1 : 0;
  for (HostHolding& held : one.held) held = {held.consumer, 1, held.used > 0 ? 1 : 0};
  one.busy = host.busy > 0 && one.held.empty() ? one.slots : 0;
  return one;
}

/// Returns the hosts that each leaf holds, in the group's order, by consumer; last those where
/// nothing moves.
std::vector<std::vector<HeldHost>> hosts_held(const PlanInSlots& slots,
                                              const std::vector<HostHolding>& without_contact) {
  std::vector<std::vector<HeldHost>> held(slots.plan->consumers.size());
  for (const PlanHost& host : slots.hosts) {
    for (const HostHolding& one : host.held) {
      held[one.consumer].push_back({host.slots, one.used > 0});
    }
  }
  for (const HostHolding& one : without_contact) held[one.consumer].push_back({one.slots, true});
  return held;
}

void count_leaf(const PlanInSlots& slots, const std::vector<HeldHost>& held, LeafState& leaf) {
  leaf.allocated = static_cast<int64_t>(held.size());
  leaf.demand = hosts_wanted(leaf.demand, held, slots.there);
  if (!leaf.borrowed) return;
  int64_t left = leaf.allocated;
  for (Loan& loan : *leaf.borrowed) {
    loan.slots = std::min(left, hosts_of(loan.slots, slots.there));
    left -= loan.slots;
  }
  std::erase_if(*leaf.borrowed, [](const Loan& loan) { return loan.slots == 0; });
  leaf.shared = std::min(left, hosts_of(leaf.shared.value_or(0), slots.there));
}

/// Returns the slots that the leaves are due, and on how many hosts, by consumer.
std::vector<HostCount> due_by_consumer(const PlanInSlots& slots,
                                       const std::vector<HostHolding>& without_contact) {
  const std::vector<PlanConsumer>& consumers = slots.plan->consumers;
  std::vector<HostCount> due(consumers.size());
  const auto add = [&](const HostHolding& one) {
    for (uint32_t c = one.consumer; c != kNoIndex; c = consumers[c].parent) {
      due[c].slots += one.slots;
      ++due[c].hosts;
    }
  };
  for (const PlanHost& host : slots.hosts) std::for_each(host.held.begin(), host.held.end(), add);
  std::for_each(without_contact.begin(), without_contact.end(), add);
  return due;
}

/// Closes limits that are full on fewer hosts than the mean says, because hosts are of unlike
/// sizes: one more would be claimed again and again, and stay idle.
void close_full(const PlanInSlots& slots, const std::vector<HostHolding>& without_contact,
                Plan& in_hosts) {
  const std::vector<HostCount> due = due_by_consumer(slots, without_contact);
  for (uint32_t c = 0; c < due.size(); ++c) {
    const std::optional<int64_t>& limit = slots.plan->consumers[c].limit;
    if (!limit || due[c].slots < *limit) continue;
    in_hosts.consumers[c].limit = std::min(*in_hosts.consumers[c].limit, due[c].hosts);
  }
}

std::vector<HostHolding>::const_iterator holding_of(const PlanInSlots& slots, uint32_t consumer,
                                                    size_t host) {
  const std::vector<HostHolding>& held = slots.hosts[host].held;
  const auto found = std::find_if(held.begin(), held.end(), [consumer](const HostHolding& one) {
    return one.consumer == consumer;
  });
  LEASEHOLD_CHECK(found != held.end(), "who loses a host holds it");
  return found;
}

/// Turns moves of hosts into moves of slots.
class Slots {
 public:
  explicit Slots(PlanSnapshot& snapshot) : slots_(*snapshot.in_slots), plan_(*slots_.plan) {
    due_.resize(plan_.consumers.size(), 0);
    for (uint32_t c = 0; c < plan_.consumers.size(); ++c) {
      add(c, slots_.state.leaves[c].allocated);
    }
  }

  PlacedMoves turn(const PlacedMoves& hosts) {
    for (const PlacedMove& move : hosts.moves) {
      if (move.from != kNoIndex) before_.push_back({move.from, due_on(move.from, move.host)});
      if (move.from != kNoIndex) leave(move.from, move.host);
    }
    size_t taken = 0;
    for (const PlacedMove& move : hosts.moves) {
      const int64_t lost = move.from == kNoIndex ? 0 : before_[taken++].slots;
      const int64_t gained = move.to == kNoIndex ? 0 : gain(move.to, move.host);
      put(move.from, move.to, move.host, std::min(lost, gained));
      put(move.from, kNoIndex, move.host, lost - std::min(lost, gained));
      put(kNoIndex, move.to, move.host, gained - std::min(lost, gained));
    }
    for (const auto& [consumer, host] : hosts_held_alone()) fill_own_host(consumer, host);
    made_.missing = hosts.missing;
    made_.hosts = slots_.hosts;
    return std::move(made_);
  }

 private:
  int64_t due_on(uint32_t consumer, uint32_t host) const {
    return holding_of(slots_, consumer, host)->slots;
  }

  void add(uint32_t consumer, int64_t slots) {
    for (uint32_t c = consumer; c != kNoIndex; c = plan_.consumers[c].parent) due_[c] += slots;
  }

  void leave(uint32_t consumer, uint32_t host) {
    add(consumer, -due_on(consumer, host));
    leave_host(slots_, consumer, host);
  }

  /// Returns the room below its limit and those above it.
  int64_t room(uint32_t consumer) const {
    int64_t room = kMostSlots;
    for (uint32_t c = consumer; c != kNoIndex; c = plan_.consumers[c].parent) {
      room = std::min(room, plan_.consumers[c].limit.value_or(kMostSlots) - due_[c]);
    }
    return std::max<int64_t>(room, 0);
  }

  int64_t unmet(uint32_t consumer) const {
    return std::max<int64_t>(0, slots_.state.leaves[consumer].demand - due_[consumer]);
  }

  /// Slots of a host that becomes its own: all of them where it has no demand (a reserve).
  int64_t gain(uint32_t consumer, uint32_t host) {
    const int64_t wanted = unmet(consumer) > 0 ? unmet(consumer) : kMostSlots;
    const int64_t slots = std::min({wanted, slots_.hosts[host].slots, room(consumer)});
    add(consumer, slots);
    slots_.hosts[host].held.push_back({consumer, slots});
    return slots;
  }

  /// Hosts that one leaf holds alone: by leaf, then in the group's order.
  std::vector<std::pair<uint32_t, uint32_t>> hosts_held_alone() const {
    std::vector<std::pair<uint32_t, uint32_t>> found;
    for (uint32_t h = 0; h < slots_.hosts.size(); ++h) {
      const std::vector<HostHolding>& held = slots_.hosts[h].held;
      const auto others = [&](const HostHolding& one) { return one.consumer != held[0].consumer; };
      const bool alone = !held.empty() && std::none_of(held.begin(), held.end(), others);
      if (alone) found.emplace_back(held[0].consumer, h);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  void fill_own_host(uint32_t consumer, uint32_t h) {
    PlanHost& host = slots_.hosts[h];
    HostHolding& own = host.held.back();
    const int64_t more = std::min({unmet(consumer), room(consumer), host.slots - own.slots});
    if (more <= 0) return;
    own.slots += more;
    add(consumer, more);
    put(kNoIndex, consumer, h, more);
  }

  void put(uint32_t from, uint32_t to, uint32_t host, int64_t slots) {
    if (slots > 0) made_.moves.push_back({from, to, host, slots});
  }

  PlanInSlots& slots_;
  const Plan& plan_;
  std::vector<int64_t> due_;         // by consumer, of parents the sum
  std::vector<HostHolding> before_;  // what the moves' losers were due there
  PlacedMoves made_;
};

/// Slots on the last so many hosts that each leaf shrinks by: the first ones stay full. By
/// consumer.
std::vector<int64_t> last_hosts(const PlanInSlots& slots, const PlanAnswer& in_hosts) {
  std::vector<int64_t> left(slots.plan->consumers.size(), 0);
  std::vector<int64_t> sum(left);
  for (const PlanRow& row : in_hosts.rows) left[row.consumer] = row.shrink;
  for (size_t h = slots.hosts.size(); h-- > 0;) {
    for (const HostHolding& one : slots.hosts[h].held) {
      if (left[one.consumer] <= 0) continue;
      sum[one.consumer] += one.slots;
      --left[one.consumer];
    }
  }
  return sum;
}

/// A row in hosts said in slots; `row` is that of the same consumer from the plan in slots.
void say_in_slots(const PlanRow& hosts, const PlanInSlots& slots, int64_t shrink, PlanRow& row) {
  const auto of = [&](int64_t count) { return slots_of(count, slots.there); };
  // A part of a host is what it wants of it.
  row.quota = std::min(of(hosts.quota), std::max(row.demand, row.allocated));
  row.borrowed = of(hosts.borrowed);
  row.lent = of(hosts.lent);
  row.shared = of(hosts.shared);
  row.free = of(hosts.free);
  row.change = of(hosts.change);
  row.shrink = shrink;
  row.loans = hosts.loans;
  for (Loan& loan : row.loans) loan.slots = of(loan.slots);
}

}  // namespace

void count_in_hosts(PlanSnapshot& snapshot) {
  PlanInSlots slots{snapshot.plan, snapshot.state, std::move(snapshot.hosts), {}, nullptr};
  slots.there.slots = *slots.state.slots;
  snapshot.hosts.clear();
  for (const PlanHost& host : slots.hosts) {
    snapshot.hosts.push_back(as_one(host));
    slots.there.hosts += snapshot.hosts.back().slots;
  }
  slots.there.hosts += static_cast<int64_t>(snapshot.without_contact.size());
  Plan in_hosts = in_whole_hosts(*slots.plan, slots.there);
  close_full(slots, snapshot.without_contact, in_hosts);
  in_hosts.placement = Placement::stacked;  // of hosts, each of which is one
  slots.in_hosts = std::make_shared<const Plan>(std::move(in_hosts));
  snapshot.plan = slots.in_hosts.get();
  snapshot.compiled = compile(*snapshot.plan);  // its numbers are of the hosts of now
  snapshot.state.slots = slots.there.hosts;
  const std::vector<std::vector<HeldHost>> held = hosts_held(slots, snapshot.without_contact);
  for (uint32_t c = 0; c < snapshot.state.leaves.size(); ++c) {
    count_leaf(slots, held[c], snapshot.state.leaves[c]);
  }
  snapshot.in_slots = std::move(slots);
}

void count_in_slots(PlanSnapshot& snapshot, PlanAnswer& answer, PlacedMoves& placed) {
  if (!snapshot.in_slots) return;
  PlanInSlots& slots = *snapshot.in_slots;
  PlanAnswer in_slots = evaluate_plan(*slots.plan, snapshot.ready->compiled, slots.state);
  std::vector<PlanRow*> row_of(slots.plan->consumers.size(), nullptr);
  for (PlanRow& row : in_slots.rows) row_of[row.consumer] = &row;
  const std::vector<int64_t> shrink = last_hosts(slots, answer);
  for (const PlanRow& row : answer.rows) {
    say_in_slots(row, slots, shrink[row.consumer], *row_of[row.consumer]);
  }
  in_slots.moves = std::move(answer.moves);
  answer = std::move(in_slots);
  snapshot.plan = slots.plan;
  snapshot.compiled = snapshot.ready->compiled;
  snapshot.state = slots.state;
  placed = Slots(snapshot).turn(placed);
  snapshot.hosts = std::move(slots.hosts);
}

void leave_host(PlanInSlots& slots, uint32_t consumer, size_t host) {
  const auto held = holding_of(slots, consumer, host);
  slots.state.leaves[consumer].allocated -= held->slots;
  slots.hosts[host].held.erase(held);
}

}  // namespace leasehold
