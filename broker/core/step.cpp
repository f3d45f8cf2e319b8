#include "broker/core/step.hpp"

#include <algorithm>

#include "broker/core/agents/expiry.hpp"
#include "broker/core/agents/inventory.hpp"
#include "broker/core/agents/lease_bounds.hpp"
#include "broker/core/agents/reported.hpp"
#include "broker/core/agents/sessions.hpp"
#include "broker/core/agents/slots_used.hpp"
#include "broker/core/agents/takeover.hpp"
#include "broker/core/agents/work_ended.hpp"
#include "broker/core/clock_set.hpp"
#include "broker/core/commands.hpp"
#include "broker/core/converge/converge.hpp"
#include "broker/core/exports/horizons.hpp"
#include "broker/core/exports/policies.hpp"
#include "broker/core/exports/reconcile.hpp"
#include "broker/core/lease/by_demand.hpp"
#include "broker/core/lease/evaluate.hpp"
#include "broker/core/lease/shadow.hpp"
#include "broker/core/lease/summaries.hpp"
#include "broker/core/ledger/orders.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/audit.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/plan/cycle.hpp"
#include "broker/core/plan/records.hpp"
#include "common/check.hpp"

namespace leasehold {

namespace {

void record_config(Turn& turn, const ConfigLoaded& event) {
  Record row;
  row.kind = RecordKind::config_loaded;
  row.audit = std::make_shared<const Audit>(audit_of(event));
  row.numbers = {static_cast<int64_t>(turn.state.config.clusters.size()),
                 static_cast<int64_t>(turn.state.config.policies.size())};
  turn.out.records.push_back(row);
  turn.state_changed = true;
}

std::vector<std::pair<std::string, Plan>> plans_in_force(const State& state) {
  std::vector<std::pair<std::string, Plan>> plans;
  for (const ResourceGroupLedger& ledger : state.resource_groups) {
    const Plan* plan = plan_in_force(state, ledger);
    if (plan != nullptr) plans.emplace_back(ledger.name, *plan);
  }
  return plans;
}

/// A plan is evaluated at once when it is loaded (broker/rules/plan/README.md, "What goes in").
void evaluate_loaded_plans(Turn& turn, const std::vector<std::pair<std::string, Plan>>& before) {
  for (uint32_t p = 0; p < turn.state.resource_groups.size(); ++p) {
    const ResourceGroupLedger& ledger = turn.state.resource_groups[p];
    const auto known = std::find_if(before.begin(), before.end(),
                                    [&](const auto& entry) { return entry.first == ledger.name; });
    const Plan* now = plan_in_force(turn.state, ledger);
    const bool same = known != before.end() && now != nullptr && known->second == *now;
    if (!same) record_plan_changed(turn, p);
    evaluate_plan_now(turn, p, known == before.end() || same ? nullptr : &known->second);
  }
}

void apply(Turn& turn, const BrokerStarted& event) {
  broker_started(turn, event);
}

void apply(Turn& turn, const ConfigLoaded& event) {
  State& state = turn.state;
  const Mode mode_before = state.config.mode;
  const std::vector<std::pair<std::string, Plan>> plans_before = plans_in_force(state);
  state.windows = event.windows;
  state.window_next = next_window(state.windows, turn.now);
  take_configuration(turn, event.config);
  record_config(turn, event);
  allocate_slots(turn, false);
  reconcile(turn);  // the groups are those of the new configuration from here on
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    if (state.clusters[c].contact == Contact::ok) renew_configuration(turn, c);
  }
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    forget_shadow(turn, g);
    forget_demand(turn, g);
    surroundings_changed(state, g);
  }
  converge_marked(turn);  // hand out and ask back first: evaluations read the result
  evaluate_loaded_plans(turn, plans_before);
  if (mode_before == state.config.mode) return;
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    for (size_t m = 0; m < state.slot_groups[g].members.size(); ++m) issue_order(turn, g, m, true);
  }
}

