// consumers: the trees of all plans with what each consumer wants, may have and has.
#include "broker/views/plan/json.hpp"
#include "broker/views/plan/now.hpp"
#include "broker/views/plan/settings.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

Json slots_by_path(const Plan& plan, const std::vector<Loan>& loans) {
  Json paths = Json::object();
  for (const Loan& loan : loans) {
    Json& slots = paths[plan.consumers[loan.lender].path];
    slots = (slots.is_null() ? 0 : slots.get<int64_t>()) + loan.slots;
  }
  return paths;
}

/// Returns the JSON of one row. What is borrowed, lent and shared is what is held before the moves
/// of `plan`.
Json consumer_row(const PlanNow& now, const ResourceGroupLedger& ledger, const PlanRow& row) {
  const Plan& plan = *now.snapshot.plan;
  const PlanConsumer& consumer = plan.consumers[row.consumer];
  const HeldNow& held = now.held[row.consumer];
  const PlanConsumerLedger& known = ledger.consumers[now.snapshot.ledger[row.consumer]];
  Json json = plan_row_json(plan, row);
  json["borrowed"] = held.borrowed;
  json["lent"] = held.lent;
  json["shared"] = held.shared;
  json["resource_group"] = plan.name;
  json["cluster"] = rows::text_or_null(consumer.cluster);
  json["owned_in_use"] = held.owned_in_use;
  json["borrowed_from"] = slots_by_path(plan, held.borrowed_from);
  json["lent_to"] = slots_by_path(plan, held.lent_to);
  json["reason"] = std::string(token(known.reason));
  json["evaluated_at"] = rows::time(known.evaluated_at);
  return json;
}

/// Returns how the leaf's cluster chooses the work that it ends, as its agent reported last; null:
/// it reported nothing.
Json scheduling_of(const State& state, const PlanConsumer& consumer) {
  const uint32_t index =
      consumer.cluster.empty() ? kNoIndex : find_cluster(state, consumer.cluster);
  if (index == kNoIndex || state.clusters[index].scheduling.policy.empty()) return {};
  const wire::Scheduling& says = state.clusters[index].scheduling;
  return {{"policy", says.policy},
          {"criteria", says.criteria},
          {"selective_reclaim", says.selective_reclaim},
          {"chooses_hosts", state.clusters[index].chooses},
          {"preemption_scope", says.preemption_scope},
          {"reclaim_optimization", says.reclaim_optimization}};
}

}  // namespace

Json view_consumers(const State& state, bool details, const PlanSource& source) {
  Json list = Json::array();
  for (uint32_t p = 0; p < state.resource_groups.size(); ++p) {
    const PlanNow now = plan_now(state, p);
    if (now.snapshot.plan == nullptr) continue;
    const Plan& plan = *now.snapshot.plan;
    const PlanSums sums(plan);
    for (const PlanRow& row : now.answer.rows) {
      Json json = consumer_row(now, state.resource_groups[p], row);
      if (details) {
        json["values"] = consumer_settings(plan, sums, row.consumer, source);
        json["scheduling"] = scheduling_of(state, plan.consumers[row.consumer]);
      }
      list.push_back(std::move(json));
    }
  }
  return list;
}

}  // namespace leasehold
