#include "broker/lab/simulate/outcome/seeds.hpp"

#include <functional>

#include "broker/lab/simulate/outcome/answer.hpp"
#include "broker/lab/simulate/outcome/confidence.hpp"

namespace leasehold {

namespace {

using Json = nlohmann::ordered_json;
using FigureOf = std::function<double(const RuleOutcome&)>;

std::string percent(double share) {
  return decimals(share * 100, 1) + "%";
}
std::string signed_duration(double seconds) {
  return seconds < 0 ? "-" + duration(-seconds) : duration(seconds);
}
std::string count(double value) {
  return decimals(value, 0);
}
std::string ratio(double value) {
  return decimals(value, 2);
}

struct Figure {
  const char* key;
  const char* column;  // nullptr: for programs only
  double (*of)(const RuleOutcome&);
  std::string (*text)(double);
};
constexpr Figure kFigures[] = {
    {"wait_mean_s", "WAIT", [](const RuleOutcome& o) { return o.wait_mean_s; }, signed_duration},
    {"wait_p95_s", "WAIT-95%", [](const RuleOutcome& o) { return o.wait_p95_s; }, signed_duration},
    {"bounded_slowdown_mean", "SLOWDOWN",
     [](const RuleOutcome& o) { return o.bounded_slowdown_mean; }, ratio},
    {"utilization", "UTILIZED", [](const RuleOutcome& o) { return o.utilization; }, percent},
    {"makespan_s", "SPAN", [](const RuleOutcome& o) { return o.makespan_s; }, signed_duration},
    {"flips", "FLIPS", [](const RuleOutcome& o) { return static_cast<double>(o.flips); }, count},
    {"slots_moved", "SLOTS-MOVED",
     [](const RuleOutcome& o) { return static_cast<double>(o.slots_moved); }, count},
    {"inactive_slot_seconds", "INACTIVE-SLOT-S",
     [](const RuleOutcome& o) { return o.inactive_slot_seconds; }, count},
    {"slots_unused", nullptr,
     [](const RuleOutcome& o) { return static_cast<double>(o.slots_unused); }, count},
    {"jobs_requeued", nullptr,
     [](const RuleOutcome& o) { return static_cast<double>(o.jobs_requeued); }, count},
    {"requeued_slot_seconds", nullptr, [](const RuleOutcome& o) { return o.requeued_slot_seconds; },
     count}};

/// The figures of one rule; with `less`, their differences from that rule, seed by seed.
struct Compared {
  const SeedRuns& runs;
  size_t rule;
  std::optional<size_t> less;

  Confidence operator()(const FigureOf& figure) const {
    std::vector<double> values;
    for (const std::vector<RuleOutcome>& run : runs) {
      values.push_back(figure(run[rule]) - (less ? figure(run[*less]) : 0));
    }
    return confidence_95(values);
  }
};

FigureOf wait_of(size_t cluster) {
  return [cluster](const RuleOutcome& o) { return o.clusters[cluster].wait_mean_s; };
}

Json to_json(const Confidence& found) {
  return {{"mean", found.mean}, {"half_width", found.half_width}};
}

Json figures_json(const Compared& compared) {
  Json figures = Json::object();
  for (const Figure& figure : kFigures) figures[figure.key] = to_json(compared(figure.of));
  figures["clusters"] = Json::array();
  const std::vector<ClusterOutcome>& clusters = compared.runs.front().front().clusters;
  for (size_t i = 0; i < clusters.size(); ++i) {
    figures["clusters"].push_back(
        {{"cluster", clusters[i].cluster}, {"wait_mean_s", to_json(compared(wait_of(i)))}});
  }
  return figures;
}

std::string rule_name(const SeedRuns& runs, size_t rule) {
  return std::string(runs.front()[rule].rule.name);
}

std::string text(const Confidence& found, std::string (*words)(double)) {
  return words(found.mean) + " ± " + words(found.half_width);
}

Cells cells(const std::string& name, const Compared& compared) {
  Cells row{name};
  for (const Figure& figure : kFigures) {
    if (figure.column != nullptr) row.push_back(text(compared(figure.of), figure.text));
  }
  for (size_t i = 0; i < compared.runs.front().front().clusters.size(); ++i) {
    row.push_back(text(compared(wait_of(i)), signed_duration));
  }
  return row;
}

}  // namespace

std::string seeds_json(const SeedRuns& runs, int64_t block_ms) {
  Json answer{{"seeds", runs.size()}, {"block_ms", block_ms}, {"confidence", 0.95}};
  answer["rules"] = Json::array();
  answer["differences"] = Json::array();
  answer["runs"] = Json::array();
  for (size_t rule = 0; rule < runs.front().size(); ++rule) {
    Json row{{"rule", rule_name(runs, rule)}};
    row.update(figures_json({runs, rule, {}}));
    answer["rules"].push_back(std::move(row));
    for (size_t less = 0; less < rule; ++less) {
      Json difference{{"rule", rule_name(runs, rule)}, {"less", rule_name(runs, less)}};
      difference.update(figures_json({runs, rule, less}));
      answer["differences"].push_back(std::move(difference));
    }
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    answer["runs"].push_back({{"seed", i + 1}, {"outcomes", outcomes_json(runs[i])}});
  }
  return answer.dump(2) + "\n";
}

std::string seeds_table(const SeedRuns& runs, int64_t block_ms) {
  Cells head{"RULE"};
  for (const Figure& figure : kFigures) {
    if (figure.column != nullptr) head.emplace_back(figure.column);
  }
  for (const ClusterOutcome& cluster : runs.front().front().clusters) {
    head.push_back("WAIT:" + cluster.cluster);
  }
  std::vector<Cells> rows{head};
  head.front() = "DIFFERENCE";
  std::vector<Cells> differences{head};
  for (size_t rule = 0; rule < runs.front().size(); ++rule) {
    rows.push_back(cells(rule_name(runs, rule), {runs, rule, {}}));
    for (size_t less = 0; less < rule; ++less) {
      differences.push_back(
          cells(rule_name(runs, rule) + " - " + rule_name(runs, less), {runs, rule, less}));
    }
  }
  std::string text = aligned(rows);
  if (differences.size() > 1) text += "\n" + aligned(differences);
  return text + "\nMeans over " + std::to_string(runs.size()) +
         " seeds with 95 % confidence intervals; a seed draws blocks of " +
         format_duration(block_ms) +
         " of\nthe traces' recorded time again. Differences are between runs of the same seed.\n" +
         dropped_text(runs.front().front().dropped);
}

}  // namespace leasehold
