#include "broker/lab/chart/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <pugixml.hpp>
#include <sstream>

namespace leasehold {

namespace {

constexpr double kWidth = 960;
constexpr double kLeft = 70;
constexpr double kRight = 24;
constexpr double kHead = 84;
constexpr double kPanel = 210;  // height between its axis lines
constexpr double kBetween = 62;
constexpr double kFoot = 20;
constexpr int kTimeTicks = 6;

constexpr const char* kStyle =
    "svg{background:#fff;color:#1b1f24;font:13px system-ui,sans-serif}"
    "text{fill:currentColor}.title{font-size:17px;font-weight:600}.small{font-size:12px;opacity:."
    "75}"
    ".grid{stroke:currentColor;opacity:.15}.axis{stroke:currentColor;opacity:.5}"
    ".range{stroke:currentColor;stroke-width:1.5}"
    "path{stroke-width:1.8}path[class^=line]{fill:none}"
    ".line0{stroke:#0072b2}.line1{stroke:#767676;stroke-dasharray:2 3}"
    ".line2{stroke:#d55e00;stroke-dasharray:7 3}.line3{stroke:#009e73;stroke-dasharray:1 4}"
    ".line4{stroke:#cc79a7;stroke-dasharray:9 3 2 3}"
    ".bar0{fill:#0072b2}.bar1{fill:#767676}.bar2{fill:#d55e00}.bar3{fill:#009e73}.bar4{fill:#"
    "cc79a7}"
    "@media(prefers-color-scheme:dark){svg{background:#14181d;color:#e6e9ec}.line0{stroke:#56b4e9}"
    ".line1{stroke:#a0a0a0}.line2{stroke:#e69f00}.bar0{fill:#56b4e9}.bar1{fill:#a0a0a0}.bar2{fill:#"
    "e69f00}}";
constexpr size_t kStyles = 5;

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  std::string shown = text.data();
  while (shown.back() == '0') shown.pop_back();
  if (shown.back() == '.') shown.pop_back();
  return shown;
}

/// Returns the least of 1, 2 and 5 times a power of ten that divides the range into at most five
/// steps.
double step_for(double most) {
  const double power = std::pow(10, std::floor(std::log10(most / 5)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (most / (times * power) <= 5) return times * power;
  }
  return 10 * power;
}

/// Returns the date, the date with the hour, or the time of day: as little as the span of the chart
/// needs.
std::string time_text(Instant at, int64_t span_ms) {
  constexpr int64_t kDayMs = 86'400'000;
  const std::string utc = format_utc(at);  // 2026-11-22T18:00:00.000Z
  if (span_ms > 10 * kDayMs) return utc.substr(0, 10);
  if (span_ms > kDayMs) return utc.substr(5, 5) + " " + utc.substr(11, 5);
  return span_ms > 600'000 ? utc.substr(11, 5) : utc.substr(11, 8);
}

/// Returns the time since the start, in units just fine enough to tell one tick from the next.
std::string since_text(int64_t ms, int64_t span_ms) {
  const int64_t unit = span_ms > 864'000'000 ? 3'600'000 : span_ms > 3'600'000 ? 60'000 : 1000;
  return format_duration(ms / unit * unit);
}

/// Returns the label of a bar: three digits are enough.
std::string short_duration(double seconds) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{86400, " d"}, {3600, " h"}, {60, " min"}, {0, " s"}}};
  size_t unit = 0;
  while (seconds < kUnits[unit].first) ++unit;
  const double value = kUnits[unit].first > 0 ? seconds / kUnits[unit].first : seconds;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), value < 100 ? "%.1f" : "%.0f", value);
  return text.data() + std::string(kUnits[unit].second);
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart) {}
  std::string draw();

 private:
  double x(double share) const { return kLeft + share * (kWidth - kLeft - kRight); }
  void head();
  void panel(const ChartPanel& panel, double top);
  void bars(const ChartBars& bars, double top);
  void group(const ChartBars::Group& group, double left, double width, double most, double bottom);
  void time_axis(double bottom, double top);
  void line(const ChartLine& line, size_t style, double most, double bottom);
  void legend(const std::vector<std::string>& names, double top, const char* kind);
  pugi::xml_node text(double at_x, double at_y, const std::string& words, const char* anchor,
                      const char* style = nullptr);
  void rule(double x1, double y1, double x2, double y2, const char* style);

  const Chart& chart_;
  pugi::xml_document document_;
  pugi::xml_node svg_;
};

