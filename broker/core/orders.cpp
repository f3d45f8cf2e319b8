#include "broker/core/orders.hpp"

#include <algorithm>

#include "broker/core/hosts.hpp"

namespace leasehold {

namespace {

/// The longest grace of what is reclaimed from the member; an order has one.
int64_t order_grace_ms(const State& state, const Group& group, size_t member) {
  if (group.plan == kNoIndex) return state.policies[group.policy].config.reclaim_grace_ms;
  int64_t longest = 0;
  for (const Transfer& transfer : group.transfers) {
    if (transfer.from == member) longest = std::max(longest, transfer.grace_ms);
  }
  return longest;
}

/// How a row is to be given up. Without a transfer (a hello that stated too much) as jobs end.
wire::Lowering lowering_of(const Group& group, size_t member, uint32_t row) {
  for (const Transfer& transfer : group.transfers) {
    if (transfer.from != member || transfer.step != TransferStep::releasing) continue;
    for (const auto& [host, slots] : transfer.wanted) {
      if (host == row && slots > 0) return transfer.lowering;
    }
  }
  return wire::Lowering::shrink;
}

bool must_name(const Holding& row, int32_t target, bool all_rows) {
  return all_rows || row.stated != target || !row.confirmed;
}

/// An order replaces all earlier ones to (group, cluster). One of the same batch is not even sent:
/// the configuration that goes out before it may count exports otherwise than it did.
void put_order(Turn& turn, Member& member, const SendOrder& order) {
  std::vector<SendOrder>& orders = turn.out.orders;
  if (member.order_slot < orders.size()) {
    SendOrder& earlier = orders[member.order_slot];
    if (earlier.cluster == order.cluster && earlier.generation == order.generation) {
      earlier = order;
      return;
    }
  }
  member.order_slot = static_cast<uint32_t>(orders.size());
  orders.push_back(order);
}

}  // namespace

int32_t order_target(const State& state, const Group& group, size_t member, uint32_t row) {
  const Holding& holding = group.at(row, member);
  // Who may have missed an order may have as its limit what is somebody else's by now.
  if (group.quarantined) {
    return group.members[member].trusted ? holding.stated : std::min(holding.stated, holding.held);
  }
  const int32_t wanted = state.frozen ? 0 : wanted_from(group, member, row);
  return std::max(0, holding.held - wanted);
}

void issue_order(Turn& turn, uint32_t index, size_t member, bool all_rows) {
  State& state = turn.state;
  Group& group = state.groups[index];
  Cluster& cluster = turn.cluster_of(group, member);
  if (state.config.mode == Mode::observe || cluster.contact != Contact::ok) return;
  SendOrder order;
  order.first = static_cast<uint32_t>(turn.out.ordered.size());
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    Holding& holding = group.at(row, member);
    const int32_t target = order_target(state, group, member, row);
    if (!must_name(holding, target, all_rows)) continue;
    holding.ordered = target;
    holding.confirmed = false;
    turn.out.ordered.push_back({row, target, lowering_of(group, member, row)});
  }
  order.count = static_cast<uint32_t>(turn.out.ordered.size()) - order.first;
  if (order.count == 0) return;
  order.cluster = group.members[member].cluster;
  order.session = cluster.session;
  order.generation = group.generation;
  order.seq = group.members[member].seq = ++cluster.seq;
  order.grace_ms = order_grace_ms(state, group, member);
  group.members[member].ordered_at = turn.now;
  put_order(turn, group.members[member], order);
  touch(turn, index);
  touch_cluster(turn, order.cluster);
}

}  // namespace leasehold
