// Chart: lines over time as an SVG file that stands alone: no script, no font or file from outside,
// light and dark, colours that the colour-blind tell apart (Okabe and Ito) and dashes besides.
// For people only; numbers that count are in the JSON answers.
#pragma once

#include <string>
#include <vector>

#include "common/instant.hpp"

namespace leasehold {

/// Means over equal stretches of the chart's time; all of a chart have as many.
struct ChartLine {
  std::string name;
  std::vector<double> values;  // >= 0
};

struct ChartPanel {
  std::string title;  // what is drawn, and its unit
  std::vector<ChartLine> lines;
};

struct Chart {
  std::string title;
  std::string subtitle;
  Instant from;
  Instant to;  // > from
  std::vector<ChartPanel> panels;
};

std::string chart_svg(const Chart& chart);

}  // namespace leasehold
