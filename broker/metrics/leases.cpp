// Series of single leases and of single consumers of plans, while there are not too many.
#include "broker/metrics/parts.hpp"
#include "broker/views/leases/lease_facts.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold::metrics {

namespace {

void add_slots(const Totals& totals, const std::string& lease, Samples& samples) {
  const auto add = [&](const char* side, int32_t available, int32_t used) {
    samples.add(Metric::lease_slots, used, {lease, side, "used"});
    samples.add(Metric::lease_slots, available - used, {lease, side, "idle"});
  };
  add("provider", totals.provider_available, totals.provider_used);
  add("consumer", totals.consumer_available, totals.consumer_used);
}

/// Adds up the slots of a lease whose old group drains while a new one begins, because they are one
/// lease.
void add_lease(const State& state, const LeaseRef& ref, LeaseFacts& facts, Samples& samples) {
  const SlotGroup& group = state.slot_groups[ref.group];
  const std::string lease = lease_id(state, group, ref.member);
  samples.at_least(
      Metric::lease_info, 1,
      {lease, state.policies[group.policy].config.name, rows::cluster_name(state, group, kProvider),
       rows::cluster_name(state, group, ref.member)});
  if (group.phase != Phase::draining) {
    samples.at_least(Metric::lease_reason, 1, {lease, std::string(token(facts.reason(ref)))});
  }
  add_slots(facts.totals(ref), lease, samples);
  samples.add(Metric::lease_in_transfer, facts.in_transfer(ref), {lease});
  samples.at_least(Metric::lease_flips, static_cast<double>(facts.flips(ref)), {lease});
  const Instant last = facts.last_flip(ref);
  if (last.ms > 0) samples.at_least(Metric::lease_last_flip, in_seconds(last.ms), {lease});
}

struct Consumers {
  std::vector<std::pair<const ResourceGroupLedger*, const PlanConsumerLedger*>> all;

  explicit Consumers(const State& state) {
    for (const ResourceGroupLedger& plan : state.resource_groups) {
      if (!plan.configured) continue;
      for (const PlanConsumerLedger& consumer : plan.consumers) {
        if (consumer.configured) all.emplace_back(&plan, &consumer);
      }
    }
  }
};

void add_consumer(const ResourceGroupLedger& plan, const PlanConsumerLedger& consumer,
                  Samples& samples) {
  const NumberNames& names = number_names(RecordKind::consumer);
  for (size_t i = 0; i < consumer.numbers.size(); ++i) {
    if (*names[i] == '\0') continue;
    samples.add(Metric::consumer_slots, static_cast<double>(consumer.numbers[i]),
                {plan.name, consumer.path, names[i]});
  }
}

}  // namespace

void add_leases(const MetricsInput& input, Samples& samples) {
  int64_t leases = 0;
  for_each_lease(input.state, [&leases](const LeaseRef&) { ++leases; });
  const Consumers consumers(input.state);
  const auto paths = static_cast<int64_t>(consumers.all.size());
  const bool few_leases = leases <= input.series_most;
  const bool few_paths = paths <= input.series_most;
  samples.add(Metric::series_left_out, static_cast<double>(few_leases ? 0 : leases), {"lease"});
  samples.add(Metric::series_left_out, static_cast<double>(few_paths ? 0 : paths), {"consumer"});
  if (few_leases) {
    LeaseFacts facts(input.state);
    for_each_lease(input.state,
                   [&](const LeaseRef& ref) { add_lease(input.state, ref, facts, samples); });
  }
  if (!few_paths) return;
  for (const auto& [plan, consumer] : consumers.all) add_consumer(*plan, *consumer, samples);
}

}  // namespace leasehold::metrics
