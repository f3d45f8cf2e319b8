// Counters from the records of a batch.
#include <catch2/catch.hpp>

#include "broker/metrics/count_records.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

Record of_group(RecordKind kind, Reason reason, int32_t slots = 0) {
  Record record;
  record.kind = kind;
  record.reason = reason;
  record.group = 0;
  record.slots = slots;
  return record;
}

uint64_t of(const CountsByReason& counts, Reason reason) {
  return counts[static_cast<size_t>(reason)];
}

}  // namespace

TEST_CASE("counts: flips, evaluations and failed transfers are counted by policy and reason") {
  const State state = site::state();
  LoopFigures figures;
  const std::vector<Record> records{of_group(RecordKind::evaluation, Reason::provider_idle),
                                    of_group(RecordKind::flip, Reason::provider_idle, 2),
                                    of_group(RecordKind::flip, Reason::consumer_idle, 3),
                                    of_group(RecordKind::transfer_failed, Reason::transfer_timeout),
                                    of_group(RecordKind::transfer_done, Reason::none, 2)};
  count_records(state, records, figures);
  count_records(state, std::span(records).first(2), figures);
  REQUIRE(figures.policies.size() == 1);
  const PolicyCounts& pool = figures.policies.at("pool");
  CHECK(of(pool.flips, Reason::provider_idle) == 2);
  CHECK(of(pool.flips, Reason::consumer_idle) == 1);
  CHECK(of(pool.evaluations, Reason::provider_idle) == 2);
  CHECK(of(pool.transfers_failed, Reason::transfer_timeout) == 1);
  CHECK(pool.flipped_slots == 7);
}

TEST_CASE("counts: alarms, refused operators and consumers of plans are counted by reason") {
  State state = site::state();
  state.resource_groups.emplace_back().name = "compute";
  LoopFigures figures;
  Record alarm;
  alarm.kind = RecordKind::alarm;
  alarm.reason = Reason::overdue;
  Record refused;
  refused.kind = RecordKind::operator_refused;
  refused.reason = Reason::not_allowed;
  Record consumer;
  consumer.kind = RecordKind::consumer;
  consumer.reason = Reason::at_quota;
  consumer.plan = 0;
  count_records(state, std::vector{alarm, refused, refused, consumer}, figures);
  CHECK(of(figures.alarms, Reason::overdue) == 1);
  CHECK(of(figures.operators_refused, Reason::not_allowed) == 2);
  CHECK(of(figures.consumers.at("compute"), Reason::at_quota) == 1);
  CHECK(figures.policies.empty());
}

TEST_CASE("counts: an evaluation that did not get to its rule was skipped") {
  for (const Reason skipped : {Reason::quarantine, Reason::inactive, Reason::frozen,
                               Reason::not_made, Reason::cluster_draining, Reason::cannot_fence,
                               Reason::host_reserved, Reason::host_indivisible}) {
    CHECK(is_skipped(skipped));
  }
  for (const Reason made : {Reason::tie, Reason::complete, Reason::provider_idle,
                            Reason::consumer_idle, Reason::at_quota}) {
    CHECK_FALSE(is_skipped(made));
  }
}

TEST_CASE("counts: what waits is what the next evaluation looks at, time-outs and returns") {
  State state = site::state();
  LoopFigures figures;
  state.grids[0].changed.insert(0);
  state.deadlines.resize(3);
  state.returning.resize(5);
  state.returned = 2;
  count_waiting(state, figures);
  CHECK(figures.evaluations_waiting == 1);
  CHECK(figures.time_outs_waiting == 3);
  CHECK(figures.returns_waiting == 3);
}
