#include "broker/lab/simulate/outcome/picture.hpp"

#include <algorithm>
#include <functional>

#include "broker/lab/chart/chart.hpp"
#include "broker/lab/simulate/outcome/confidence.hpp"
#include "common/check.hpp"

namespace leasehold {

namespace {

using Outcomes = std::vector<RuleOutcome>;

using FigureOf = std::function<double(const RuleOutcome&)>;

std::vector<std::string> rules_of(const Outcomes& outcomes) {
  std::vector<std::string> names;
  for (const RuleOutcome& outcome : outcomes) names.emplace_back(outcome.rule.name);
  return names;
}

/// Returns a bar for each rule.
ChartBars::Group group(const std::string& name, const SeedRuns& runs, const FigureOf& figure) {
  ChartBars::Group group{name, {}, {}};
  for (size_t rule = 0; rule < runs.front().size(); ++rule) {
    std::vector<double> values;
    for (const Outcomes& run : runs) values.push_back(figure(run[rule]));
    if (values.size() == 1) {
      group.seconds.push_back(values.front());
      continue;
    }
    const Confidence found = confidence_95(values);
    group.seconds.push_back(found.mean);
    group.half_widths.push_back(found.half_width);
  }
  return group;
}

ChartBars bars(const SeedRuns& runs, const char* title, double RuleOutcome::*of_all,
               double ClusterOutcome::*of_cluster) {
  ChartBars chart{title, rules_of(runs.front()), {}};
  chart.groups.push_back(group("all jobs", runs, [&](const RuleOutcome& o) { return o.*of_all; }));
  const std::vector<ClusterOutcome>& clusters = runs.front().front().clusters;
  for (size_t i = 0; i < clusters.size(); ++i) {
    chart.groups.push_back(group("of " + clusters[i].cluster, runs,
                                 [&](const RuleOutcome& o) { return o.clusters[i].*of_cluster; }));
  }
  return chart;
}

std::string subtitle(const SeedRuns& runs) {
  if (runs.size() == 1) {
    return std::to_string(runs.front().front().jobs) +
           " jobs under each rule; slots over the time since the first arrival";
  }
  return "Waits: means over " + std::to_string(runs.size()) +
         " seeds with 95 % confidence intervals; slots over the time since the first arrival of "
         "the first seed";
}

using MeanOf = double (Course::*)(uint32_t cluster, size_t index) const;

/// A run that ended earlier than the longest one has no values after its end.
ChartPanel lines(const Outcomes& outcomes, const std::string& title, uint32_t cluster, MeanOf mean,
                 size_t stretches) {
  ChartPanel panel{title, {}};
  for (const RuleOutcome& outcome : outcomes) {
    ChartLine line{std::string(outcome.rule.name), {}};
    for (size_t i = 0; i < stretches; ++i) {
      line.values.push_back(((*outcome.course).*mean)(cluster, i));
    }
    panel.lines.push_back(std::move(line));
  }
  return panel;
}

}  // namespace

std::string simulate_plot(const std::string& scenario, const SeedRuns& runs) {
  Outcomes outcomes = runs.front();
  std::vector<Course*> courses;
  for (RuleOutcome& outcome : outcomes) {
    LEASEHOLD_CHECK(outcome.course.has_value(), "a picture needs the course of every run");
    courses.push_back(&*outcome.course);
  }
  align(courses);
  size_t stretches = 1;
  for (const Course* course : courses) stretches = std::max(stretches, course->stretches());
  Chart chart;
  chart.title = "Simulated: " + scenario;
  chart.subtitle = subtitle(runs);
  chart.time = ChartTime::since_start;
  chart.to = Instant{courses.front()->stretch_ms() * static_cast<int64_t>(stretches)};
  chart.bars.push_back(
      bars(runs, "Mean wait", &RuleOutcome::wait_mean_s, &ClusterOutcome::wait_mean_s));
  chart.bars.push_back(bars(runs, "95 % of the jobs waited at most", &RuleOutcome::wait_p95_s,
                            &ClusterOutcome::wait_p95_s));
  for (uint32_t i = 0; i < outcomes.front().clusters.size(); ++i) {
    const std::string& name = outcomes.front().clusters[i].cluster;
    chart.panels.push_back(lines(outcomes, "Slots held by " + name, i, &Course::held, stretches));
    chart.panels.push_back(lines(outcomes, "Slots used by " + name, i, &Course::used, stretches));
  }
  return chart_svg(chart);
}

}  // namespace leasehold
