#include "broker/lab/what_if/what_if.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include "broker/lab/what_if/handover.hpp"
#include "broker/lab/what_if/history.hpp"
#include "broker/lab/what_if/site.hpp"
#include "broker/store/database.hpp"

namespace leasehold {

namespace {

constexpr int64_t kProgressCommits = 4096;

/// Both runs of the model and the recorded one, through one reading of the history.
class Comparison {
 public:
  Comparison(const WhatIfOptions& options, WhatIfPlan plan, RecordedHistory recorded)
      : options_(options),
        plan_(std::move(plan)),
        recorded_(std::move(recorded)),
        happened_(recorded_.from(), recorded_.to(), options.stretches),
        modelled_([](const BrokerConfig& config) { return Result<BrokerConfig>(config); },
                  options.run_time_ms, recorded_.from(), recorded_.to(), options.stretches),
        changed_(
            [this](const BrokerConfig& config) {
              return with_settings(config, options_.settings, plan_);
            },
            options.run_time_ms, recorded_.from(), recorded_.to(), options.stretches,
            options.settings.nobody_lends) {}

  Result<WhatIfAnswer> run();

 private:
  Status read_all();
  std::vector<std::string> assumed(const RecordedShapes& known) const;

  const WhatIfOptions& options_;
  const WhatIfPlan plan_;
  RecordedHistory recorded_;
  SiteMeter happened_;
  EstimatedSite modelled_;
  EstimatedSite changed_;
};

Status Comparison::read_all() {
  const Moment first = recorded_.first(happened_);
  if (Status begun = modelled_.begin(recorded_.state(), first); !begun) return begun;
  if (Status begun = changed_.begin(recorded_.state(), first); !begun) return begun;
  // Both runs of the model use a thread of their own, beside the reading.
  Handover handover([this](Moment moment) -> Status {
    if (Status taken = modelled_.take(moment); !taken) return taken;
    return changed_.take(std::move(moment));
  });
  for (int64_t commits = 0;; ++commits) {
    Moment moment;
    const Result<bool> there = recorded_.next(moment, happened_);
    if (!there) return tl::unexpected(there.error());
    if (!*there || !handover.give(std::move(moment))) return handover.finish();
    if (commits % kProgressCommits == 0 && options_.progress) {
      options_.progress(recorded_.events(), recorded_.events_in_all());
    }
  }
}

std::string percent(int64_t part, int64_t of) {
  return std::to_string(of == 0 ? 0 : static_cast<int64_t>(SlotMs{part} * 100 / of)) + " %";
}

/// Says how far the record has the shapes of waiting work, and what is assumed beyond that.
std::vector<std::string> shapes_assumed(const RecordedShapes& known) {
  const std::string unknown =
      "work that waited beside idle slots starts when more slots are free than when it was "
      "recorded, other work on any free slot; its width is not known, and the rule demand-aware "
      "sees single slots";
  if (known.with_shapes_ms == 0) return {"no shapes of work are recorded: " + unknown};
  std::vector<std::string> lines{
      "for " + percent(known.with_shapes_ms, known.waited_ms) +
      " of the waiting time the shapes of work are recorded; that work starts only where it fits "
      "what is free, host by host; what came and started between two reports is single slots"};
  if (known.with_shapes_ms < known.waited_ms) {
    lines.push_back("for the rest no shapes are recorded: " + unknown);
  }
  lines.push_back("for " + percent(known.with_elsewhere_ms, known.waited_ms) +
                  " of the waiting time idle slots outside leases are recorded; else none are "
                  "assumed: a job that needs more than the leases have starts when it did as "
                  "recorded");
  lines.push_back("expected ends are as agents reported them, whatever runs here");
  return lines;
}

std::vector<std::string> Comparison::assumed(const RecordedShapes& known) const {
  std::vector<std::string> lines{
      "demand is the recorded use of the leases plus the recorded waiting work, corrected by what "
      "this run did earlier or later, by how long its slots were in use at a time",
      "work on slots that are asked back without a grace ends within " +
          format_duration(options_.run_time_ms) + " (--run-time)",
      "agents answer orders in the time that they took as recorded, in the mean"};
  const std::vector<std::string> shapes = shapes_assumed(known);
  lines.insert(lines.begin() + 1, shapes.begin(), shapes.end());
  if (options_.settings.nobody_lends) {
    lines.push_back(
        "nobody lends: what a cluster that exports nothing ran on slots of others waits as long as "
        "it ran there, except as many slots as are recorded idle on its own hosts");
  }
  if (changed_.orders_left_out() > 0) {
    lines.push_back(std::to_string(changed_.orders_left_out()) +
                    " operators' orders are left out: they name things that these settings do not "
                    "have");
  }
  return lines;
}

Result<WhatIfAnswer> Comparison::run() {
  if (Status read = read_all(); !read) return tl::unexpected(read.error());
  WhatIfAnswer answer;
  answer.from = recorded_.from();
  answer.to = recorded_.to();
  answer.events = recorded_.events();
  answer.happened = happened_.outcome(recorded_.state());
  answer.modelled = modelled_.finish(recorded_.to());
  answer.what_if = changed_.finish(recorded_.to());
  answer.settings = describe(options_.settings);
  answer.shapes = recorded_.shapes();
  answer.assumed = assumed(answer.shapes);
  return answer;
}

}  // namespace

Result<WhatIfAnswer> what_if(const WhatIfOptions& options) {
  Result<WhatIfPlan> plan = read_what_if_plan(options.settings);
  if (!plan) return tl::unexpected(plan.error());
  const auto log = open_log(options.database);
  if (!log) return tl::unexpected(log.error());
  const auto one_view = (*log)->one_view();
  if (!one_view) return tl::unexpected(one_view.error());
  Result<RecordedHistory> recorded = RecordedHistory::begin(**log, options.since, options.until);
  if (!recorded) return tl::unexpected(recorded.error());
  return Comparison(options, std::move(*plan), std::move(*recorded)).run();
}

}  // namespace leasehold
