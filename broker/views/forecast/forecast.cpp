#include "broker/views/forecast/forecast.hpp"

#include "broker/core/model/queries/owner_jobs.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/views/forecast/course.hpp"
#include "broker/views/request/branch.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"
#include "common/config/file.hpp"

namespace leasehold::forecasting {

namespace {

/// The target of a question: a leaf of a plan, or a lease.
struct Target {
  LeaseRef lease;
  uint32_t plan = kNoIndex;
  uint32_t consumer = kNoIndex;  // position in Plan::consumers
  std::string name;
};

class Finder {
 public:
  Finder(const State& state, const Question& question) : state_(state), question_(question) {}

  Result<Target> find() {
    const LeaseRef lease = find_lease_member(state_, question_.id);
    if (lease.group != kNoIndex) return of_lease(lease);
    const bool path = question_.id.starts_with('/');
    find_leaves([&](const PlanConsumer& leaf) {
      return path ? is_below(leaf.path, question_.id) : leaf.cluster == question_.id;
    });
    if (!path) find_imports();
    if (found_.size() == 1) return found_.front();
    return tl::unexpected(found_.empty() ? unknown() : several());
  }

 private:
  Result<Target> of_lease(const LeaseRef& lease) {
    const SlotGroup& group = state_.slot_groups[lease.group];
    if (group.resource_group == kNoIndex) return Target{lease, kNoIndex, kNoIndex, question_.id};
    const size_t member = question_.provider_side ? size_t{kProvider} : lease.member;
    const bool leaf =
        member < group.members.size() && group.members[member].plan_consumer != kNoIndex;
    if (!leaf) return Target{lease, kNoIndex, kNoIndex, question_.id};
    const std::string path = rows::consumer(state_, {lease.group, uint32_t(member)}).path;
    find_leaves([&](const PlanConsumer& each) { return each.path == path; });
    for (const Target& target : found_) {
      if (target.plan == group.resource_group) return target;
    }
    return fail(ErrorCode::refused, "the plan in force does not name " + path + " any more");
  }

  template <class Wanted>
  void find_leaves(const Wanted& wanted) {
    for (uint32_t p = 0; p < state_.resource_groups.size(); ++p) {
      const Plan* plan = plan_in_force(state_, state_.resource_groups[p]);
      if (plan == nullptr) continue;
      for (uint32_t c = 0; c < plan->consumers.size(); ++c) {
        const PlanConsumer& leaf = plan->consumers[c];
        if (leaf.cluster.empty() || !wanted(leaf)) continue;
        found_.push_back({{}, p, c, plan->name + ":" + leaf.path});
      }
    }
  }

  void find_imports() {
    for_each_lease(state_, [&](const LeaseRef& lease) {
      const SlotGroup& group = state_.slot_groups[lease.group];
      if (group.resource_group != kNoIndex) return;
      if (rows::cluster_name(state_, group, lease.member) != question_.id) return;
      found_.push_back({lease, kNoIndex, kNoIndex, lease_id(state_, group, lease.member)});
    });
  }

  Error unknown() const {
    std::vector<std::string> names;
    for (const Cluster& cluster : state_.clusters) names.push_back(cluster.name);
    for (const ResourceGroupLedger& ledger : state_.resource_groups) {
      for (const PlanConsumerLedger& consumer : ledger.consumers) names.push_back(consumer.path);
    }
    if (const std::string lease = nearest_lease(state_, question_.id); !lease.empty()) {
      names.push_back(lease);
    }
    const bool cluster = find_cluster(state_, question_.id) != kNoIndex;
    const std::string why = cluster ? "' imports by no lease and is no leaf of a plan"
                                    : "' is no lease, no consumer of a plan and no cluster" +
                                          did_you_mean(question_.id, names);
    return {ErrorCode::unknown, "'" + question_.id + why, {}, 0, 0};
  }

  Error several() const {
    std::string names;
    for (size_t i = 0; i < found_.size() && i < 5; ++i) names += (i ? ", " : "") + found_[i].name;
    if (found_.size() > 5) names += ", …";
    return {ErrorCode::usage,
            "'" + question_.id + "' has slots of several: name one: " + names,
            {},
            0,
            0};
  }

  const State& state_;
  const Question& question_;
  std::vector<Target> found_;
};

void note_reports(const State& state, Forecast& forecast) {
  const uint32_t cluster = find_cluster(state, forecast.cluster);
  if (cluster == kNoIndex || !state.clusters[cluster].ending) return;
  forecast.ending_reported = true;
  forecast.error_milli = state.clusters[cluster].ending->error_milli;
}

/// Finds waiting work of the cluster that takes so many slots: the first in its agent's list. Work
/// that starts on any hosts is the same as so many slots.
void find_like(const State& state, Forecast& forecast) {
  const uint32_t cluster = find_cluster(state, forecast.cluster);
  if (cluster == kNoIndex || !state.clusters[cluster].demand) return;
  for (const wire::DemandBucket& bucket : *state.clusters[cluster].demand) {
    if (bucket.jobs <= 0 || bucket.slots <= 0) continue;
    if (waiting_of_bucket({}, bucket).shape.slots != forecast.slots) continue;
    if (needs_hosts(bucket)) forecast.like = bucket;
    return;
  }
}

/// Answers for a provider to which its own plan gives nothing.
Forecast without_leaf(const State& state, const SlotGroup& group, Forecast answer) {
  answer.of_plan = answer.provider_side = true;
  answer.cluster = rows::cluster_name(state, group, kProvider);
  answer.idle = 0;
  answer.possible = false;
  answer.holds.push_back({Basis::limit, 0,
                          answer.cluster + " has no leaf in the plan: its slots come back when the "
                                           "policy leaves it"});
  add_unknown(answer, answer.holds.front());
  return answer;
}

}  // namespace

Result<Forecast> forecast(const State& state, const Question& question) {
  const Result<Target> target = Finder(state, question).find();
  if (!target) return tl::unexpected(target.error());
  Forecast answer;
  answer.id = target->name;
  answer.slots = question.slots;
  answer.now = std::max(question.now, state.now);
  if (target->plan != kNoIndex) {
    const Plan* plan = plan_in_force(state, state.resource_groups[target->plan]);
    answer.of_plan = true;
    answer.cluster = plan->consumers[target->consumer].cluster;
    note_reports(state, answer);
    find_like(state, answer);
    forecast_leaf(state, target->plan, target->consumer, answer);
    return answer;
  }
  const SlotGroup& group = state.slot_groups[target->lease.group];
  if (group.resource_group != kNoIndex) return without_leaf(state, group, std::move(answer));
  answer.provider_side = question.provider_side;
  answer.cluster = rows::cluster_name(state, group, question.provider_side ? kProvider : kConsumer);
  note_reports(state, answer);
  find_like(state, answer);
  forecast_lease(state, group, answer);
  return answer;
}

}  // namespace leasehold::forecasting
