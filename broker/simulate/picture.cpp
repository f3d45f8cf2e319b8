#include "broker/simulate/picture.hpp"

#include <algorithm>

#include "broker/chart/chart.hpp"
#include "common/check.hpp"

namespace leasehold {

namespace {

using Outcomes = std::vector<RuleOutcome>;

struct Waits {
  const char* title;
  double RuleOutcome::*of_all;
  double ClusterOutcome::*of_cluster;
};
constexpr Waits kWaits[] = {
    {"Mean wait", &RuleOutcome::wait_mean_s, &ClusterOutcome::wait_mean_s},
    {"95 % of the jobs waited at most", &RuleOutcome::wait_p95_s, &ClusterOutcome::wait_p95_s}};

std::vector<std::string> rules_of(const Outcomes& outcomes) {
  std::vector<std::string> names;
  for (const RuleOutcome& outcome : outcomes) names.emplace_back(token(outcome.rule));
  return names;
}

ChartBars bars(const Outcomes& outcomes, const Waits& waits) {
  ChartBars chart{waits.title, rules_of(outcomes), {{"all jobs", {}}}};
  for (const RuleOutcome& outcome : outcomes) {
    chart.groups.front().seconds.push_back(outcome.*waits.of_all);
  }
  for (size_t i = 0; i < outcomes.front().clusters.size(); ++i) {
    ChartBars::Group group{"of " + outcomes.front().clusters[i].cluster, {}};
    for (const RuleOutcome& outcome : outcomes) {
      group.seconds.push_back(outcome.clusters[i].*waits.of_cluster);
    }
    chart.groups.push_back(std::move(group));
  }
  return chart;
}

using MeanOf = double (Course::*)(uint32_t cluster, size_t index) const;

/// A run that ended earlier than the longest one has nothing after its end.
ChartPanel lines(const Outcomes& outcomes, const std::string& title, uint32_t cluster, MeanOf mean,
                 size_t stretches) {
  ChartPanel panel{title, {}};
  for (const RuleOutcome& outcome : outcomes) {
    ChartLine line{std::string(token(outcome.rule)), {}};
    for (size_t i = 0; i < stretches; ++i)
      line.values.push_back(((*outcome.course).*mean)(cluster, i));
    panel.lines.push_back(std::move(line));
  }
  return panel;
}

}  // namespace

std::string simulate_plot(const std::string& scenario, const std::vector<RuleOutcome>& given) {
  Outcomes outcomes = given;
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
  chart.subtitle = std::to_string(outcomes.front().jobs) +
                   " jobs under each rule; slots over the time since the first arrival";
  chart.time = ChartTime::since_start;
  chart.to = Instant{courses.front()->stretch_ms() * static_cast<int64_t>(stretches)};
  for (const Waits& waits : kWaits) chart.bars.push_back(bars(outcomes, waits));
  for (uint32_t i = 0; i < outcomes.front().clusters.size(); ++i) {
    const std::string& name = outcomes.front().clusters[i].cluster;
    chart.panels.push_back(lines(outcomes, "Slots held by " + name, i, &Course::held, stretches));
    chart.panels.push_back(lines(outcomes, "Slots used by " + name, i, &Course::used, stretches));
  }
  return chart_svg(chart);
}

}  // namespace leasehold
