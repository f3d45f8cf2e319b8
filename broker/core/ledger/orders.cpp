#include "broker/core/ledger/orders.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "broker/core/ledger/host_sets.hpp"
#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

/// Returns the longest grace of what is reclaimed from the member; an order has one.
int64_t order_grace_ms(const State& state, const SlotGroup& group, size_t member) {
  int64_t longest = reclaim_grace(state, group).least_ms;
  group.transfers.each_from(member, [&longest](const Transfer& transfer) {
    longest = std::max(longest, transfer.grace_ms);
  });
  return longest;
}

/// Returns the reason of the first reclaim from the member, because an order has one reason. The
/// agent shows it to people.
Reason order_reason(const SlotGroup& group, size_t member) {
  Reason first = Reason::none;
  group.transfers.each_from(member, [&first](const Transfer& transfer) {
    if (transfer.lowering == wire::Lowering::reclaim && first == Reason::none) {
      first = transfer.reason;
    }
  });
  return first;
}

/// Rows of one group whose reclaims a set of the same order stands for, or that a set names.
/// Ascending, so that asking for each row of a group does not cost the square of them.
using Chosen = std::vector<uint32_t>;

bool is_chosen(const Chosen& chosen, uint32_t row) {
  return std::binary_search(chosen.begin(), chosen.end(), row);
}

/// Work that must go is named by a limit of its own; what remains after it is withheld then.
bool reclaims_rows(const State& state, const SlotGroup& group, const AskedRow& asked) {
  return !state.frozen && !group.quarantined && asked.nominated > 0;
}

/// Returns how a row is to be given up; without a transfer (a hello stated too much) as jobs end.
wire::Lowering lowering_of(const State& state, const SlotGroup& group, size_t member, uint32_t row,
                           const AskedRow& asked, const Chosen& chosen) {
  if (withheld(state, group, member, row)) {
    const bool ends = reclaims_rows(state, group, asked);
    return ends ? wire::Lowering::reclaim : wire::Lowering::shrink;
  }
  const auto first = is_chosen(chosen, row) ? asked.first_but_reclaims : asked.first;
  return first.value_or(wire::Lowering::shrink);
}

/// Returns the limit that the member should have of the row: what it holds less what is asked. A
/// withheld row that nothing reclaims is ordered to 0 by shrink, which leaves it what its jobs use.
int32_t order_target(const State& state, const SlotGroup& group, size_t member, uint32_t row,
                     const AskedRow& asked) {
  const Holding& holding = group.at(row, member);
  const bool keeps_use = withheld(state, group, member, row);
  if (keeps_use && !reclaims_rows(state, group, asked)) return 0;
  // A member that may have missed an order may have a limit whose slots are another's by now.
  if (group.quarantined) {
    return group.members[member].trusted ? holding.stated : std::min(holding.stated, holding.held);
  }
  int32_t target = std::max(0, holding.held - (state.frozen ? 0 : asked.wanted));
  if (LEASEHOLD_CANARY(provider_takes_unallocated) && member == kProvider) {
    target += group.hosts[row].unallocated;
  }
  return keeps_use ? std::min(target, holding.stated) : target;
}

/// Returns the slots that the row keeps for itself: slots that a set asks for may come from another
/// row.
int32_t target_beside(const State& state, const SlotGroup& group, size_t member, uint32_t row,
                      const AskedRow& asked, const Chosen& chosen) {
  const int32_t target = order_target(state, group, member, row, asked);
  return is_chosen(chosen, row) ? target + asked.nominated : target;
}

/// True if the agent's last order for the row is outdated although its limit may be the same: an
/// open lowering would go on as jobs end.
bool must_turn(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  const Holding& holding = group.at(row, member);
  const bool any = holding.held > 0 || holding.withheld;
  return any && holding.withheld != withheld(state, group, member, row);
}

/// Slots of a withheld row that it does not use are asked for: it need not lower anything, but only
/// its answer makes them free.
bool answer_frees(const State& state, const SlotGroup& group, size_t member, uint32_t row,
                  const AskedRow& asked) {
  const Holding& holding = group.at(row, member);
  if (!withheld(state, group, member, row) || holding.stated >= holding.held) return false;
  return !state.frozen && !group.quarantined && asked.wanted > 0;
}

bool must_name(const Holding& row, int32_t target, bool all_rows) {
  return all_rows || row.stated != target || !row.confirmed;
}

/// Withdraws this group's part of an earlier order of the same batch. Parts for other groups stay.
/// Host sets span groups, so they are dropped.
void retract(Effects& out, SendOrder& earlier, uint64_t generation) {
  earlier.sets = 0;
  const auto parts = std::span(out.parts).subspan(earlier.first_part, earlier.parts);
  for (SendPart& part : parts) {
    if (part.generation == generation) part.generation = 0;
  }
  if (earlier.generation != generation) return;
  earlier.generation = 0;
  for (SendPart& part : parts) {
    if (part.generation == 0) continue;
    earlier.generation = std::exchange(part.generation, 0);
    earlier.first = part.first;
    earlier.count = part.count;
    return;
  }
}

