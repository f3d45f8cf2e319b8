#include "broker/metrics/count_records.hpp"

#include <algorithm>
#include <array>

namespace leasehold {

namespace {

/// Returns nullptr for a record without a slot group.
PolicyCounts* counts_of(const State& state, const Record& record, LoopFigures& figures) {
  if (record.group == kNoIndex) return nullptr;
  const uint32_t policy = state.slot_groups[record.group].policy;
  return policy == kNoIndex ? nullptr : &figures.policies[state.policies[policy].config.name];
}

uint64_t& one(CountsByReason& counts, Reason reason) {
  return counts[static_cast<size_t>(reason)];
}

void count_of_group(const Record& record, PolicyCounts& counts) {
  if (record.kind == RecordKind::flip) {
    ++one(counts.flips, record.reason);
    counts.flipped_slots += static_cast<uint64_t>(record.slots);
  } else if (record.kind == RecordKind::transfer_failed) {
    ++one(counts.transfers_failed, record.reason);
  } else {
    ++one(counts.evaluations, record.reason);
  }
}

bool is_of_group(RecordKind kind) {
  return kind == RecordKind::flip || kind == RecordKind::transfer_failed ||
         kind == RecordKind::evaluation || kind == RecordKind::observed;
}

}  // namespace

void count_records(const State& state, std::span<const Record> records, LoopFigures& figures) {
  for (const Record& record : records) {
    if (is_of_group(record.kind)) {
      if (PolicyCounts* counts = counts_of(state, record, figures)) count_of_group(record, *counts);
    } else if (record.kind == RecordKind::consumer && record.plan != kNoIndex) {
      ++one(figures.consumers[state.resource_groups[record.plan].name], record.reason);
    } else if (record.kind == RecordKind::alarm) {
      ++one(figures.alarms, record.reason);
    } else if (record.kind == RecordKind::operator_refused) {
      ++one(figures.operators_refused, record.reason);
    }
  }
}

void count_waiting(const State& state, LoopFigures& figures) {
  figures.evaluations_waiting = 0;
  for (const Grid& grid : state.grids) figures.evaluations_waiting += grid.changed.size();
  figures.time_outs_waiting = state.deadlines.size();
  figures.returns_waiting = state.returning.size() - state.returned;
}

bool is_skipped(Reason outcome) {
  constexpr std::array kLater{Reason::cannot_fence, Reason::host_reserved,
                              Reason::host_indivisible};
  return outcome <= Reason::cluster_draining ||
         std::find(kLater.begin(), kLater.end(), outcome) != kLater.end();
}

}  // namespace leasehold
