// Series of what the event loop counted: flips, evaluations, refusals, how long its work took, what
// waits.
#include "broker/metrics/count_records.hpp"
#include "broker/metrics/parts.hpp"

namespace leasehold::metrics {

namespace {

template <class Add>
void each_counted(const CountsByReason& counts, const Add& add) {
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const auto reason = static_cast<Reason>(i);
    add(reason, std::string(token(reason)), static_cast<double>(counts[i]));
  }
}

void add_policy(const std::string& policy, const PolicyCounts& counts, Samples& samples) {
  each_counted(counts.flips, [&](Reason, const std::string& reason, double count) {
    samples.add(Metric::flips, count, {policy, reason});
  });
  each_counted(counts.evaluations, [&](Reason found, const std::string& reason, double count) {
    samples.add(Metric::evaluations, count,
                {policy, is_skipped(found) ? "skipped" : "made", reason});
  });
  each_counted(counts.transfers_failed, [&](Reason, const std::string& reason, double count) {
    samples.add(Metric::transfers_failed, count, {policy, reason});
  });
  samples.add(Metric::flipped_slots, static_cast<double>(counts.flipped_slots), {policy});
}

void add_refusals(const MetricsInput& input, Samples& samples) {
  const auto add = [&samples](const char* door, const CountsByReason& counts) {
    each_counted(counts, [&](Reason, const std::string& reason, double count) {
      samples.add(Metric::refusals, count, {door, reason});
    });
  };
  add("agents", input.figures.agents_refused);
  add("operators", input.figures.operators_refused);
  samples.add(Metric::refusals, static_cast<double>(input.http.refused), {"http", "refused"});
  samples.add(Metric::refusals, static_cast<double>(input.http.too_many), {"http", "too-many"});
}

void add_waiting(const MetricsInput& input, Samples& samples) {
  const auto add = [&samples](const char* queue, uint64_t depth) {
    samples.add(Metric::queue_depth, static_cast<double>(depth), {queue});
  };
  add("evaluations", input.figures.evaluations_waiting);
  add("time-outs", input.figures.time_outs_waiting);
  add("returns", input.figures.returns_waiting);
  add("statements", input.figures.statements_put_off);
  add("http", static_cast<uint64_t>(input.http.waiting));
}

/// The series of a policy end when it is no longer configured.
bool has_policy(const State& state, const std::string& name) {
  const uint32_t policy = find_policy(state, name);
  return policy != kNoIndex && state.policies[policy].configured;
}

bool has_plan(const State& state, const std::string& name) {
  const uint32_t plan = find_resource_group(state, name);
  return plan != kNoIndex && state.resource_groups[plan].configured;
}

}  // namespace

void add_loop(const MetricsInput& input, Samples& samples) {
  const LoopFigures& figures = input.figures;
  for (const auto& [policy, counts] : figures.policies) {
    if (has_policy(input.state, policy)) add_policy(policy, counts, samples);
  }
  for (const auto& [group, counts] : figures.consumers) {
    if (!has_plan(input.state, group)) continue;
    each_counted(counts, [&](Reason, const std::string& reason, double count) {
      samples.add(Metric::consumer_outcomes, count, {group, reason});
    });
  }
  each_counted(figures.alarms, [&](Reason, const std::string& reason, double count) {
    samples.add(Metric::alarms, count, {reason});
  });
  add_refusals(input, samples);
  samples.set(Metric::evaluation_duration, figures.evaluation);
  samples.set(Metric::commit_duration, figures.commit);
  samples.add(Metric::commits_failed, static_cast<double>(figures.commits_failed));
  samples.add(Metric::agent_messages, static_cast<double>(figures.agent_messages));
  add_waiting(input, samples);
}

}  // namespace leasehold::metrics
