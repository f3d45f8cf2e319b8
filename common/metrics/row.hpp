// MetricRow is a metric in its program's table, from which text, reference and tests are made. A
// table has a row for each value of an enum, in its order; samples name metrics by that enum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/tokens.hpp"

namespace leasehold {

enum class MetricType : uint8_t { gauge, counter, histogram };
constexpr auto tokens_of(MetricType) {
  using enum MetricType;
  return tokens<MetricType>({{gauge, "gauge"}, {counter, "counter"}, {histogram, "histogram"}});
}

/// The number of series that a metric may have.
enum class MetricScope : uint8_t {
  site,      // one for each cluster, policy or resource group at most, times what enums have
  lease,     // one for each lease: left out where there are too many
  consumer,  // likewise of a plan
};

struct MetricRow {
  static constexpr size_t kLabelsMost = 4;

  const char* name;  // by Prometheus' conventions: its unit last, `_total` for a counter
  MetricType type = MetricType::gauge;
  const char* unit = "";  // for people: "slots", "seconds"
  std::array<const char*, kLabelsMost> labels{};
  const char* help = "";
  MetricScope scope = MetricScope::site;

  constexpr size_t label_count() const {
    size_t count = 0;
    while (count < kLabelsMost && labels[count] != nullptr) ++count;
    return count;
  }
};

using MetricTable = std::span<const MetricRow>;

}  // namespace leasehold
