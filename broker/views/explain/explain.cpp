// explain: says why a lease is as it is, and which change of numbers would change it.
#include "broker/views/explain/explain.hpp"

#include <algorithm>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "broker/views/clusters/contact.hpp"
#include "broker/views/conditions.hpp"
#include "broker/views/leases/order_words.hpp"
#include "broker/views/plan/now.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/settings/policy_settings.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

using explanation::Subject;

Json named_numbers(RecordKind kind, const std::array<int64_t, 6>& values) {
  Json numbers = Json::object();
  const NumberNames& names = number_names(kind);
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i][0] != '\0') numbers[names[i]] = values[i];
  }
  return numbers;
}

Json numbers_of(const SlotGroup& group) {
  if (group.evaluated_at.ms == INT64_MIN) return Json::object();
  return named_numbers(RecordKind::evaluation, group.numbers);
}

/// Returns what the shadow rule answered last; null: its policy has none, or it was not evaluated
/// yet.
Json shadow_of(const State& state, const SlotGroup& group) {
  if (!group.shadow) return nullptr;
  const Shadow& said = *group.shadow;
  const bool moves = said.answer.slots != 0;
  const size_t from = said.answer.to_consumer ? kProvider : kConsumer;
  Json row;
  row["rule"] = token(said.shadow);
  row["reason"] = std::string(token(said.answer.reason));
  row["sentence"] = std::string(sentence(said.answer.reason));
  row["slots"] = said.answer.slots;
  row["from"] = moves ? Json(rows::cluster_name(state, group, from)) : Json(nullptr);
  row["to"] = moves ? Json(rows::cluster_name(state, group, 1 - from)) : Json(nullptr);
  row["rule_reason"] = std::string(token(said.in_force.reason));
  row["same"] = same_move(said.answer, said.in_force);
  row["numbers"] = named_numbers(RecordKind::shadow, shadow_numbers(said));
  row["evaluated_at"] = rows::time(said.evaluated_at);
  return row;
}

/// True if `leasectl forget` may be advised for every member whose agent is silent.
bool may_forget(const State& state, const SlotGroup& group, const Liveness& liveness) {
  return std::all_of(group.members.begin(), group.members.end(), [&](const Member& member) {
    const Cluster& cluster = state.clusters[member.cluster];
    return cluster.contact == Contact::ok || may_advise_forget(state, liveness, cluster.name);
  });
}

Subject subject_of(const State& state, uint32_t index, const Liveness& liveness) {
  const SlotGroup& group = state.slot_groups[index];
  Subject subject{state,
                  group,
                  totals_of(state, group),
                  rows::cluster_name(state, group, kProvider),
                  rows::cluster_name(state, group, kConsumer),
                  "the next evaluation",
                  may_forget(state, group, liveness)};
  if (group.grid < state.grids.size() && state.grids[group.grid].next != kNever) {
    subject.when = "the evaluation at " + format_utc(state.grids[group.grid].next);
  }
  return subject;
}

/// Also says of a rule that nobody chose what it does when nobody waits.
std::vector<std::string> changes_of(const Subject& s) {
  std::vector<std::string> sentences = explanation::would_change(s);
  const ExportPolicy& policy = s.state.policies[s.group.policy].config;
  if (!is_over(s.group) && policy.rule_by_default) {
    sentences.push_back("policy " + policy.name +
                        " has no rule, so idle slots change sides although nobody waits: " +
                        remedy_of_default_rule(policy));
  }
  return sentences;
}

}  // namespace

Json view_explain(const State& state, LeaseRef lease, const Liveness& liveness) {
  const uint32_t index = lease.group;
  const SlotGroup& group = state.slot_groups[index];
  if (group.resource_group != kNoIndex) return view_explain_plan(state, lease, liveness);
  const Subject subject = subject_of(state, index, liveness);
  Json row;
  row["id"] = lease_id(state, group);
  row["kind"] = "lease";
  row["phase"] = token(group.phase);
  row["conditions"] = conditions_of(state, liveness, lease);
  row["reason"] = std::string(token(group.reason));
  row["sentence"] = std::string(sentence(group.reason));
  row["numbers"] = numbers_of(group);
  row["now"] = {{"provider_slots",
                 rows::slots(subject.totals.provider_available, subject.totals.provider_used)},
                {"consumer_slots",
                 rows::slots(subject.totals.consumer_available, subject.totals.consumer_used)}};
  row["waits_for"] = rows::text_or_null(explanation::waits_for(subject));
  row["would_change"] = changes_of(subject);
  row["evaluated_at"] = rows::time(group.evaluated_at);
  row["orders"] = orders_on(state, group, lease.member);
  row["shadow"] = shadow_of(state, group);
  return row;
}

}  // namespace leasehold
