// explain of a lease under a resource plan: says what the last evaluation decided for its consumer,
// what it waits for, and what would change it. Sentences on other numbers come from evaluating the
// plan with them.
#include <algorithm>

#include "broker/core/ledger/host_sets.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/rules/plan/evaluate.hpp"
#include "broker/views/conditions.hpp"
#include "broker/views/explain/explain.hpp"
#include "broker/views/leases/lease_facts.hpp"
#include "broker/views/leases/order_words.hpp"
#include "broker/views/plan/lookup.hpp"
#include "broker/views/plan/now.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

using rows::count_of;

/// The lease of one consumer with what its sentences need.
struct Leaf {
  const State& state;
  const SlotGroup& group;
  const LeaseRef lease;
  const PlanConsumerLedger& known;
  const std::string& cluster;
  std::string when;  // "the evaluation at …"
};

const PlanRow* answered_row(const PlanAnswer& answer, uint32_t consumer) {
  for (const PlanRow& row : answer.rows) {
    if (row.consumer == consumer) return &row;
  }
  return nullptr;
}

std::string held_back(const Leaf& leaf) {
  const Cluster& cluster = leaf.state.clusters[leaf.group.members[leaf.lease.member].cluster];
  if (cluster.contact == Contact::lost) return "the agent of " + leaf.cluster;
  if (cluster.degraded) return "the workload manager of " + leaf.cluster + " to answer its agent";
  if (!member_takes_part(leaf.state, leaf.group, leaf.lease.member)) {
    return "a report of " + leaf.cluster;
  }
  return "";
}

/// Describes the transfers that bring the leaf slots.
std::string coming(const Leaf& leaf) {
  for (const Transfer& transfer : leaf.group.transfers) {
    if (transfer.to != leaf.lease.member) continue;
    const std::string& from = rows::cluster_name(leaf.state, leaf.group, transfer.from);
    std::string text = "transfer " + std::to_string(transfer.id) + ": " + from + " to release " +
                       count_of(transfer.slots_wanted, "slot");
    if (transfer.lowering == wire::Lowering::shrink) text += " as its jobs end";
    if (left_to_agent(leaf.group, transfer)) {
      text += " on whichever host that would do, where its agent finds the least important work";
    }
    if (transfer.lowering == wire::Lowering::reclaim) {
      text += "; its work there is ended and requeued at " +
              format_utc(transfer.since + transfer.grace_ms) + " at the latest";
    }
    return text;
  }
  return "";
}

int64_t due_and_not_held(const Leaf& leaf) {
  int64_t sum = 0;
  for (size_t row = 0; row < leaf.group.hosts.size(); ++row) {
    const Holding& holding = leaf.group.at(row, leaf.lease.member);
    sum += std::max(0, holding.due - holding.held);
  }
  return sum;
}

/// Says why a claimant has to wait, with the instant where it is known.
std::string put_off(const Leaf& leaf) {
  const Reason reason = leaf.known.reason;
  if (reason == Reason::reclaim_backoff) {
    return "the end of its reclaim_backoff at " + format_utc(leaf.known.backoff_until);
  }
  if (reason == Reason::min_hold) return "others to have held their slots for min_hold";
  if (reason == Reason::share_moved) {
    return leaf.when + ": max_share_moved is used up in this cycle";
  }
  if (reason == Reason::dead_zone) return "a difference above dead_zone";
  if (reason == Reason::shape_misfit) {
    return "hosts of the plan on which its waiting work starts with the slots that it may have";
  }
  if (reason == Reason::no_slot) {
    return "a slot that it can use: on a host that is up and open for " + leaf.cluster +
           " and meets its requirement";
  }
  return "";
}

explanation::Subject subject_of(const Leaf& leaf) {
  const std::string& provider = rows::cluster_name(leaf.state, leaf.group, kProvider);
  return {leaf.state, leaf.group, {}, provider, leaf.cluster, leaf.when};
}

std::string waits_for(const Leaf& leaf) {
  const SlotGroup& group = leaf.group;
  const std::string by_group = explanation::group_waits_for(subject_of(leaf));
  if (!by_group.empty()) return by_group;
  if (std::string lost = held_back(leaf); !lost.empty()) return lost;
  if (leaf.known.evaluated_at.ms == INT64_MIN) return "its first evaluation";
  if (std::string transfer = coming(leaf); !transfer.empty()) return transfer;
  if (const int64_t slots = due_and_not_held(leaf); slots > 0) {
    return count_of(slots, "slot") + " that it is due to come free at " +
           rows::cluster_name(leaf.state, group, kProvider);
  }
  return put_off(leaf);
}

/// Adds what the next evaluation moves to the consumer and from it.
void add_moves(const Leaf& leaf, const PlanNow& now, uint32_t consumer,
               std::vector<std::string>& sentences) {
  const auto& names = now.snapshot.plan->consumers;
  for (const PlanMove& move : now.answer.moves) {
    if (move.from != consumer && move.to != consumer) continue;
    const std::string from = move.from == kNoIndex ? "" : " from " + names[move.from].path;
    const std::string to = move.to == kNoIndex ? "" : " to " + names[move.to].path;
    sentences.push_back(leaf.when + " moves " +
                        count_of(move.slots, move.from == kNoIndex ? "idle slot" : "slot") + from +
                        to + ": " + std::string(sentence(move.reason)));
  }
}

