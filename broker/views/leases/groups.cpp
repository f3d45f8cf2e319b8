// groups: the resource groups in force.
#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/model/plans.hpp"
#include "broker/views/plan/now.hpp"
#include "broker/views/plan/settings.hpp"
#include "broker/views/plan/words.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

/// Returns when another variant takes effect; null: never, as far as windows are resolved.
Json changes_at(const State& state, const ResourceGroupLedger& ledger) {
  for (const auto& windows : state.windows.plans) {
    if (windows.resource_group != ledger.name) continue;
    for (const ResolvedWindows::PlanPeriod& period : windows.periods) {
      const bool later = period.from > state.now && period.variant != ledger.variant;
      if (later) return rows::time(period.from);
    }
  }
  return nullptr;
}

Json next_evaluation(const State& state, const ResourceGroupLedger& ledger) {
  if (ledger.grid >= state.grids.size()) return nullptr;
  return rows::time(state.grids[ledger.grid].next);
}

/// Returns every setting that is neither a size nor a placement, by its name.
Json switches_of(const Json& settings) {
  Json switches = Json::object();
  bool are_switches = false;
  for (const Json& setting : settings) {
    if (are_switches) switches[setting["key"].get<std::string>()] = setting["value"];
    are_switches = are_switches || setting["key"] == "placement";
  }
  return switches;
}

int64_t leaves_of(const Plan& plan) {
  return std::count_if(plan.consumers.begin(), plan.consumers.end(),
                       [](const PlanConsumer& consumer) { return !consumer.cluster.empty(); });
}

void add_once(const std::string& name, Json& names) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// Returns the clusters whose hosts hold the group's slots.
Json providers_of(const State& state, const ResourceGroup& group) {
  Json names = Json::array();
  for (const std::string& policy : group.policies) {
    const auto known = state.policy_index.find(policy);
    if (known != state.policy_index.end()) {
      add_once(state.policies[known->second].config.provider, names);
    }
  }
  return names;
}

/// Returns the clusters of its leaves.
Json members_of(const Plan& plan) {
  Json names = Json::array();
  for (const PlanConsumer& consumer : plan.consumers) {
    if (!consumer.cluster.empty()) names.push_back(consumer.cluster);  // each cluster is one leaf
  }
  return names;
}

std::string text_of(const Source& source) {
  if (source.file.empty()) return "configuration";
  return source.line > 0 ? source.file + ":" + std::to_string(source.line) : source.file;
}

/// Returns the slots that no leaf holds, in all its slot groups.
int64_t unallocated_of(const State& state, const ResourceGroupLedger& ledger) {
  int64_t slots = 0;
  for (const uint32_t g : ledger.slot_groups) slots += unallocated(state.slot_groups[g]);
  return slots;
}

Json group_row(const State& state, const ResourceGroupLedger& ledger, const PlanNow& now) {
  const Plan& plan = *now.snapshot.plan;
  const ResourceGroup& group = *resource_group(state, ledger.name);
  Json row;
  row["resource_group"] = ledger.name;
  row["policy"] = token(plan.policy);
  row["slots"] = now.answer.slots;
  row["configured_slots"] = plan.slots ? Json(*plan.slots) : Json(nullptr);
  row["idle"] = now.answer.idle;
  row["policies"] = group.policies;
  row["providers"] = providers_of(state, group);
  row["members"] = members_of(plan);
  row["consumers"] = plan.consumers.size();
  row["leaves"] = leaves_of(plan);
  row["unallocated"] = unallocated_of(state, ledger);
  row["cycle_ms"] = group.cycle_ms;
  row["react_ms"] = group.react_ms;
  row["next_evaluation"] = next_evaluation(state, ledger);
  row["placement"] = token(plan.placement);
  row["variant"] = ledger.variant;
  row["variants"] = group.variants.size();
  row["changes_at"] = changes_at(state, ledger);
  row["switches"] = switches_of(group_settings(group, plan, {}));
  row["source"] = text_of(group.source);
  return row;
}

}  // namespace

Json view_groups(const State& state, bool details, const PlanSource& source) {
  Json list = Json::array();
  for (uint32_t p = 0; p < state.resource_groups.size(); ++p) {
    const PlanNow now = plan_now(state, p);
    if (now.snapshot.plan == nullptr) continue;
    Json row = group_row(state, state.resource_groups[p], now);
    if (details) {
      const ResourceGroup& group = *resource_group(state, state.resource_groups[p].name);
      row["values"] = group_settings(group, *now.snapshot.plan, source);
    }
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace leasehold
