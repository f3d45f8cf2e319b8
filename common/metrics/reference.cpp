#include "common/metrics/reference.hpp"

namespace leasehold {

namespace {

std::string labels_of(const MetricRow& row) {
  std::string text;
  for (size_t i = 0; i < row.label_count(); ++i) {
    text += (i > 0 ? ", `" : "`") + std::string(row.labels[i]) + "`";
  }
  return text;
}

}  // namespace

std::string metric_reference(const std::string& head, MetricTable rows) {
  std::string text = head + "\n| Metric | Type | Unit | Labels | Is |\n|---|---|---|---|---|\n";
  for (const MetricRow& row : rows) {
    text += "| `" + std::string(row.name) + "` | " + token(row.type) + " | " + row.unit + " | " +
            labels_of(row) + " | " + row.help +
            (row.scope == MetricScope::site ? "" : " (where there are not too many)") + " |\n";
  }
  return text;
}

}  // namespace leasehold
