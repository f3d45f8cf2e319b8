// Finds policies whose lines no longer suit the work: a first offer that starts nothing, and a rule
// that nobody chose and that moves slots for nobody.
#include <algorithm>
#include <set>

#include "broker/core/lease/gate.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/owner_jobs.hpp"
#include "broker/rules/demand_aware/packing.hpp"
#include "broker/views/attention/needs.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/settings/policy_settings.hpp"

namespace leasehold::attention {

namespace {

using demand_aware::IdleRow;
using demand_aware::Waiting;
using rows::cluster_name;
using rows::count_of;

const ExportPolicy& policy_of(const State& state, const SlotGroup& group) {
  return state.policies[group.policy].config;
}

bool is_open_lease(const SlotGroup& group) {
  return group.resource_group == kNoIndex && group.policy != kNoIndex &&
         group.phase != Phase::closed && group.phase != Phase::draining;
}

int32_t most_of(const State& state, const SlotGroup& group, uint32_t row) {
  return common_up(group, row) ? consumer_cap(state, group, row) : 0;
}

/// Returns what the consumer has of each row where so many slots are offered first, in the order in
/// which core/exports/offer.cpp offers them.
std::vector<IdleRow> offered_rows(const State& state, const SlotGroup& group, int64_t slots) {
  std::vector<IdleRow> offered(group.hosts.size());
  for (uint32_t row = 0; row < group.hosts.size() && slots > 0; ++row) {
    const int32_t most = most_of(state, group, row);
    const bool whole = moves_whole(state, group, row);
    const auto given = whole ? most : static_cast<int32_t>(std::min<int64_t>(slots, most));
    offered[row].idle[kConsumer] = given;
    const int32_t size = host_of(state, group, row).facts.slots;
    if (given >= size) offered[row].size = given;
    slots -= given;
  }
  return offered;
}

bool starts(const State& state, const SlotGroup& group, const Waiting& job, int64_t slots) {
  const std::vector<IdleRow> offered = offered_rows(state, group, slots);
  demand_aware::Packing packing(kConsumer, offered, {}, 0);
  return packing.put(job).jobs > 0;
}

/// Notes the rows that have a host of one of these types; false: none has.
bool note_rows(const State& state, const SlotGroup& group, const std::vector<std::string>& types,
               Waiting& job) {
  if (types.empty()) return true;
  job.rows.assign(group.hosts.size() / 64 + 1, 0);
  bool any = false;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const std::string& type = host_of(state, group, row).facts.type;
    if (std::find(types.begin(), types.end(), type) == types.end()) continue;
    job.rows[row / 64] |= uint64_t{1} << (row % 64);
    any = true;
  }
  return any;
}

/// Returns the fewest slots that start the job if they are offered first, up to `most`, which do.
int64_t fewest(const State& state, const SlotGroup& group, const Waiting& job, int64_t most) {
  int64_t least = 1;
  while (least < most) {
    const int64_t middle = least + (most - least) / 2;
    if (starts(state, group, job, middle)) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return most;
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
  int64_t all = 0;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) all += most_of(state, group, row);
  std::optional<Smallest> smallest;
  for (const wire::DemandBucket& bucket :
       *state.clusters[group.members[kConsumer].cluster].demand) {
    Waiting job = waiting_of_bucket(found.now, bucket);
    if (!note_rows(state, group, bucket.host_types, job)) continue;
    if (starts(state, group, job, policy_of(state, group).initial_slots)) return std::nullopt;
    if (!starts(state, group, job, all)) continue;
    const int64_t slots = fewest(state, group, job, all);
    if (smallest && smallest->slots <= slots) continue;
    const Instant since = bucket.oldest_ms > 0 ? Instant{bucket.oldest_ms} : kNever;
    smallest = Smallest{std::move(job), slots, since};
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

void find_in_policies(Found& found) {
  if (found.state.config.mode != Mode::lease) return;
  std::set<uint32_t> named;  // a policy has one rule, however many leases
  for (const SlotGroup& group : found.state.slot_groups) {
    if (!is_open_lease(group)) continue;
    if (group.phase == Phase::offered) offer_too_small(found, group);
    if (named.contains(group.policy)) continue;
    const size_t before = found.needs.size();
    rule_not_written(found, group);
    if (found.needs.size() > before) named.insert(group.policy);
  }
}

}  // namespace leasehold::attention