void windows_moved(Turn& turn) {
  turn.state.window_next = next_window(turn.state.windows, turn.now);
  allocate_slots(turn, false);
  reconcile(turn);
}

void apply(Turn& turn, const WindowsResolved& event) {
  turn.state.windows = event.windows;
  turn.state.dirty_config = true;
  turn.state_changed = true;
  windows_moved(turn);
}

void apply(Turn& turn, const AgentHello& event) {
  agent_hello(turn, event);
}

void apply(Turn& turn, const AgentLost& event) {
  const uint32_t cluster = find_cluster(turn.state, event.cluster);
  const bool current_session = turn.state.clusters[cluster].session == event.session;
  if (current_session && turn.state.clusters[cluster].contact == Contact::ok) {
    agent_lost(turn, cluster, event.renewed_at, event.stopped);
    warn_of_endless(turn, cluster);
  }
}

void apply(Turn& turn, const InventoryReported& event) {
  inventory_reported(turn, event);
}
void apply(Turn& turn, const InventoryChanged& event) {
  inventory_changed(turn, event);
}
void apply(Turn& turn, const RecordedLater& event) {
  record_cluster(turn, RecordKind::alarm, find_cluster(turn.state, event.cluster),
                 Reason::over_rate);
}
void apply(Turn& turn, const TablesFailed& event) {
  Record& row = add_record(turn, RecordKind::alarm,
                           event.over ? Reason::tables_followed : Reason::tables_failed);
  if (!event.why.empty()) row.audit = std::make_shared<const Audit>(audit_of(event));
}
void apply(Turn& turn, const WorkEnded& event) {
  work_ended(turn, event);
}
void apply(Turn& turn, const SlotsUsed& event) {
  slots_used(turn, event);
}
void apply(Turn& turn, const StateReported& event) {
  state_reported(turn, event);
}

void deadline_reached(Turn& turn, const Deadline& deadline) {
  if (deadline.transfer == kToReact) return react_to_demand(turn, deadline.group);
  timed_out(turn, deadline.group, deadline.transfer);
}

/// Windows, reservations and operators' orders that begin or end come first, because they change
/// what members may hold; then leases that expire and deadlines. The evaluations of grids come last
/// and decide by the result.
void apply(Turn& turn, const Tick&) {
  State& state = turn.state;
  if (state.window_next <= turn.now) windows_moved(turn);
  if (state.horizon_next <= turn.now) follow_horizons(turn);
  follow_orders(turn);
  expire_leases(turn);
  return_some(turn);
  while (auto deadline = take_deadline(state, turn.now)) deadline_reached(turn, *deadline);
  converge_marked(turn);  // hand out and ask back first: evaluations read the result
  for (uint32_t g = 0; g < state.grids.size(); ++g) {
    if (state.grids[g].next <= turn.now) evaluate_grid(turn, g);
  }
  react_to_reports(turn);
}

void apply(Turn& turn, const OperatorCommand& event) {
  operator_command(turn, event);
}

void apply(Turn& turn, const CopyRefused& event) {
  copy_refused(turn, event);
}

void apply(Turn& turn, const ClockSet&) {
  set_clock(turn);
}

void apply(Turn& turn, const OperatorRefused& event) {
  operator_refused(turn, event);
}

}  // namespace

bool step(State& state, const Event& event, Instant now, Effects& effects) {
  const Instant before = state.now;
  LEASEHOLD_CHECK(now >= before || std::holds_alternative<ClockSet>(event), "time runs backwards");
  state.now = now;
  Turn turn{state, effects, now};
  turn.before = before;
  std::visit([&turn](const auto& concrete) { apply(turn, concrete); }, event);
  // Each of these reads what those before it did: converging may change what a later order says and
  // which configurations are sent, and summaries are made of the groups as the step leaves them.
  converge_marked(turn);
  issue_later_orders(turn);
  for (const uint32_t cluster : turn.reconfigured.all()) lease_sent(turn, cluster);
  make_summaries(state);
  return turn.state_changed;
}

}  // namespace leasehold
