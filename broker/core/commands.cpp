#include "broker/core/commands.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/agents/expiry.hpp"
#include "broker/core/agents/takeover.hpp"
#include "broker/core/exports/reconcile.hpp"
#include "broker/core/lease/by_demand.hpp"
#include "broker/core/lease/evaluate.hpp"
#include "broker/core/ledger/orders.hpp"
#include "broker/core/ledger/overdue.hpp"
#include "broker/core/model/audit.hpp"
#include "broker/core/model/queries/orders_in_force.hpp"

namespace leasehold {

namespace {

/// Members may have more or less of the cluster's groups than before.
void caps_changed(Turn& turn, uint32_t cluster) {
  const std::vector<uint32_t> groups = turn.state.clusters[cluster].slot_groups;
  for (uint32_t g : groups) {
    turn.marks.add(g, Cause::caps_changed);
    group_changed(turn, g);
    renew_configuration_of(turn, turn.group(g));
    renew_host_sets(turn, g);
  }
}

void mark_draining(Turn& turn, Cluster& cluster, const OperatorCommand& event, bool draining) {
  const OrderInForce order = draining ? order_in_force(event, turn.now) : OrderInForce{};
  if (event.half != DrainSide::exports) {
    cluster.draining_imports = draining;
    cluster.imports_order = order;
  }
  if (event.half != DrainSide::imports) {
    cluster.draining_exports = draining;
    cluster.exports_order = order;
  }
}

void set_draining(Turn& turn, const OperatorCommand& event, bool draining) {
  const uint32_t cluster = find_cluster(turn.state, event.cluster);
  mark_draining(turn, turn.state.clusters[cluster], event, draining);
  touch_cluster(turn, cluster);
  // Its hosts export nothing, or what is due.
  if (event.half != DrainSide::imports) reconcile(turn);
  caps_changed(turn, cluster);
}

void close_for_all(Host& host, const OperatorCommand& event, Instant now) {
  host.closed = true;
  host.closed_order = order_in_force(event, now);
}

void close_for_one(Host& host, const OperatorCommand& event, Instant now) {
  const auto named = std::find(host.closed_for.begin(), host.closed_for.end(), event.consumer);
  const auto at = static_cast<size_t>(named - host.closed_for.begin());
  if (named == host.closed_for.end()) {
    host.closed_for.push_back(event.consumer);
    host.closed_for_orders.emplace_back();
  }
  host.closed_for_orders[at] = order_in_force(event, now);
}

void close_host(Turn& turn, const OperatorCommand& event) {
  const uint32_t cluster = find_cluster(turn.state, event.cluster);
  for (Host& host : turn.state.clusters[cluster].hosts) {
    if (host.facts.name != event.host) continue;
    event.consumer.empty() ? close_for_all(host, event, turn.now)
                           : close_for_one(host, event, turn.now);
    host.closed_reclaim = host.closed_reclaim || event.reclaim;
  }
  touch_hosts(turn, cluster);
  caps_changed(turn, cluster);
}

void open_for_one(Host& host, const std::string& consumer) {
  for (size_t i = host.closed_for.size(); i-- > 0;) {
    if (!consumer.empty() && host.closed_for[i] != consumer) continue;
    host.closed_for.erase(host.closed_for.begin() + static_cast<std::ptrdiff_t>(i));
    host.closed_for_orders.erase(host.closed_for_orders.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void open_host(Turn& turn, const OperatorCommand& event) {
  const uint32_t cluster = find_cluster(turn.state, event.cluster);
  for (Host& host : turn.state.clusters[cluster].hosts) {
    if (host.facts.name != event.host) continue;
    if (event.consumer.empty()) {
      host.closed = false;
      host.closed_order = {};
    }
    if (!event.only_this || !event.consumer.empty()) open_for_one(host, event.consumer);
    host.closed_reclaim = host.closed_reclaim && (host.closed || !host.closed_for.empty());
  }
  touch_hosts(turn, cluster);
  caps_changed(turn, cluster);
}

/// Frozen: lasting shrinks pause, so every order says what its agent holds. Thawed: they go on.
void set_frozen(Turn& turn, bool frozen, OrderInForce order) {
  turn.state.frozen = frozen;
  turn.state.freeze_order = std::move(order);
  turn.state.dirty_config = true;
  for (uint32_t g = 0; g < turn.state.slot_groups.size(); ++g) {
    if (turn.group(g).phase == Phase::closed) continue;
    for (size_t m = 0; m < turn.group(g).members.size(); ++m) issue_order(turn, g, m);
    surroundings_changed(turn.state, g);
    if (frozen) {
      forget_reaction(turn, g);
      continue;
    }
    resume_reclaims(turn, g);
    turn.marks.add(g, Cause::caps_changed);
  }
}

void freeze(Turn& turn, const OperatorCommand& event) {
  OrderInForce order = order_in_force(event, turn.now);
  if (!order.from) return set_frozen(turn, true, std::move(order));
  turn.state.freeze_ahead = std::move(order);
}

/// Dropping a freeze ahead must not restart the grace of reclaims while nothing is frozen.
void thaw(Turn& turn, const OperatorCommand& event) {
  const bool ahead_alone = !turn.state.frozen && turn.state.freeze_ahead;
  if (!event.only_this) turn.state.freeze_ahead.reset();
  if (!ahead_alone) set_frozen(turn, false, {});
}

void carry_out(Turn& turn, const OperatorCommand& event, const Record& row) {
  switch (event.command) {
    case Command::rebalance:
      return evaluate_now(turn, row.group);
    case Command::drain:
      return set_draining(turn, event, true);
    case Command::resume:
      return set_draining(turn, event, false);
    case Command::close:
      return close_host(turn, event);
    case Command::open:
      return open_host(turn, event);
    case Command::freeze:
      return freeze(turn, event);
    case Command::thaw:
      return thaw(turn, event);
    case Command::forget:
      forget_cluster(turn, row.cluster);
      return forget_identity(turn, row.cluster);
    case Command::step_down:
      return;  // the daemon's to do, after the commit; here it is in the history
  }
}

Record record_command(Turn& turn, const OperatorCommand& event, Reason reason) {
  Record row;
  row.kind = RecordKind::operator_command;
  row.reason = reason;
  row.cluster = event.cluster.empty() ? kNoIndex : find_cluster(turn.state, event.cluster);
  row.group = event.lease.empty() ? kNoIndex : find_lease(turn.state, event.lease);
  row.numbers[0] = static_cast<int64_t>(event.command);
  row.audit = std::make_shared<const Audit>(audit_of(event));
  turn.out.records.push_back(row);
  turn.state_changed = true;
  return row;
}

/// The order keeps who gave it, and why.
void begin_freeze(Turn& turn) {
  if (!turn.state.freeze_ahead || begin_of(*turn.state.freeze_ahead) > turn.now) return;
  OrderInForce order = *std::exchange(turn.state.freeze_ahead, std::nullopt);
  // It replaces the freeze in force, and ends none sooner.
  if (turn.state.frozen) order.until = std::max(order.until, turn.state.freeze_order.until);
  OperatorCommand begun;
  begun.command = Command::freeze;
  begun.by = "broker";
  begun.why = "the time that " + order.by + " gave the order has come";
  begun.until = order.until;
  record_command(turn, begun, Reason::operator_order);
  set_frozen(turn, true, std::move(order));
}

}  // namespace

void operator_command(Turn& turn, const OperatorCommand& event, Reason reason) {
  carry_out(turn, event, record_command(turn, event, reason));
  turn.state.operator_order_next = next_order_instant(turn.state);
}

void operator_refused(Turn& turn, const OperatorRefused& event) {
  Record& row = add_record(turn, RecordKind::operator_refused, event.reason);
  row.numbers[0] = event.times;
  row.audit = std::make_shared<const Audit>(audit_of(event));
}

void follow_orders(Turn& turn) {
  if (turn.state.operator_order_next > turn.now) return;
  begin_freeze(turn);
  for (const OperatorCommand& command : orders_over(turn.state, turn.now)) {
    operator_command(turn, command, Reason::order_over);
  }
  turn.state.operator_order_next = next_order_instant(turn.state);
}

}  // namespace leasehold