/// Returns the consumer's quota under another state.
int64_t quota_with(const PlanNow& now, const PlanState& state, uint32_t consumer) {
  const PlanAnswer answer = evaluate_plan(*now.snapshot.plan, now.snapshot.compiled, state);
  const PlanRow* row = answered_row(answer, consumer);
  return row == nullptr ? 0 : row->quota;
}

void add_if_other(const std::string& condition, int64_t quota, int64_t now,
                  std::vector<std::string>& sentences) {
  if (quota == now) return;
  sentences.push_back("if " + condition + ": its quota is " + std::to_string(quota) +
                      " instead of " + std::to_string(now));
}

void add_what_ifs(const PlanNow& now, uint32_t consumer, const PlanRow& row,
                  std::vector<std::string>& sentences) {
  const PlanState& state = now.snapshot.state;
  const Plan& plan = *now.snapshot.plan;
  PlanState other = state;
  other.leaves[consumer].demand = row.demand + 1;
  add_if_other("its work wants " + count_of(row.demand + 1, "slot") + " instead of " +
                   std::to_string(row.demand),
               quota_with(now, other, consumer), row.quota, sentences);
  other = state;
  other.slots = now.answer.slots + 1;
  add_if_other("there is 1 slot more in " + plan.name, quota_with(now, other, consumer), row.quota,
               sentences);
  other = state;
  for (const PlanRow& each : now.answer.rows) {
    if (each.consumer == consumer) continue;
    LeafState& leaf = other.leaves[each.consumer];
    leaf.demand = std::max(leaf.demand, each.owned);
  }
  add_if_other("all the others want what they own", quota_with(now, other, consumer), row.quota,
               sentences);
}

std::vector<std::string> would_change(const Leaf& leaf) {
  std::vector<std::string> sentences;
  const PlanNow now = plan_now(leaf.state, leaf.group.resource_group);
  if (now.snapshot.plan == nullptr || leaf.group.phase == Phase::closed) return sentences;
  const uint32_t consumer = position_of(*now.snapshot.plan, leaf.known.path,
                                        leaf.group.members[leaf.lease.member].plan_consumer);
  if (consumer == kNoIndex) return sentences;
  const PlanRow* row = answered_row(now.answer, consumer);
  if (row == nullptr) return sentences;
  add_moves(leaf, now, consumer, sentences);
  if (row->shrink > 0) {
    sentences.push_back("each of " + count_of(row->shrink, "slot") +
                        " above its quota is given up when its job ends");
  }
  if (row->limit && row->demand > *row->limit && row->quota == *row->limit) {
    sentences.push_back("its limit is " + std::to_string(*row->limit) +
                        ": more only with another plan");
  }
  add_what_ifs(now, consumer, *row, sentences);
  return sentences;
}

Json numbers_of(const PlanConsumerLedger& known) {
  Json numbers = Json::object();
  if (known.evaluated_at.ms == INT64_MIN) return numbers;
  const NumberNames& names = number_names(RecordKind::consumer);
  for (size_t i = 0; i < names.size(); ++i) numbers[names[i]] = known.numbers[i];
  return numbers;
}

Leaf leaf_of(const State& state, const LeaseRef& lease) {
  const SlotGroup& group = state.slot_groups[lease.group];
  Leaf leaf{state,
            group,
            lease,
            rows::consumer(state, lease),
            rows::cluster_name(state, group, lease.member),
            "the next evaluation"};
  const uint32_t grid = state.resource_groups[group.resource_group].grid;
  if (grid < state.grids.size() && state.grids[grid].next != kNever) {
    leaf.when = "the evaluation at " + format_utc(state.grids[grid].next);
  }
  return leaf;
}

}  // namespace

Json view_explain_plan(const State& state, const LeaseRef& lease, const Liveness& liveness) {
  const Leaf leaf = leaf_of(state, lease);
  const Totals totals = LeaseFacts(state).totals(lease);
  Json row;
  row["id"] = lease_id(state, leaf.group, lease.member);
  row["kind"] = "lease";
  row["phase"] = token(leaf.group.phase);
  row["conditions"] = conditions_of(state, liveness, lease);
  row["reason"] = std::string(token(leaf.known.reason));
  row["sentence"] = std::string(sentence(leaf.known.reason));
  row["numbers"] = numbers_of(leaf.known);
  row["now"] = {{"provider_slots", rows::slots(totals.provider_available, totals.provider_used)},
                {"consumer_slots", rows::slots(totals.consumer_available, totals.consumer_used)}};
  row["waits_for"] = rows::text_or_null(waits_for(leaf));
  row["would_change"] = would_change(leaf);
  row["evaluated_at"] = rows::time(leaf.known.evaluated_at);
  row["orders"] = orders_on(state, leaf.group, lease.member);
  row["shadow"] = nullptr;
  return row;
}

}  // namespace leasehold