pugi::xml_node Drawing::text(double at_x, double at_y, const std::string& words, const char* anchor,
                             const char* style) {
  pugi::xml_node node = svg_.append_child("text");
  node.append_attribute("x") = number(at_x).c_str();
  node.append_attribute("y") = number(at_y).c_str();
  node.append_attribute("text-anchor") = anchor;
  if (style != nullptr) node.append_attribute("class") = style;
  node.text() = words.c_str();
  return node;
}

void Drawing::rule(double x1, double y1, double x2, double y2, const char* style) {
  pugi::xml_node node = svg_.append_child("line");
  node.append_attribute("x1") = number(x1).c_str();
  node.append_attribute("y1") = number(y1).c_str();
  node.append_attribute("x2") = number(x2).c_str();
  node.append_attribute("y2") = number(y2).c_str();
  node.append_attribute("class") = style;
}

void Drawing::head() {
  const auto panels = static_cast<double>(chart_.panels.size() + chart_.bars.size());
  const double height = kHead + panels * (kPanel + kBetween) + kFoot;
  svg_ = document_.append_child("svg");
  svg_.append_attribute("xmlns") = "http://www.w3.org/2000/svg";
  svg_.append_attribute("viewBox") = ("0 0 " + number(kWidth) + " " + number(height)).c_str();
  svg_.append_attribute("role") = "img";
  svg_.append_child("title").text() = chart_.title.c_str();
  svg_.append_child("desc").text() = chart_.subtitle.c_str();
  svg_.append_child("style").text() = kStyle;
  text(kLeft, 28, chart_.title, "start", "title");
  text(kLeft, 48, chart_.subtitle, "start", "small");
}

void Drawing::time_axis(double bottom, double top) {
  const int64_t span = chart_.to - chart_.from;
  for (int i = 0; i <= kTimeTicks; ++i) {
    const double at = x(static_cast<double>(i) / kTimeTicks);
    const char* anchor = i == 0 ? "start" : i == kTimeTicks ? "end" : "middle";
    rule(at, top, at, bottom, "grid");
    const int64_t since = span * i / kTimeTicks;
    text(at, bottom + 18,
         chart_.time == ChartTime::utc ? time_text(chart_.from + since, span)
                                       : since_text(since, span),
         anchor, "small");
  }
}

void Drawing::line(const ChartLine& line, size_t style, double most, double bottom) {
  std::ostringstream path;
  const auto count = static_cast<double>(line.values.size());
  for (size_t i = 0; i < line.values.size(); ++i) {
    const double y = bottom - line.values[i] / most * kPanel;
    path << (i == 0 ? 'M' : 'L') << number(x(static_cast<double>(i) / count)) << ' ' << number(y)
         << 'H' << number(x(static_cast<double>(i + 1) / count));
  }
  pugi::xml_node node = svg_.append_child("path");
  node.append_attribute("class") = ("line" + std::to_string(style % kStyles)).c_str();
  node.append_attribute("d") = path.str().c_str();
}

/// `kind` is "line" or "bar".
void Drawing::legend(const std::vector<std::string>& names, double top, const char* kind) {
  double right = kWidth - kRight;
  for (size_t i = names.size(); i-- > 0;) {
    const std::string& name = names[i];
    text(right, top, name, "end", "small");
    right -= 7.2 * static_cast<double>(name.size()) + 6;
    pugi::xml_node node = svg_.append_child("path");
    node.append_attribute("class") = (kind + std::to_string(i % kStyles)).c_str();
    const std::string across =
        "M" + number(right - 26) + " " + number(top - 4) + "H" + number(right);
    // A line is shown as it is drawn, a bar as a box of its colour.
    node.append_attribute("d") =
        (kind == std::string("bar") ? across + "v-8h-26z" : across).c_str();
    right -= 44;
  }
}