bool names(const Effects& out, const SendOrder& order, uint64_t generation) {
  const auto parts = out.parts_of(order);
  return order.generation == generation ||
         std::any_of(parts.begin(), parts.end(),
                     [&](const SendPart& part) { return part.generation == generation; });
}

/// An order replaces all earlier ones to (group, cluster). One of the same batch is not even sent:
/// the configuration that goes out before it may count exports otherwise than it did.
void replace_earlier(Turn& turn, Member& member, uint64_t generation) {
  std::vector<SendOrder>& orders = turn.out.orders;
  if (member.order_index < orders.size()) {
    SendOrder& earlier = orders[member.order_index];
    if (earlier.cluster == member.cluster && names(turn.out, earlier, generation)) {
      retract(turn.out, earlier, generation);
    }
  }
  member.order_index = static_cast<uint32_t>(orders.size());
}

struct Rows {
  uint32_t first = 0;
  uint32_t count = 0;
};

/// `named` are rows that a set names.
Rows put_rows(Turn& turn, uint32_t index, size_t member, bool all_rows, const Chosen& chosen,
              const Chosen& named) {
  SlotGroup& group = turn.group(index);
  Rows rows{static_cast<uint32_t>(turn.out.ordered.size()), 0};
  const AskedRows asked_rows(group, member);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const AskedRow asked = asked_rows.at(row);
    const int32_t target = target_beside(turn.state, group, member, row, asked, chosen);
    const bool named_anyway = all_rows || is_chosen(named, row) ||
                              answer_frees(turn.state, group, member, row, asked) ||
                              must_turn(turn.state, group, member, row);
    if (!must_name(std::as_const(group).at(row, member), target, named_anyway)) continue;
    Holding& holding = group.at(row, member);
    holding.ordered = target;
    holding.confirmed = false;
    holding.withheld = withheld(turn.state, group, member, row);
    turn.out.ordered.push_back(
        {row, target, lowering_of(turn.state, group, member, row, asked, chosen)});
  }
  rows.count = static_cast<uint32_t>(turn.out.ordered.size()) - rows.first;
  return rows;
}

void put_order(Turn& turn, uint32_t index, size_t member, bool all_rows) {
  SlotGroup& group = turn.group(index);
  Cluster& cluster = turn.cluster_of(group, member);
  const Rows rows = put_rows(turn, index, member, all_rows, {}, {});
  if (rows.count == 0) return;
  Member& receiver = group.members[member];
  SendOrder order;
  order.cluster = receiver.cluster;
  order.session = cluster.session;
  order.generation = group.generation;
  order.seq = receiver.seq = ++cluster.seq;
  order.grace_ms = order_grace_ms(turn.state, group, member);
  order.reason = order_reason(group, member);
  order.first = rows.first;
  order.count = rows.count;
  receiver.ordered_at = turn.now;
  receiver.chooses = false;
  replace_earlier(turn, receiver, group.generation);
  turn.out.orders.push_back(order);
  touch_group(turn, index);
  touch_cluster(turn, order.cluster);
}

bool may_be_ordered(const State& state, const SlotGroup& group, size_t member) {
  return state.config.mode == Mode::lease && connected(state, group, member);
}

bool waits_for_all(const State& state, const SlotGroup& group, size_t member) {
  const bool leaf = group.members[member].plan_consumer != kNoIndex;
  return leaf && state.clusters[group.members[member].cluster].chooses;
}

}  // namespace

void issue_order(Turn& turn, uint32_t index, size_t member, bool all_rows) {
  const SlotGroup& group = turn.group(index);
  if (!may_be_ordered(turn.state, group, member)) return;
  if (!waits_for_all(turn.state, group, member)) return put_order(turn, index, member, all_rows);
  const auto [known, added] =
      turn.order_at.emplace(uint64_t{index} << 32U | member, turn.orders.size());
  if (added) turn.orders.push_back({index, member, false});
  LaterOrder& later = turn.orders[known->second];
  later.all_rows = later.all_rows || all_rows;
}

namespace {

/// All that waits for one cluster's part in one plan.
class Covering {
 public:
  Covering(Turn& turn, uint32_t plan, uint32_t cluster, const std::vector<LaterOrder>& orders)
      : turn_(turn), plan_(plan), cluster_(cluster), sets_(host_sets(turn.state, plan, cluster)) {
    for (const LaterOrder& later : orders) {
      if (turn.group(later.group).phase == Phase::closed) continue;
      part_at_.emplace(later.group, parts_.size());
      parts_.push_back(later);
    }
    for (const RowRef& row : sets_.nominated) nominated_[row.group].push_back(row.row);
    for (const HostSet& set : sets_.sets) {
      for (const RowRef& row : set.rows) named_[row.group].push_back(row.row);
    }
    for (auto& [group, rows] : nominated_) std::sort(rows.begin(), rows.end());
    for (auto& [group, rows] : named_) std::sort(rows.begin(), rows.end());
  }

