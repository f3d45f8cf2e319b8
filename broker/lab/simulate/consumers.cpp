#include "broker/lab/simulate/consumers.hpp"

#include <algorithm>

#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/queries/ready_plan.hpp"

namespace leasehold {

void ConsumerMeter::count(Row& row, Instant until) {
  for (size_t kind = 0; kind < row.slots.size(); ++kind) {
    row.sums[kind] += Sum{row.slots[kind]} * (until - row.counted_to);
  }
  row.counted_to = until;
}

ConsumerMeter::Row& ConsumerMeter::at(uint32_t plan, uint32_t consumer) {
  if (rows_.size() <= plan) rows_.resize(plan + 1);
  if (rows_[plan].size() <= consumer) rows_[plan].resize(consumer + 1);
  return rows_[plan][consumer];
}

void ConsumerMeter::recorded(std::span<const Record> records, Instant now) {
  const auto number = [](const Record& record, ConsumerNumber which) {
    return record.numbers[static_cast<size_t>(which)];
  };
  for (const Record& record : records) {
    if (record.kind != RecordKind::consumer) continue;
    Row& row = at(record.plan, record.consumer);
    count(row, now);
    row.slots[lent] = number(record, ConsumerNumber::lent);
    row.slots[borrowed] = number(record, ConsumerNumber::borrowed);
    row.slots[shared] = number(record, ConsumerNumber::shared);
    const int64_t others = row.slots[borrowed] + row.slots[shared];
    row.slots[owned] = std::max<int64_t>(0, number(record, ConsumerNumber::allocated) - others);
  }
}

void ConsumerMeter::ended(uint32_t plan, uint32_t consumer, int64_t jobs) {
  if (consumer != kNoIndex) at(plan, consumer).jobs_ended += jobs;
}

std::vector<ConsumerOutcome> ConsumerMeter::rows(const State& state, Instant until) const {
  std::vector<ConsumerOutcome> outcomes;
  for (uint32_t p = 0; p < state.resource_groups.size(); ++p) {
    const ResourceGroupLedger& ledger = state.resource_groups[p];
    const Plan* plan = plan_in_force(state, ledger);
    if (plan == nullptr) continue;
    const std::vector<uint32_t> positions = ledger_positions(ledger, *plan);
    for (size_t c = 0; c < positions.size(); ++c) {
      if (plan->consumers[c].cluster.empty()) continue;
      Row row;
      const bool known = p < rows_.size() && positions[c] < rows_[p].size();
      if (known) row = rows_[p][positions[c]];
      count(row, until);
      const auto seconds = [&row](Kind kind) {
        return static_cast<int64_t>(row.sums[kind] / 1000);
      };
      outcomes.push_back({plan->consumers[c].path, ledger.name, plan->consumers[c].cluster,
                          seconds(owned), seconds(lent), seconds(borrowed), seconds(shared),
                          row.jobs_ended});
    }
  }
  return outcomes;
}

}  // namespace leasehold