void Drawing::panel(const ChartPanel& panel, double top) {
  const double bottom = top + kPanel;
  double most = 1;
  for (const ChartLine& each : panel.lines) {
    for (const double value : each.values) most = std::max(most, value);
  }
  const double step = step_for(most);
  const double scale = std::ceil(most / step) * step;
  text(kLeft, top - 12, panel.title, "start");
  std::vector<std::string> names;
  for (const ChartLine& each : panel.lines) names.push_back(each.name);
  legend(names, top - 12, "line");
  time_axis(bottom, top);
  for (double value = 0; value <= scale + step / 2; value += step) {
    const double y = bottom - value / scale * kPanel;
    rule(kLeft, y, kWidth - kRight, y, value == 0 ? "axis" : "grid");
    text(kLeft - 8, y + 4, number(value), "end", "small");
  }
  for (size_t i = 0; i < panel.lines.size(); ++i) line(panel.lines[i], i, scale, bottom);
}

void Drawing::group(const ChartBars::Group& group, double left, double width, double most,
                    double bottom) {
  const double each = width / (static_cast<double>(group.seconds.size()) + 1);
  for (size_t i = 0; i < group.seconds.size(); ++i) {
    const double height = group.seconds[i] / most * (kPanel - 18);  // the label is above the bar
    const double at = left + (static_cast<double>(i) + 0.5) * each;
    pugi::xml_node node = svg_.append_child("rect");
    node.append_attribute("class") = ("bar" + std::to_string(i % kStyles)).c_str();
    node.append_attribute("x") = number(at).c_str();
    node.append_attribute("y") = number(bottom - height).c_str();
    node.append_attribute("width") = number(each - 3).c_str();
    node.append_attribute("height") = number(height).c_str();
    double words = bottom - height - 5;
    if (i < group.half_widths.size()) {
      const double reach = group.half_widths[i] / most * (kPanel - 18);
      const double x_of = at + (each - 3) / 2;
      rule(x_of, bottom - height - reach, x_of, std::min(bottom, bottom - height + reach), "range");
      words -= reach;
    }
    text(at + each / 2, words, short_duration(group.seconds[i]), "middle", "small");
  }
  text(left + width / 2, bottom + 18, group.name, "middle", "small");
}

void Drawing::bars(const ChartBars& bars, double top) {
  const double bottom = top + kPanel;
  double most = 1e-9;
  for (const ChartBars::Group& each : bars.groups) {
    for (size_t i = 0; i < each.seconds.size(); ++i) {
      const double reach = i < each.half_widths.size() ? each.half_widths[i] : 0;
      most = std::max(most, each.seconds[i] + reach);
    }
  }
  text(kLeft, top - 12, bars.title, "start");
  legend(bars.names, top - 12, "bar");
  rule(kLeft, bottom, kWidth - kRight, bottom, "axis");
  const double width = (x(1) - x(0)) / static_cast<double>(bars.groups.size());
  for (size_t i = 0; i < bars.groups.size(); ++i) {
    group(bars.groups[i], kLeft + static_cast<double>(i) * width, width, most, bottom);
  }
}

std::string Drawing::draw() {
  head();
  double top = kHead;
  for (const ChartBars& each : chart_.bars) {
    bars(each, top);
    top += kPanel + kBetween;
  }
  for (const ChartPanel& each : chart_.panels) {
    panel(each, top);
    top += kPanel + kBetween;
  }
  std::ostringstream out;
  document_.save(out, "  ", pugi::format_indent | pugi::format_no_declaration);
  return out.str();
}

}  // namespace

std::string chart_svg(const Chart& chart) {
  return Drawing(chart).draw();
}

}  // namespace leasehold