  void issue() {
    for (const HostSet& set : sets_.sets) {
      for (const RowRef& row : set.rows) cover(row.group, false);
    }
    // This order replaces the sets of their last one.
    for (const uint32_t g : turn_.state.resource_groups[plan_].slot_groups) {
      const size_t member = member_of(turn_.group(g), cluster_);
      if (member != kNoIndex && turn_.group(g).members[member].chooses) cover(g, true);
    }
    if (sets_.sets.empty()) {
      for (const LaterOrder& part : parts_) {
        put_order(turn_, part.group, part.member, part.all_rows);
      }
      return;
    }
    issue_one();
  }

 private:
  void cover(uint32_t g, bool all_rows) {
    const auto [known, added] = part_at_.emplace(g, parts_.size());
    if (added) parts_.push_back({g, member_of(turn_.group(g), cluster_), all_rows});
    LaterOrder& part = parts_[known->second];
    part.all_rows = part.all_rows || all_rows;
  }

  void issue_one() {
    Cluster& cluster = turn_.state.clusters[cluster_];
    SendOrder order;
    order.cluster = cluster_;
    order.session = cluster.session;
    order.seq = ++cluster.seq;
    std::vector<SendPart> parts;
    for (const LaterOrder& part : parts_) add_part(part, order, parts);
    put_sets(order);
    order.generation = parts.front().generation;
    order.first = parts.front().first;
    order.count = parts.front().count;
    order.first_part = static_cast<uint32_t>(turn_.out.parts.size());
    order.parts = static_cast<uint32_t>(parts.size() - 1);
    turn_.out.parts.insert(turn_.out.parts.end(), parts.begin() + 1, parts.end());
    turn_.out.orders.push_back(order);
    touch_cluster(turn_, cluster_);
  }

  void add_part(const LaterOrder& part, SendOrder& order, std::vector<SendPart>& parts) {
    SlotGroup& group = turn_.group(part.group);
    const Chosen& named = named_[part.group];
    const Rows rows =
        put_rows(turn_, part.group, part.member, part.all_rows, nominated_[part.group], named);
    if (rows.count == 0) return;
    Member& member = group.members[part.member];
    member.seq = order.seq;
    member.ordered_at = turn_.now;
    member.chooses = !named.empty();
    replace_earlier(turn_, member, group.generation);
    order.grace_ms = std::max(order.grace_ms, order_grace_ms(turn_.state, group, part.member));
    if (order.reason == Reason::none) order.reason = order_reason(group, part.member);
    parts.push_back({group.generation, rows.first, rows.count});
    touch_group(turn_, part.group);
  }

  /// Adds the sets: the ordered sum of their hosts, less the slots wanted of them.
  void put_sets(SendOrder& order) {
    order.first_set = static_cast<uint32_t>(turn_.out.sets.size());
    order.sets = static_cast<uint32_t>(sets_.sets.size());
    for (const HostSet& set : sets_.sets) {
      wire::ReclaimSet& put = turn_.out.sets.emplace_back();
      put.sum = -set.slots;
      put.grace_ms = set.grace_ms;
      put.whole_hosts = set.whole_hosts;
      for (const RowRef& row : set.rows) {
        const SlotGroup& group = turn_.group(row.group);
        put.hosts.push_back({group.generation, row.row});
        put.sum += group.at(row.row, member_of(group, cluster_)).ordered;
      }
    }
  }

  Turn& turn_;
  const uint32_t plan_;
  const uint32_t cluster_;
  const HostSets sets_;
  std::vector<LaterOrder> parts_;
  std::unordered_map<uint32_t, size_t> part_at_;    // place in parts_, by group
  std::unordered_map<uint32_t, Chosen> nominated_;  // rows of sets_, by group
  std::unordered_map<uint32_t, Chosen> named_;
};

}  // namespace

void issue_later_orders(Turn& turn) {
  using Part = std::pair<uint32_t, uint32_t>;  // plan, cluster
  std::map<Part, std::vector<LaterOrder>> orders;
  std::vector<Part> parts;  // as they are first mentioned
  for (const LaterOrder& later : turn.orders) {
    const SlotGroup& group = turn.group(later.group);
    const Part part{group.resource_group, group.members[later.member].cluster};
    if (orders[part].empty()) parts.push_back(part);
    orders[part].push_back(later);
  }
  for (const Part& part : parts) {
    Covering(turn, part.first, part.second, orders[part]).issue();
  }
}

}  // namespace leasehold
