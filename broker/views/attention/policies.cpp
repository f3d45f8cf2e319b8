// Finds policies whose lines no longer suit the work: a first offer that starts nothing, and a rule
// that nobody chose and that moves slots for nobody.
#include <optional>
#include <set>
#include <utility>

#include "broker/core/lease/gate.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/owner_jobs.hpp"
#include "broker/views/attention/needs.hpp"
#include "broker/views/leases/first_slots.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/settings/policy_settings.hpp"

namespace leasehold::attention {

namespace {

using demand_aware::Waiting;
using rows::cluster_name;
using rows::count_of;

const ExportPolicy& policy_of(const State& state, const SlotGroup& group) {
  return state.policies[group.policy].config;
}

/// The job of the consumer that fewer first slots start than any other, and how many those are.
struct Smallest {
  Waiting job;
  int64_t slots = 0;
  Instant since = kNever;
};

/// Returns nullopt if some waiting job starts on what is offered, or none on all of the lease.
std::optional<Smallest> too_wide_for_offer(const Found& found, const SlotGroup& group) {
  const State& state = found.state;
  std::optional<Smallest> smallest;
  for (const wire::DemandBucket& bucket :
       *state.clusters[group.members[kConsumer].cluster].demand) {
    std::optional<Waiting> job = waiting_in_group(state, group, bucket);
    if (!job) continue;
    if (starts_on_first_slots(state, group, *job, policy_of(state, group).initial_slots)) {
      return std::nullopt;
    }
    const std::optional<int64_t> slots = fewest_first_slots(state, group, *job);
    if (!slots || (smallest && smallest->slots <= *slots)) continue;
    const Instant since = bucket.oldest_ms > 0 ? Instant{bucket.oldest_ms} : kNever;
    smallest = Smallest{*std::move(job), *slots, since};
  }
  return smallest;
}

std::string words_of(const demand_aware::Shape& shape) {
  return count_of(shape.slots, "slot") +
         (shape.hosts > 1 ? " on " + std::to_string(shape.hosts) + " hosts" : "") +
         (shape.whole ? " and has its hosts to itself" : "");
}

/// Reports a lease that is never made because each job that waits is wider than what is offered
/// first. LSF offers one slot; a rule that reads work chooses the number itself.
void offer_too_small(Found& found, const SlotGroup& group) {
  const State& state = found.state;
  const Rule& rule = rule_in_force(policy_of(state, group));
  const Cluster& consumer = state.clusters[group.members[kConsumer].cluster];
  if (is_exclusive(rule.type) || rule.of_work != nullptr || !consumer.demand) return;
  if (gate(state, group) != Reason::not_made || cluster_drains(state, group, kConsumer)) return;
  const std::optional<Smallest> smallest = too_wide_for_offer(found, group);
  // Work that has just come may start on the consumer's own slots.
  if (!smallest) return;
  const Instant since = smallest->since;
  if (since != kNever && found.now - since < state.grids[group.grid].delay_ms) return;
  Need need{Kind::offer_too_small, lease_id(state, group),
            "no job that waits at " + consumer.name + " starts on the " +
                count_of(policy_of(state, group).initial_slots, "slot") +
                " offered first: the smallest wants " + words_of(smallest->job.shape) +
                ", so the lease is never made",
            "initial_slots = " + std::to_string(smallest->slots) + " in policy " +
                policy_of(state, group).name + ", then leasectl reload"};
  need.since = since;
  need.reason = Reason::not_made;
  found.needs.push_back(std::move(need));
}

/// True if the last evaluation moved idle slots although neither side had work that waits.
bool moved_for_nobody(const SlotGroup& group) {
  const Numbers::All numbers = group.numbers.all();
  const bool moved = group.reason == Reason::provider_idle || group.reason == Reason::consumer_idle;
  return moved && numbers[4] == 0 && numbers[5] == 0;  // what waits: number_names()
}

void rule_not_written(Found& found, const SlotGroup& group) {
  const ExportPolicy& policy = policy_of(found.state, group);
  if (!policy.rule_by_default || !moved_for_nobody(group)) return;
  Need need{Kind::rule_not_written, policy.name,
            lease_id(found.state, group) +
                " moved idle slots although nobody waited: the policy "
                "has no rule, and so that of LSF",
            remedy_of_default_rule(policy)};
  need.since = group.evaluated_at;
  need.reason = group.reason;
  found.needs.push_back(std::move(need));
}

}  // namespace

bool is_open_lease(const State& state, const SlotGroup& group) {
  return policy_of_lease(state, group) != nullptr && !is_over(group);
}

void find_in_policies(Found& found) {
  if (found.state.config.mode != Mode::lease) return;
  std::set<uint32_t> named;  // a policy has one rule, however many leases
  for (const SlotGroup& group : found.state.slot_groups) {
    if (!is_open_lease(found.state, group)) continue;
    if (group.phase == Phase::offered) offer_too_small(found, group);
    if (named.contains(group.policy)) continue;
    const size_t before = found.needs.size();
    rule_not_written(found, group);
    if (found.needs.size() > before) named.insert(group.policy);
  }
}

}  // namespace leasehold::attention
