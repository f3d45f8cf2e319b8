// consumers: the trees of all plans with what each consumer wants, may have and has.
#include "broker/views/answer.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/plan/now.hpp"
#include "broker/views/plan/settings.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

namespace {

Json slots_by_path(const Plan& plan, const std::vector<LoanWith>& loans) {
  Json paths = Json::object();
  for (const LoanWith& loan : loans) {
    Json& slots = paths[plan.consumers[loan.counterparty].path];
    slots = (slots.is_null() ? 0 : slots.get<int64_t>()) + loan.slots;
  }
  return paths;
}

/// One row: `borrowed`, `lent` and `shared` are what is held before the moves of the plan.
struct ConsumerRow {
  const PlanNow& now;
  const ResourceGroupLedger& ledger;
  const PlanRow& row;
  const Plan& plan = *now.snapshot.plan;
  const PlanConsumer& consumer = plan.consumers[row.consumer];
  const HeldNow& held = now.held[row.consumer];
  const PlanConsumerLedger& known = ledger.consumers[now.snapshot.ledger[row.consumer]];
};

std::string owned_cell(const Json& row, const char* name) {
  return columns::text(row, name) + "/" + columns::text(row, "owned");
}

/// Returns "from /L 5, /M 2; to /B 3".
std::string partners_cell(const Json& row, const char*) {
  std::string list;
  for (const auto& [word, key] : {std::pair("from", "borrowed_from"), std::pair("to", "lent_to")}) {
    bool first = true;
    for (const auto& [path, slots] : object_at(row, key).items()) {
      if (first) list += (list.empty() ? "" : "; ") + std::string(word);
      list += (first ? " " : ", ") + printable(path) + " " + columns::cell_text(slots);
      first = false;
    }
  }
  return list.empty() ? "-" : list;
}

constexpr Field<ConsumerRow> kConsumerFields[] = {
    {{"path", "CONSUMER"}, [](auto& r) { return r.consumer.path; }},
    {{"demand", "DEMAND", kRight}, [](auto& r) { return r.row.demand; }},
    {{"wants"}, [](auto& r) { return r.now.wants[r.row.consumer]; }},
    {{"allocated", "ALLOCATED", kRight}, [](auto& r) { return r.row.allocated; }},
    {{"owned"}, [](auto& r) { return r.row.owned; }},
    {{"reserved"}, [](auto& r) { return r.row.reserved; }},
    {{"limit"}, [](auto& r) { return rows::or_null(r.row.limit); }},
    {{"quota", "QUOTA", kRight}, [](auto& r) { return r.row.quota; }},
    {{"borrowed", "BORROWED", kRight}, [](auto& r) { return r.held.borrowed; }},
    {{"lent", "LENT", kRight}, [](auto& r) { return r.held.lent; }},
    {{"shared", "SHARED", kRight, 1}, [](auto& r) { return r.held.shared; }},
    {{"free", "FREE", kRight, 2}, [](auto& r) { return r.row.free; }},
    {{"change"}, [](auto& r) { return r.row.change; }},
    {{"resource_group"}, [](auto& r) { return r.plan.name; }},
    {{"cluster", "CLUSTER"}, [](auto& r) { return rows::text_or_null(r.consumer.cluster); }},
    {{"owned_in_use", "OWNED", kRight, 0, owned_cell}, [](auto& r) { return r.held.owned_in_use; }},
    {{"borrowed_from", "BORROWED, LENT", kLeft, 4, partners_cell},
     [](auto& r) { return slots_by_path(r.plan, r.held.borrowed_from); }},
    {{"lent_to"}, [](auto& r) { return slots_by_path(r.plan, r.held.lent_to); }},
    {{"reason", "REASON", kLeft, 3}, [](auto& r) { return std::string(token(r.known.reason)); }},
    {{"evaluated_at"}, [](auto& r) { return rows::time(r.known.evaluated_at); }},
};

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

std::span<const columns::Column> consumer_fields() {
  return shown_of<kConsumerFields>();
}

Json view_consumers(const State& state, bool details, const PlanSource& source) {
  Json list = Json::array();
  for (uint32_t p = 0; p < state.resource_groups.size(); ++p) {
    const PlanNow now = plan_now(state, p);
    if (now.snapshot.plan == nullptr) continue;
    const Plan& plan = *now.snapshot.plan;
    const PlanSums sums(plan);
    for (const PlanRow& row : now.answer.rows) {
      Json json = row_json(kConsumerFields, ConsumerRow{now, state.resource_groups[p], row});
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
