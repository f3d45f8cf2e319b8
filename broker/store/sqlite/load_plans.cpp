// Rows of resource groups and their consumers to State. The three tables are read side by side in
// the order of their keys.
#include "broker/record/history_snapshot.hpp"
#include "broker/store/sqlite/rows.hpp"
#include "broker/store/sqlite/tables.hpp"

namespace leasehold {

namespace {

struct PlanRows {
  explicit PlanRows(SQLite::Database& db)
      : groups(db,
               "SELECT number, name, configured, variant, grid, consumers, pairs, evaluated_at_ms "
               "FROM resource_group ORDER BY number"),
        consumers(db,
                  "SELECT resource_group, number, path, configured, reason, demand, allocated, "
                  "quota, borrowed, lent, shared, evaluated_at_ms, gained_at_ms, backoff_until_ms, "
                  "backoffs, loans FROM plan_consumer ORDER BY resource_group, number"),
        pairs(db,
              "SELECT resource_group, number, from_consumer, to_consumer, flips, moved_at_ms, "
              "in_a_row FROM plan_pair ORDER BY resource_group, number") {}
  Rows groups, consumers, pairs;
};

bool at_row(Rows& rows, size_t group, size_t number) {
  return rows.next() && rows.integer() == static_cast<int64_t>(group) &&
         rows.integer() == static_cast<int64_t>(number);
}

bool read_consumer(Rows& rows, PlanConsumerLedger& consumer) {
  rows.take(consumer.path);
  rows.take(consumer.configured);
  if (!find_reason(rows.bytes(), consumer.reason)) return false;
  for (int64_t& number : consumer.numbers) rows.take(number);
  rows.take_instant(consumer.evaluated_at, kNotYet);
  rows.take_instant(consumer.gained_at, kNotYet);
  rows.take_instant(consumer.backoff_until, kNotYet);
  rows.take(consumer.backoffs);
  const std::string_view loans = rows.bytes();
  return loans.empty() || decode_loans(loans, consumer.loans).has_value();
}

bool read_consumers(Rows& rows, size_t group, size_t count, ResourceGroupLedger& plan) {
  for (size_t number = 0; number < count; ++number) {
    if (!at_row(rows, group, number)) return false;
    if (!read_consumer(rows, plan.consumers.emplace_back())) return false;
  }
  return true;
}

bool read_pairs(Rows& rows, size_t group, size_t count, ResourceGroupLedger& plan) {
  for (size_t number = 0; number < count; ++number) {
    if (!at_row(rows, group, number)) return false;
    PairFlips& pair = plan.pairs.emplace_back();
    rows.take(pair.from);
    rows.take(pair.to);
    rows.take(pair.flips);
    rows.take(pair.moved_at.ms);
    rows.take(pair.in_a_row);
  }
  return true;
}

bool read_plan(PlanRows& rows, size_t number, ResourceGroupLedger& plan) {
  if (rows.groups.integer() != static_cast<int64_t>(number)) return false;
  size_t consumers = 0;
  size_t pairs = 0;
  rows.groups.take(plan.name);
  rows.groups.take(plan.configured);
  rows.groups.take(plan.variant);
  rows.groups.take(plan.grid);
  rows.groups.take(consumers);
  rows.groups.take(pairs);
  rows.groups.take_instant(plan.evaluated_at, kNotYet);
  return read_consumers(rows.consumers, number, consumers, plan) &&
         read_pairs(rows.pairs, number, pairs, plan);
}

}  // namespace

Status load_plans(SQLite::Database& db, State& state) {
  PlanRows rows(db);
  while (rows.groups.next()) {
    const size_t number = state.resource_groups.size();
    if (!read_plan(rows, number, state.resource_groups.emplace_back()))
      return odd("table resource_group");
  }
  if (rows.consumers.next() || rows.pairs.next()) {
    return odd("a row of a resource group that is not there");
  }
  return {};
}

}  // namespace leasehold
