#include "broker/core/model/queries/owner_jobs.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/rules/demand_aware/back_off.hpp"

namespace leasehold {

namespace {

using demand_aware::Waiting;

/// Slots that are kept idle for a wide job are lost to narrow ones. A job that starts by itself
/// within this time does not justify that (broker/rules/demand_aware/README.md).
constexpr int64_t kDelaysBeforeStarving = 12;

}  // namespace

Waiting waiting_of_bucket(Instant now, const wire::DemandBucket& bucket) {
  Waiting one;
  one.jobs = bucket.jobs;
  if (bucket.oldest_ms > 0) one.age_ms = std::max<int64_t>(0, now.ms - bucket.oldest_ms);
  const int64_t each =
      bucket.jobs == 1 ? bucket.slots : (bucket.slots + bucket.jobs - 1) / bucket.jobs;
  one.shape = {bucket.slots_per_host, bucket.hosts, each, bucket.whole};
  one.shape.slots = std::max(one.shape.slots, int64_t{bucket.slots_per_host} * bucket.hosts);
  const auto limit = static_cast<size_t>(bucket.limit);
  if (limit < std::size(wire::kClassMs)) one.limit_ms = wire::kClassMs[limit];
  return one;
}

std::optional<Waiting> waiting_in_group(const State& state, const SlotGroup& group,
                                        const wire::DemandBucket& bucket) {
  Waiting one = waiting_of_bucket(state.now, bucket);
  const auto type_of = [&](uint32_t row) -> const std::string& {
    return host_of(state, group, row).facts.type;
  };
  if (!set_rows(one, bucket.host_types, group.hosts.size(), type_of)) return std::nullopt;
  return one;
}

bool is_wide(const wire::DemandBucket& bucket) {
  const demand_aware::Shape shape = waiting_of_bucket({}, bucket).shape;
  return shape.slots > 1 || shape.hosts > 1;
}

bool has_wide_work(const Cluster& owner) {
  return owner.demand && std::any_of(owner.demand->begin(), owner.demand->end(), is_wide);
}

std::vector<uint32_t> groups_of(const OwnerRows& all) {
  std::vector<uint32_t> groups = all.groups;
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

bool waits_off(const State& state, const OwnerRows& all, const demand_aware::Shape& shape) {
  const std::vector<uint32_t> groups = groups_of(all);
  return std::any_of(groups.begin(), groups.end(), [&](uint32_t g) {
    const auto& known = state.slot_groups[g].demand;
    return known && demand_aware::waits_off(known->owner_trial.back_offs, demand_aware::kProvider,
                                            shape, state.now);
  });
}

std::optional<OwnerJob> owner_job(const State& state, const OwnerRows& all,
                                  const wire::DemandBucket& bucket) {
  Waiting job = waiting_of_bucket(state.now, bucket);
  const auto type_of = [&](uint32_t i) -> const std::string& {
    return host_of(state, state.slot_groups[all.groups[i]], all.rows[i]).facts.type;
  };
  if (!set_rows(job, bucket.host_types, all.rows.size(), type_of)) return std::nullopt;
  const SlotGroup& first = state.slot_groups[all.groups.front()];
  const int64_t starves_ms = kDelaysBeforeStarving * state.grids[first.grid].delay_ms;
  const bool old_enough = bucket.oldest_ms == 0 || job.age_ms >= starves_ms;
  const Instant starves_at = old_enough ? state.now : state.now + (starves_ms - job.age_ms);
  return OwnerJob{job.shape, old_enough, starves_at,
                  demand_aware::owner_need(job, all.idle, all.elsewhere)};
}

std::optional<OwnerJob> waiting_for_lent(const State& state, uint32_t provider,
                                         const OwnerRows& all) {
  const Cluster& cluster = state.clusters[provider];
  if (!cluster.demand || all.groups.empty()) return std::nullopt;
  std::optional<OwnerJob> young;
  for (const wire::DemandBucket& bucket : *cluster.demand) {
    if (!is_wide(bucket)) continue;
    auto job = owner_job(state, all, bucket);
    if (!job || !job->need.starts || job->need.lent.empty()) continue;
    if (waits_off(state, all, job->shape)) continue;
    if (job->old_enough) return job;
    if (!young || job->starves_at < young->starves_at) young = std::move(job);
  }
  return young;
}

}  // namespace leasehold
