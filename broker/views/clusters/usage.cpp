#include "broker/views/clusters/usage.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/queries/ready_plan.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

void UsageMeter::count(Part& part, Instant until) const {
  const Instant since = std::max(part.counted_to, from_);
  if (until <= since) return;
  for (Rate& rate : part.rates) {
    for (size_t k = 0; k < rate.slots.size(); ++k) {
      (*rate.sums)[k] += Sum{rate.slots[k]} * (until - since);
    }
  }
  part.counted_to = until;
}

UsageMeter::Part& UsageMeter::part_at(std::vector<Part>& parts, uint32_t index) const {
  while (parts.size() <= index) parts.push_back({from_, {}});
  return parts[index];
}

UsageMeter::Sums* UsageMeter::sums_of(const std::string& cluster, const std::string& group,
                                      const std::string& path) {
  return &sums_[Key{cluster, group, path}];
}

void UsageMeter::rate_lease(const State& state, uint32_t index) {
  const SlotGroup& group = state.slot_groups[index];
  std::vector<Rate>& rates = part_at(leases_, index).rates;
  rates.clear();
  if (group.phase == Phase::closed) return;
  Rate provider{sums_of(state.clusters[group.members[kProvider].cluster].name, "", ""), {}};
  Rate consumer{sums_of(state.clusters[group.members[kConsumer].cluster].name, "", ""), {}};
  for (size_t row = 0; row < group.hosts.size(); ++row) {
    provider.slots[owned] += group.at(row, kProvider).held;
    provider.slots[lent] += group.at(row, kConsumer).held;
    provider.slots[in_transfer] += group.hosts[row].in_transfer;
    consumer.slots[borrowed] += group.at(row, kConsumer).held;
  }
  rates = {provider, consumer};
}

namespace {

/// Returns the slots that each consumer is due and does not have yet, by position in the ledger.
std::vector<int64_t> on_their_way(const State& state, const ResourceGroupLedger& plan) {
  std::vector<int64_t> slots(plan.consumers.size(), 0);
  for (const uint32_t g : plan.slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    for (size_t m = 0; m < group.members.size(); ++m) {
      const uint32_t consumer = group.members[m].plan_consumer;
      if (consumer == kNoIndex) continue;
      for (size_t row = 0; row < group.hosts.size(); ++row) {
        const Holding& holding = group.at(row, m);
        slots[consumer] += std::max(0, holding.due - holding.held);
      }
    }
  }
  return slots;
}

int64_t number(const PlanConsumerLedger& consumer, ConsumerNumber which) {
  return consumer.numbers[static_cast<size_t>(which)];
}

}  // namespace

void UsageMeter::rate_plan(const State& state, uint32_t index) {
  const ResourceGroupLedger& ledger = state.resource_groups[index];
  std::vector<Rate>& rates = part_at(plans_, index).rates;
  rates.clear();
  const Plan* plan = ledger.configured ? plan_in_force(state, ledger) : nullptr;
  if (plan == nullptr) return;
  const std::vector<uint32_t> positions = ledger_positions(ledger, *plan);
  const std::vector<int64_t> moving = on_their_way(state, ledger);
  for (size_t c = 0; c < positions.size(); ++c) {
    if (plan->consumers[c].cluster.empty() || positions[c] == kNoIndex) continue;
    const PlanConsumerLedger& known = ledger.consumers[positions[c]];
    Rate rate{sums_of(plan->consumers[c].cluster, ledger.name, known.path), {}};
    rate.slots[lent] = number(known, ConsumerNumber::lent);
    rate.slots[borrowed] = number(known, ConsumerNumber::borrowed);
    rate.slots[shared] = number(known, ConsumerNumber::shared);
    const int64_t others = rate.slots[borrowed] + rate.slots[shared];
    rate.slots[owned] = std::max<int64_t>(0, number(known, ConsumerNumber::allocated) - others);
    rate.slots[in_transfer] = moving[positions[c]];
    rates.push_back(rate);
  }
}

void UsageMeter::begin(State& state, Instant at) {
  for (std::vector<Part>* parts : {&leases_, &plans_}) {
    for (Part& part : *parts) count(part, at);
    parts->clear();
  }
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    if (state.slot_groups[g].resource_group == kNoIndex) rate_lease(state, g);
  }
  for (uint32_t p = 0; p < state.resource_groups.size(); ++p) rate_plan(state, p);
  for (std::vector<Part>* parts : {&leases_, &plans_}) {
    for (Part& part : *parts) part.counted_to = at;
  }
}

void UsageMeter::changed(State& state, Instant at, bool from_now) {
  std::vector<bool> of_plans(state.resource_groups.size(), from_now);
  if (from_now) begin(state, at);
  for (const uint32_t g : state.dirty_groups) {
    SlotGroup& group = state.slot_groups[g];
    group.dirty = false;
    if (from_now) continue;
    if (group.resource_group != kNoIndex) {
      of_plans[group.resource_group] = true;
      continue;
    }
    count(part_at(leases_, g), at);
    rate_lease(state, g);
    leases_[g].counted_to = at;
  }
  state.dirty_groups.clear();
  for (uint32_t p = 0; p < state.resource_groups.size(); ++p) {
    const bool touched = of_plans[p] || state.resource_groups[p].dirty;
    state.resource_groups[p].dirty = false;
    if (from_now || !touched) continue;
    count(part_at(plans_, p), at);
    rate_plan(state, p);
    plans_[p].counted_to = at;
  }
  state.dirty_resource_groups = false;
}

namespace {

struct UsageRow {
  const std::string& cluster;
  const std::string& consumer;
  const std::string& resource_group;
  std::array<int64_t, 5> slot_s;  // by UsageMeter::Kind
};

constexpr Field<UsageRow> kUsageFields[] = {
    {{"cluster", "CLUSTER"}, [](auto& r) { return r.cluster; }},
    {{"consumer", "CONSUMER"}, [](auto& r) { return rows::text_or_null(r.consumer); }},
    {{"resource_group", "GROUP"}, [](auto& r) { return rows::text_or_null(r.resource_group); }},
    {{"owned_slot_s", "OWNED SLOT-S", kRight}, [](auto& r) { return r.slot_s[0]; }},
    {{"lent_slot_s", "LENT", kRight}, [](auto& r) { return r.slot_s[1]; }},
    {{"borrowed_slot_s", "BORROWED", kRight}, [](auto& r) { return r.slot_s[2]; }},
    {{"shared_slot_s", "SHARED", kRight}, [](auto& r) { return r.slot_s[3]; }},
    {{"in_transfer_slot_s", "IN TRANSFER", kRight}, [](auto& r) { return r.slot_s[4]; }},
};

}  // namespace

std::span<const columns::Column> usage_fields() {
  return shown_of<kUsageFields>();
}

Json UsageMeter::rows(Instant until) {
  for (std::vector<Part>* parts : {&leases_, &plans_}) {
    for (Part& part : *parts) count(part, until);
  }
  Json list = Json::array();
  for (const auto& [key, sums] : sums_) {
    UsageRow row{key.cluster, key.consumer, key.resource_group, {}};
    for (size_t k = 0; k < sums.size(); ++k) row.slot_s[k] = static_cast<int64_t>(sums[k] / 1000);
    list.push_back(row_json(kUsageFields, row));
  }
  return list;
}

}  // namespace leasehold
