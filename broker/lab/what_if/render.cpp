// Writes the answer of a what-if, for programs, for people, and as a picture.
#include <array>
#include <nlohmann/json.hpp>

#include "broker/lab/chart/chart.hpp"
#include "broker/lab/what_if/what_if.hpp"
#include "broker/views/tables/columns.hpp"

namespace leasehold {

namespace {

struct Run {
  const char* name;
  const SiteOutcome& outcome;
};

std::array<Run, 3> runs_of(const WhatIfAnswer& answer) {
  return {
      {{"happened", answer.happened}, {"modelled", answer.modelled}, {"what-if", answer.what_if}}};
}

struct QuantityWords {
  Quantity quantity;
  const char* key;
  const char* words;
};
constexpr std::array kWords{
    QuantityWords{Quantity::lent, "lent_slot_s", "slots at consumers"},
    QuantityWords{Quantity::lent_used, "lent_used_slot_s", "of them used"},
    QuantityWords{Quantity::inactive, "inactive_slot_s", "slots on their way"},
    QuantityWords{Quantity::idle_while_waited, "idle_while_waited_slot_s",
                  "idle while the other side waited"},
    QuantityWords{Quantity::unmet, "unmet_slot_s", "waited for"},
};

int64_t seconds(SlotMs sum) {
  return static_cast<int64_t>(sum / 1000);
}

SlotMs of(const SlotMsOf& sums, Quantity quantity) {
  return sums[static_cast<size_t>(quantity)];
}

Json lease_json(const std::string& lease, const LeaseOutcome& outcome) {
  Json row{{"lease", lease}, {"flips", outcome.flips}, {"slots_moved", outcome.slots_moved}};
  for (const QuantityWords& each : kWords) {
    if (each.quantity != Quantity::unmet) row[each.key] = seconds(of(outcome.sums, each.quantity));
  }
  return row;
}

Json run_json(const Run& run) {
  Json row{
      {"name", run.name}, {"flips", run.outcome.flips}, {"slots_moved", run.outcome.slots_moved}};
  for (const QuantityWords& each : kWords) {
    row[each.key] = seconds(of(run.outcome.sums, each.quantity));
  }
  row["clusters"] = Json::array();
  for (const auto& [cluster, unmet] : run.outcome.unmet) {
    row["clusters"].push_back({{"cluster", cluster}, {"unmet_slot_s", seconds(unmet)}});
  }
  row["leases"] = Json::array();
  for (const auto& [lease, outcome] : run.outcome.leases) {
    row["leases"].push_back(lease_json(lease, outcome));
  }
  return row;
}

constexpr std::array<std::pair<const char*, const char*>, 3> kColumns{
    {{"happened", "HAPPENED"}, {"modelled", "MODELLED"}, {"what-if", "WHAT-IF"}}};

/// Returns slot-hours with one decimal.
std::string hours(SlotMs sum) {
  const auto tenths = static_cast<int64_t>((sum + 180'000) / 360'000);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string table(const WhatIfAnswer& answer) {
  const std::array<Run, 3> runs = runs_of(answer);
  Json rows = Json::array();
  const auto add = [&](const std::string& name, const auto& value) {
    rows.push_back({{"what", name},
                    {runs[0].name, value(runs[0].outcome)},
                    {runs[1].name, value(runs[1].outcome)},
                    {runs[2].name, value(runs[2].outcome)}});
  };
  add("flips", [](const SiteOutcome& run) { return std::to_string(run.flips); });
  add("slots moved", [](const SiteOutcome& run) { return std::to_string(run.slots_moved); });
  for (const QuantityWords& each : kWords) {
    add(std::string(each.words) + ", slot-h",
        [&](const SiteOutcome& run) { return hours(of(run.sums, each.quantity)); });
  }
  for (const auto& [cluster, unmet] : answer.happened.unmet) {
    add("  by " + cluster + ", slot-h", [&, name = cluster](const SiteOutcome& run) {
      const auto at = run.unmet.find(name);
      return at == run.unmet.end() ? std::string("-") : hours(at->second);
    });
  }
  std::vector<columns::Column> shown{{"what", ""}};
  for (const auto& [key, title] : kColumns) shown.push_back({key, title, columns::kRight});
  return columns::render(rows, shown, {});
}

ChartPanel panel(const WhatIfAnswer& answer, const char* title, Quantity quantity) {
  ChartPanel panel{title, {}};
  for (const Run& run : runs_of(answer)) {
    ChartLine line{run.name, {}};
    const auto stretches = static_cast<int64_t>(run.outcome.course.size());
    const auto stretch_ms =
        static_cast<double>((answer.to - answer.from + stretches - 1) / stretches);
    for (const SlotMsOf& sums : run.outcome.course) {
      line.values.push_back(static_cast<double>(of(sums, quantity)) / stretch_ms);
    }
    panel.lines.push_back(std::move(line));
  }
  return panel;
}

std::string settings_text(const WhatIfAnswer& answer) {
  std::string text;
  for (const std::string& line : answer.settings) text += (text.empty() ? "" : ", ") + line;
  return text.empty() ? "the recorded settings" : text;
}

}  // namespace

Json what_if_json(const WhatIfAnswer& answer) {
  Json json{{"estimate", true},
            {"from", format_utc(answer.from)},
            {"to", format_utc(answer.to)},
            {"events", answer.events},
            {"settings", answer.settings},
            {"assumed", answer.assumed},
            {"shapes",
             {{"waited_s", answer.shapes.waited_ms / 1000},
              {"with_shapes_s", answer.shapes.with_shapes_ms / 1000},
              {"with_idle_elsewhere_s", answer.shapes.with_elsewhere_ms / 1000}}},
            {"runs", Json::array()}};
  for (const Run& run : runs_of(answer)) json["runs"].push_back(run_json(run));
  return json;
}

std::string what_if_text(const WhatIfAnswer& answer) {
  std::string text =
      "An estimate: what if " + settings_text(answer) + ".\n" + format_utc(answer.from) + " to " +
      format_utc(answer.to) + ", " + std::to_string(answer.events) + " events\n\n" + table(answer) +
      "\nMODELLED: the recorded settings through the same model; how it differs from "
      "HAPPENED\nsays how far to trust WHAT-IF. Assumed:\n";
  for (const std::string& line : answer.assumed) text += "- " + line + "\n";
  return text;
}

std::string what_if_plot(const WhatIfAnswer& answer) {
  Chart chart;
  chart.title = "What if " + settings_text(answer);
  chart.subtitle = "An estimate on the recorded history, " + format_utc(answer.from) + " to " +
                   format_utc(answer.to) + " (UTC)";
  chart.from = answer.from;
  chart.to = answer.to;
  chart.panels.push_back(panel(answer, "Slots at the consumers", Quantity::lent));
  chart.panels.push_back(panel(answer, "Slots waited for", Quantity::unmet));
  chart.panels.push_back(
      panel(answer, "Slots idle while the other side waited", Quantity::idle_while_waited));
  return chart_svg(chart);
}

}  // namespace leasehold
