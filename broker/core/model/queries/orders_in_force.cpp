#include "broker/core/model/queries/orders_in_force.hpp"

#include <algorithm>
#include <utility>

namespace leasehold {

namespace {

/// Calls `see(order, command that takes it back)` for each order that stands.
template <class See>
void each_of_host(const Cluster& cluster, const Host& host, const See& see) {
  OperatorCommand open;
  open.command = Command::open;
  open.cluster = cluster.name;
  open.host = host.facts.name;
  open.only_this = true;
  if (host.closed) see(host.closed_order, open);
  for (size_t i = 0; i < host.closed_for.size(); ++i) {
    open.consumer = host.closed_for[i];
    see(host.closed_for_orders[i], open);
  }
}

template <class See>
void each_of_cluster(const Cluster& cluster, const See& see) {
  OperatorCommand resume;
  resume.command = Command::resume;
  resume.cluster = cluster.name;
  resume.half = DrainSide::exports;
  if (cluster.draining_exports) see(cluster.exports_order, resume);
  resume.half = DrainSide::imports;
  if (cluster.draining_imports) see(cluster.imports_order, resume);
  for (const Host& host : cluster.hosts) each_of_host(cluster, host, see);
}

template <class See>
void each_order(const State& state, const See& see) {
  OperatorCommand thaw;
  thaw.command = Command::thaw;
  thaw.only_this = true;
  if (state.frozen) see(state.freeze_order, thaw);
  for (const Cluster& cluster : state.clusters) each_of_cluster(cluster, see);
}

}  // namespace

OrderInForce order_in_force(const OperatorCommand& command, Instant now) {
  const bool later = command.from && *command.from > now;
  return {command.by, command.where, command.why,
          now,        command.until, later ? command.from : std::nullopt};
}

Instant begin_of(const OrderInForce& order) {
  return order.from.value_or(order.since);
}

Instant next_order_instant(const State& state) {
  Instant soonest = state.freeze_ahead ? begin_of(*state.freeze_ahead) : kNever;
  each_order(state, [&](const OrderInForce& order, const OperatorCommand&) {
    soonest = std::min(soonest, order.until);
  });
  return soonest;
}

std::vector<OperatorCommand> orders_over(const State& state, Instant now) {
  std::vector<OperatorCommand> over;
  each_order(state, [&](const OrderInForce& order, OperatorCommand take_back) {
    if (order.until > now) return;
    take_back.by = "broker";
    take_back.why = "the time that " + order.by + " gave the order is over";
    over.push_back(std::move(take_back));
  });
  return over;
}

}  // namespace leasehold
