#include "broker/core/commands.hpp"

#include <algorithm>

#include "broker/core/evaluate.hpp"
#include "broker/core/expiry.hpp"
#include "broker/core/exports.hpp"
#include "broker/core/hosts.hpp"
#include "broker/core/offer.hpp"
#include "broker/core/orders.hpp"
#include "broker/core/takeover.hpp"

namespace leasehold {

const char* token(Command command) {
  switch (command) {
    case Command::rebalance:
      return "rebalance";
    case Command::drain:
      return "drain";
    case Command::resume:
      return "resume";
    case Command::close:
      return "close";
    case Command::open:
      return "open";
    case Command::freeze:
      return "freeze";
    case Command::thaw:
      return "thaw";
    case Command::forget:
      break;
  }
  return "forget";
}

namespace {

/// After a switch changed what members may have: shrinks are planned anew, offers continue.
void replan(Turn& turn, uint32_t cluster) {
  const std::vector<uint32_t> groups = turn.state.clusters[cluster].groups;
  for (uint32_t g : groups) {
    replan_returns(turn, g);
    offer(turn, g);
  }
}

void set_draining(Turn& turn, const OperatorCommand& event, bool draining) {
  const uint32_t cluster = find_cluster(turn.state, event.cluster);
  turn.state.clusters[cluster].draining = draining;
  touch_cluster(turn, cluster);
  replan(turn, cluster);
}

void close_host(Turn& turn, const OperatorCommand& event) {
  const uint32_t cluster = find_cluster(turn.state, event.cluster);
  for (Host& host : turn.state.clusters[cluster].hosts) {
    if (host.facts.name != event.host) continue;
    if (event.consumer.empty()) host.closed = true;
    const bool named = std::find(host.closed_for.begin(), host.closed_for.end(), event.consumer) !=
                       host.closed_for.end();
    if (!event.consumer.empty() && !named) host.closed_for.push_back(event.consumer);
    host.closed_reclaim = host.closed_reclaim || event.reclaim;
  }
  touch_hosts(turn, cluster);
  replan(turn, cluster);
}

void open_host(Turn& turn, const OperatorCommand& event) {
  const uint32_t cluster = find_cluster(turn.state, event.cluster);
  for (Host& host : turn.state.clusters[cluster].hosts) {
    if (host.facts.name != event.host) continue;
    if (event.consumer.empty()) {
      host.closed = false;
      host.closed_for.clear();
    }
    host.closed_for.erase(
        std::remove(host.closed_for.begin(), host.closed_for.end(), event.consumer),
        host.closed_for.end());
    host.closed_reclaim = host.closed_reclaim && (host.closed || !host.closed_for.empty());
  }
  touch_hosts(turn, cluster);
  replan(turn, cluster);
}

/// Frozen: lasting shrinks pause, so every order says what its agent holds. Thawed: they go on.
void set_frozen(Turn& turn, bool frozen) {
  turn.state.frozen = frozen;
  turn.state.dirty_config = true;
  for (uint32_t g = 0; g < turn.state.groups.size(); ++g) {
    if (turn.group(g).phase == Phase::closed) continue;
    for (size_t m = 0; m < turn.group(g).members.size(); ++m) issue_order(turn, g, m);
    look_again(turn.state, g);
    if (frozen) continue;
    plan_returns(turn, g);
    offer(turn, g);
  }
}

}  // namespace

void operator_command(Turn& turn, const OperatorCommand& event) {
  Record row;
  row.kind = RecordKind::operator_command;
  row.reason = Reason::operator_order;
  row.cluster = event.cluster.empty() ? kNoIndex : find_cluster(turn.state, event.cluster);
  row.group = event.lease.empty() ? kNoIndex : find_lease(turn.state, event.lease);
  row.numbers[0] = static_cast<int64_t>(event.command);
  turn.out.records.push_back(row);
  turn.changed = true;
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
      return set_frozen(turn, true);
    case Command::thaw:
      return set_frozen(turn, false);
    case Command::forget:
      forget_cluster(turn, row.cluster);
      return forget_identity(turn, row.cluster);
  }
}

}  // namespace leasehold
