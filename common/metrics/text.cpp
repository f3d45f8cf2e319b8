#include "common/metrics/text.hpp"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace leasehold {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;

constexpr double kUsPerSecond = 1e6;

prometheus::MetricType type_of(MetricType type) {
  switch (type) {
    case MetricType::gauge:
      return prometheus::MetricType::Gauge;
    case MetricType::counter:
      return prometheus::MetricType::Counter;
    case MetricType::histogram:
      return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

ClientMetric metric_of(const MetricRow& row, const Samples::Labels& labels, double value) {
  ClientMetric metric;
  for (size_t i = 0; i < labels.size(); ++i) metric.label.push_back({row.labels[i], labels[i]});
  metric.gauge.value = metric.counter.value = value;
  return metric;
}

ClientMetric metric_of(const TimeHistogram& histogram) {
  ClientMetric metric;
  uint64_t sum = 0;
  for (size_t i = 0; i < TimeHistogram::kBoundsUs.size(); ++i) {
    sum += histogram.counts()[i];
    metric.histogram.bucket.push_back(
        {sum, static_cast<double>(TimeHistogram::kBoundsUs[i]) / kUsPerSecond});
  }
  metric.histogram.sample_count = sum + histogram.counts().back();
  metric.histogram.sample_sum = static_cast<double>(histogram.sum_us()) / kUsPerSecond;
  return metric;
}

class Collected : public prometheus::Collectable {
 public:
  explicit Collected(const Samples& samples) : samples_(samples) {}

  std::vector<MetricFamily> Collect() const override {
    std::vector<MetricFamily> families;
    for (const Samples::Family& family : samples_.families()) {
      if (family.values.empty() && family.histogram.empty()) continue;
      MetricFamily& made = families.emplace_back();
      made.name = family.row->name;
      made.help = family.row->help;
      made.type = type_of(family.row->type);
      for (const auto& [labels, value] : family.values) {
        made.metric.push_back(metric_of(*family.row, labels, value));
      }
      for (const TimeHistogram& each : family.histogram) made.metric.push_back(metric_of(each));
    }
    return families;
  }

 private:
  const Samples& samples_;
};

}  // namespace

std::string metrics_text(const Samples& samples) {
  return prometheus::TextSerializer().Serialize(Collected(samples).Collect());
}

}  // namespace leasehold
