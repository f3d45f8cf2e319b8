// Prints the results of the study as Markdown.
#include <algorithm>
#include <functional>
#include <map>

#include "common/time/instant.hpp"
#include "tests/forecast/study.hpp"

namespace leasehold::study {

namespace {

int64_t median(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string percent(int64_t part, int64_t of) {
  return of == 0 ? "–" : std::to_string((part * 100 + of / 2) / of) + " %";
}

/// Rounds to a second, from ten minutes on to a minute.
std::string minutes(int64_t ms) {
  const int64_t unit = ms < 600'000 ? 1'000 : 60'000;
  return ms == 0 ? "0" : format_duration((ms + unit / 2) / unit * unit);
}

using KeyOf = std::function<std::string(const Seen&)>;

std::string row(const std::string& name, const Tally& t) {
  return "| " + name + " | " + std::to_string(t.asked) + " | " + percent(t.bounded, t.asked) +
         " | " + percent(t.within, t.bounded) + " | " + percent(t.sooner, t.asked) + " | " +
         percent(t.later, t.bounded) + " | " + percent(t.likely, t.asked) + " | " +
         minutes(t.error_ms) + " | " + minutes(t.wait_ms) + " | " + minutes(t.range_ms) + " |\n";
}

std::string table(const Study& study, const std::string& title, const KeyOf& key) {
  std::map<std::string, std::vector<const Seen*>> by_key;
  for (const Seen& seen : study.seen) by_key[key(seen)].push_back(&seen);
  std::string text =
      "| " + title +
      " | asked | `latest` known | of these within | sooner | later | `likely` known "
      "| off by | took | range |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& [name, seen] : by_key) text += row(name, tally(seen));
  return text + "\n";
}

std::string whose(const Seen& seen) {
  if (seen.plan) return "a leaf of a plan";
  return seen.probe.provider_side ? "a lease, provider" : "a lease, consumer";
}

std::string how_many(const Seen& seen) {
  return (seen.probe.slots < 10 ? " " : "") + std::to_string(seen.probe.slots) + " of 64";
}

/// Classifies by what was forecast, not by what came: people rely on the forecast.
std::string how_far(const Seen& seen, forecasting::Outlook outlook) {
  const auto& said = seen.probe.said[static_cast<size_t>(outlook)];
  if (!said) return "5: not known";
  const int64_t ms = *said - seen.probe.asked;
  if (ms <= 10 * 60'000) return "1: up to 10 min";
  if (ms <= 3'600'000) return "2: up to an hour";
  return ms <= 4 * 3'600'000 ? "3: up to 4 hours" : "4: longer";
}

}  // namespace

Tally tally(const std::vector<const Seen*>& seen) {
  Tally sum;
  std::vector<int64_t> errors;
  std::vector<int64_t> waits;
  std::vector<int64_t> ranges;
  for (const Seen* each : seen) {
    const Probe& probe = each->probe;
    const auto& [early, likely, late] = probe.said;
    const bool sooner = probe.had && (!early || *probe.had < *early);
    const bool later = late && (!probe.had || *probe.had > *late);
    ++sum.asked;
    sum.sooner += sooner;
    sum.later += later;
    sum.bounded += late.has_value();
    sum.within += late && !sooner && !later;
    sum.likely += likely.has_value();
    if (late) ranges.push_back(*late - *early);
    if (!probe.had) continue;
    waits.push_back(*probe.had - probe.asked);
    if (likely) errors.push_back(std::abs(*probe.had - *likely));
  }
  sum.error_ms = median(std::move(errors));
  sum.wait_ms = median(std::move(waits));
  sum.range_ms = median(std::move(ranges));
  return sum;
}

std::string tables(const Study& study) {
  const auto limits = [](const Seen& seen) {
    return "limits " + std::string(name_of(seen.limits));
  };
  std::string text = std::to_string(study.seen.size()) +
                     " forecasts of slots that were not there; " + std::to_string(study.at_once) +
                     " more said \"now\".\n\n";
  text += table(study, "all", [](const Seen&) { return "all"; });
  text += table(study, "whose", whose);
  text += table(study, "limits of work", limits);
  text += table(study, "how many", how_many);
  text += table(study, "how far away, likely",
                [](const Seen& seen) { return how_far(seen, forecasting::Outlook::likely); });
  text += table(study, "how far away, latest",
                [](const Seen& seen) { return how_far(seen, forecasting::Outlook::late); });
  return text + table(study, "workload", [](const Seen& seen) { return seen.workload; });
}

}  // namespace leasehold::study
