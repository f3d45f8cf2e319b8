// Samples are the values of a program's metrics at one instant. Values with equal labels are one
// series: their sum, or the greater one. Their text is made in text.hpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/metrics/row.hpp"
#include "common/metrics/time_histogram.hpp"

namespace leasehold {

class Samples {
 public:
  /// In the order of the row's labels.
  using Labels = std::vector<std::string>;

  struct Family {
    const MetricRow* row = nullptr;
    std::map<Labels, double> values;
    std::vector<TimeHistogram> histogram;  // for a histogram: exactly one
  };

  /// `rows` must outlive it.
  explicit Samples(MetricTable rows);

  template <class Metric>
  void add(Metric metric, double value, const Labels& labels = {}) {
    slot(static_cast<size_t>(metric), labels) += value;
  }
  template <class Metric>
  void at_least(Metric metric, double value, const Labels& labels = {}) {
    double& known = slot(static_cast<size_t>(metric), labels);
    if (value > known) known = value;
  }
  template <class Metric>
  void set(Metric metric, const TimeHistogram& histogram) {
    set_histogram(static_cast<size_t>(metric), histogram);
  }

  const std::vector<Family>& families() const { return families_; }
  /// For tests. Returns 0 if there is no such series.
  template <class Metric>
  double value(Metric metric, const Labels& labels = {}) const {
    const auto& values = families_[static_cast<size_t>(metric)].values;
    const auto found = values.find(labels);
    return found == values.end() ? 0 : found->second;
  }
  template <class Metric>
  bool has(Metric metric, const Labels& labels = {}) const {
    return families_[static_cast<size_t>(metric)].values.contains(labels);
  }

 private:
  double& slot(size_t metric, const Labels& labels);
  void set_histogram(size_t metric, const TimeHistogram& histogram);

  std::vector<Family> families_;  // one for each row
};

/// Converts to seconds, the unit that Prometheus expects.
inline double in_seconds(int64_t ms) {
  return static_cast<double>(ms) / 1'000;
}

}  // namespace leasehold
