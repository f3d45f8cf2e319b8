// groups: the resource groups in force.
#include "broker/config/keys/plan.hpp"
#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/plan/lookup.hpp"
#include "broker/views/plan/now.hpp"
#include "broker/views/plan/settings.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/settings/setting_json.hpp"
#include "broker/views/views.hpp"
#include "common/text/printable.hpp"

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
Json switches_of(const ResourceGroup& group, const Plan& plan) {
  Json switches = Json::object();
  bool are_switches = false;
  const auto put = [&](const auto& row, Json value) {
    if (are_switches) switches[setting_name(row)] = std::move(value);
    are_switches = are_switches || row.is(&Plan::placement);
  };
  for_each_setting(kResourceGroupKeys, put, group, plan);
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

/// Returns the slots that no leaf holds, in all its slot groups.
int64_t unallocated_of(const State& state, const ResourceGroupLedger& ledger) {
  int64_t slots = 0;
  for (const uint32_t g : ledger.slot_groups) slots += unallocated(state.slot_groups[g]);
  return slots;
}

struct GroupRow {
  const State& state;
  const ResourceGroupLedger& ledger;
  const PlanNow& now;
  const Plan& plan = *now.snapshot.plan;
  const ResourceGroup& group = *resource_group(state, ledger.name);
};

std::string policies_cell(const Json& row, const char* name) {
  std::string list;
  for (const Json& policy : list_at(row, name)) {
    list += (list.empty() ? "" : ",") + printable(policy.get<std::string>());
  }
  return list;
}

/// Lists the settings that differ from the usual: flags by their name, numbers with their value as
/// a configuration writes it, texts in quotes.
std::string switches_cell(const Json& row, const char* key) {
  static const Json kUsual{{"reclaim_shared", true},
                           {"share_enforcement", "leaf"},
                           {"net_policy_switch", true},
                           {"max_share_moved", 1.0}};
  std::string list;
  for (const auto& [name, value] : object_at(row, key).items()) {
    const Json usual = kUsual.value(name, value.is_boolean() ? Json(false) : Json(0));
    if (value == usual) continue;
    list += (list.empty() ? "" : " ") + printable(name);
    if (value == true) continue;
    list += "=" + printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return list.empty() ? "-" : list;
}

/// Says which set of windows that may be open at once is in force.
std::string windows_cell(const Json& row, const char* name) {
  const int64_t variants = number_at(row, name);
  const int64_t now = number_at(row, "variant");
  if (variants <= 1) return "-";
  return (now == 0 ? "none" : std::to_string(now)) + " of " + std::to_string(variants - 1);
}

constexpr Field<GroupRow> kGroupFields[] = {
    {{"resource_group", "GROUP"}, [](auto& r) { return r.ledger.name; }},
    {{"policy", "POLICY"}, [](auto& r) { return token(r.plan.policy); }},
    {{"slots", "SLOTS", kRight}, [](auto& r) { return r.now.answer.slots; }},
    {{"configured_slots", "CONFIGURED", kRight, 3},
     [](auto& r) { return rows::or_null(r.plan.slots); }},
    {{"idle", "IDLE", kRight}, [](auto& r) { return r.now.answer.idle; }},
    {{"policies", "EXPORT POLICIES", kLeft, 0, policies_cell},
     [](auto& r) { return r.group.policies; }},
    {{"providers"}, [](auto& r) { return providers_of(r.state, r.group); }},
    {{"members"}, [](auto& r) { return members_of(r.plan); }},
    {{"consumers"}, [](auto& r) { return r.plan.consumers.size(); }},
    {{"leaves", "LEAVES", kRight, 1}, [](auto& r) { return leaves_of(r.plan); }},
    {{"unallocated", "UNALLOCATED", kRight},
     [](auto& r) { return unallocated_of(r.state, r.ledger); }},
    {{"cycle_ms", "CYCLE", kRight, 2, columns::duration}, [](auto& r) { return r.group.cycle_ms; }},
    {{"react_ms"}, [](auto& r) { return r.group.react_ms; }},
    {{"next_evaluation", "NEXT EVALUATION", kLeft, 6, columns::time},
     [](auto& r) { return next_evaluation(r.state, r.ledger); }},
    {{"placement", "PLACEMENT", kLeft, 5}, [](auto& r) { return token(r.plan.placement); }},
    {{"variant"}, [](auto& r) { return r.ledger.variant; }},
    {{"variants", "WINDOWS", kRight, 4, windows_cell},
     [](auto& r) { return r.group.variants.size(); }},
    {{"changes_at"}, [](auto& r) { return changes_at(r.state, r.ledger); }},
    {{"switches", "SWITCHES", kLeft, 7, switches_cell},
     [](auto& r) { return switches_of(r.group, r.plan); }},
    {{"source"}, [](auto& r) { return rows::source_text(r.group.source); }},
};

}  // namespace

std::span<const columns::Column> group_fields() {
  return shown_of<kGroupFields>();
}

Json view_groups(const State& state, bool details, const PlanSource& source) {
  Json list = Json::array();
  for (uint32_t p = 0; p < state.resource_groups.size(); ++p) {
    const PlanNow now = plan_now(state, p);
    if (now.snapshot.plan == nullptr) continue;
    Json row = row_json(kGroupFields, GroupRow{state, state.resource_groups[p], now});
    if (details) {
      const ResourceGroup& group = *resource_group(state, state.resource_groups[p].name);
      row["values"] = group_settings(group, *now.snapshot.plan, source);
    }
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace leasehold
