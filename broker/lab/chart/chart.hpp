// Chart: lines over time, and bars above them, as an SVG file that is complete in itself: it needs
// no script, font or other file, has light and dark colours that the colour-blind can tell apart
// (Okabe and Ito), and dashes besides. Charts are for people only; the numbers that count are in
// the JSON answers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/time/instant.hpp"

namespace leasehold {

/// The means of one quantity over equal stretches of the chart's time; all lines of a chart have
/// equally many.
struct ChartLine {
  std::string name;
  std::vector<double> values;  // each >= 0
};

struct ChartPanel {
  std::string title;  // the quantity drawn, and its unit
  std::vector<ChartLine> lines;
};

/// Durations side by side: a group for each quantity, in it a bar for each name, coloured like the
/// line at the same position of a panel.
struct ChartBars {
  struct Group {
    std::string name;
    std::vector<double> seconds;      // one for each name; >= 0
    std::vector<double> half_widths;  // of their confidence intervals; empty: not known
  };
  std::string title;
  std::vector<std::string> names;
  std::vector<Group> groups;
};

/// The labels of the time axis.
enum class ChartTime : uint8_t { utc, since_start };

struct Chart {
  std::string title;
  std::string subtitle;
  Instant from;
  Instant to;  // later than `from`
  ChartTime time = ChartTime::utc;
  std::vector<ChartBars> bars;  // shown above the panels
  std::vector<ChartPanel> panels;
};

std::string chart_svg(const Chart& chart);

}  // namespace leasehold
