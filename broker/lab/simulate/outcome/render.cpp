// Writes the answer of simulate, for programs and for people.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "broker/lab/simulate/outcome/answer.hpp"
#include "common/text/printable.hpp"
#include "common/time/instant.hpp"

namespace leasehold {
namespace {

using Json = nlohmann::ordered_json;

Json consumers_json(const RuleOutcome& outcome) {
  Json consumers = Json::array();
  for (const ConsumerOutcome& o : outcome.consumers) {
    consumers.push_back({{"consumer", o.consumer},
                         {"resource_group", o.resource_group},
                         {"cluster", o.cluster},
                         {"owned_slot_s", o.owned_slot_s},
                         {"lent_slot_s", o.lent_slot_s},
                         {"borrowed_slot_s", o.borrowed_slot_s},
                         {"shared_slot_s", o.shared_slot_s},
                         {"jobs_requeued", o.jobs_requeued}});
  }
  return consumers;
}

Json to_json(const RuleOutcome& outcome) {
  Json clusters = Json::array();
  for (const ClusterOutcome& cluster : outcome.clusters) {
    clusters.push_back({{"cluster", cluster.cluster},
                        {"jobs", cluster.jobs},
                        {"wait_mean_s", cluster.wait_mean_s}});
  }
  Json answer = {{"rule", outcome.rule.name},
                 {"jobs", outcome.jobs},
                 {"skipped", outcome.skipped},
                 {"dropped", outcome.dropped.jobs},
                 {"wait_mean_s", outcome.wait_mean_s},
                 {"wait_p95_s", outcome.wait_p95_s},
                 {"bounded_slowdown_mean", outcome.bounded_slowdown_mean},
                 {"utilization", outcome.utilization},
                 {"makespan_s", outcome.makespan_s},
                 {"flips", outcome.flips},
                 {"slots_moved", outcome.slots_moved},
                 {"inactive_slot_seconds", outcome.inactive_slot_seconds},
                 {"slots_unused", outcome.slots_unused},
                 {"jobs_requeued", outcome.jobs_requeued},
                 {"requeued_slot_seconds", outcome.requeued_slot_seconds},
                 {"clusters", std::move(clusters)}};
  if (outcome.rule.planned) answer["consumers"] = consumers_json(outcome);
  return answer;
}

Cells cells(const RuleOutcome& o) {
  Cells row{std::string(o.rule.name),
            std::to_string(o.jobs),
            duration(o.wait_mean_s),
            duration(o.wait_p95_s),
            decimals(o.bounded_slowdown_mean, 2),
            decimals(o.utilization * 100, 1) + "%",
            duration(o.makespan_s),
            std::to_string(o.flips),
            std::to_string(o.slots_moved),
            decimals(o.inactive_slot_seconds, 0)};
  for (const ClusterOutcome& cluster : o.clusters) row.push_back(duration(cluster.wait_mean_s));
  return row;
}

/// Returns the slot-seconds of the plan's leaves, as `usage` shows them.
std::string consumer_table(const RuleOutcome& outcome) {
  std::vector<Cells> rows{{"CONSUMER", "GROUP", "CLUSTER", "OWNED-SLOT-S", "LENT-SLOT-S",
                           "BORROWED-SLOT-S", "SHARED-SLOT-S", "JOBS-REQUEUED"}};
  for (const ConsumerOutcome& o : outcome.consumers) {
    rows.push_back({o.consumer, o.resource_group, o.cluster, std::to_string(o.owned_slot_s),
                    std::to_string(o.lent_slot_s), std::to_string(o.borrowed_slot_s),
                    std::to_string(o.shared_slot_s), std::to_string(o.jobs_requeued)});
  }
  return "\n" + aligned(rows);
}

}  // namespace

std::string decimals(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string duration(double seconds) {
  if (seconds < 60) return decimals(seconds, 1) + "s";
  return format_duration(std::llround(seconds) * 1000);
}

std::string aligned(const std::vector<Cells>& rows) {
  std::vector<size_t> width(rows.front().size(), 0);
  for (const Cells& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], width_of(row[i]));
  }
  std::string text;
  for (const Cells& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(width[i] - width_of(row[i]), ' ');
      text += i == 0 ? row[i] + space : "  " + space + row[i];
    }
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json outcomes_json(const std::vector<RuleOutcome>& outcomes) {
  Json list = Json::array();
  for (const RuleOutcome& outcome : outcomes) list.push_back(to_json(outcome));
  return list;
}

std::string simulate_json(const std::vector<RuleOutcome>& outcomes) {
  return outcomes_json(outcomes).dump(2) + "\n";
}

std::string dropped_text(const DroppedJobs& dropped) {
  if (dropped.jobs == 0) return "";
  const int64_t ms = dropped.after_ms;  // nobody reads milliseconds of days
  const std::string after = format_duration(ms < 60'000 ? ms : ms / 1000 * 1000);
  const std::string why =
      dropped.shortest.empty()
          ? ", the scenario's until.\n"
          : ", where the trace of " + printable(dropped.shortest) +
                " ends, the first that does; [simulation] until says otherwise.\n";
  return std::to_string(dropped.jobs) +
         (dropped.jobs == 1 ? " job was left out: it arrives"
                            : " jobs were left out: they arrive") +
         " after " + after + why;
}

std::string simulate_table(const std::vector<RuleOutcome>& outcomes) {
  if (outcomes.empty()) return "";
  Cells head{"RULE",     "JOBS", "WAIT",  "WAIT-95%",    "SLOWDOWN",
             "UTILIZED", "SPAN", "FLIPS", "SLOTS-MOVED", "INACTIVE-SLOT-S"};
  for (const ClusterOutcome& cluster : outcomes.front().clusters) {
    head.push_back("WAIT:" + cluster.cluster);
  }
  std::vector<Cells> rows{head};
  for (const RuleOutcome& outcome : outcomes) rows.push_back(cells(outcome));
  std::string text = aligned(rows);
  const int64_t skipped = outcomes.front().skipped;
  if (skipped > 0) {
    text += std::to_string(skipped) +
            " lines of the traces were passed over: no run time, no width, or too wide to start.\n";
  }
  text += dropped_text(outcomes.front().dropped);
  for (const RuleOutcome& outcome : outcomes) {
    if (outcome.jobs_requeued == 0) continue;
    text += std::string(outcome.rule.name) + ": reclaims ended " +
            std::to_string(outcome.jobs_requeued) +
            " runs, which began again: " + decimals(outcome.requeued_slot_seconds, 0) +
            " slot-seconds lost.\n";
  }
  for (const RuleOutcome& outcome : outcomes) {
    if (!outcome.consumers.empty()) text += consumer_table(outcome);
  }
  return text;
}

}  // namespace leasehold
