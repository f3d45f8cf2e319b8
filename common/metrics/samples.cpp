#include "common/metrics/samples.hpp"

#include "common/check.hpp"

namespace leasehold {

Samples::Samples(MetricTable rows) {
  families_.reserve(rows.size());
  for (const MetricRow& row : rows) families_.push_back({&row, {}, {}});
}

double& Samples::slot(size_t metric, const Labels& labels) {
  Family& family = families_.at(metric);
  LEASEHOLD_CHECK(family.row->type != MetricType::histogram, "a histogram is set as a whole");
  LEASEHOLD_CHECK(labels.size() == family.row->label_count(), "a value for each label of the row");
  return family.values[labels];
}

void Samples::set_histogram(size_t metric, const TimeHistogram& histogram) {
  Family& family = families_.at(metric);
  LEASEHOLD_CHECK(family.row->type == MetricType::histogram, "the row says that it is one");
  family.histogram = {histogram};
}

}  // namespace leasehold
