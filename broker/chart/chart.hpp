// Chart: lines over time, and bars above them, as an SVG file that stands alone: no script, no font
// or file from outside, light and dark, colours that the colour-blind tell apart (Okabe and Ito)
// and dashes besides. For people only; numbers that count are in the JSON answers.
#pragma once

#include <cstdint>
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

/// Durations side by side: a group for each thing measured, in it a bar a name, coloured as the
/// lines at that place of a panel are.
struct ChartBars {
  struct Group {
    std::string name;
    std::vector<double> seconds;      // as many as names; >= 0
    std::vector<double> half_widths;  // of their confidence intervals; empty: not known
  };
  std::string title;
  std::vector<std::string> names;
  std::vector<Group> groups;
};

/// How the time axis is read.
enum class ChartTime : uint8_t { utc, since_start };

struct Chart {
  std::string title;
  std::string subtitle;
  Instant from;
  Instant to;  // > from
  ChartTime time = ChartTime::utc;
  std::vector<ChartBars> bars;  // above the panels
  std::vector<ChartPanel> panels;
};

std::string chart_svg(const Chart& chart);

}  // namespace leasehold
