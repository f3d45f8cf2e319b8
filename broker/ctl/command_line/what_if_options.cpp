#include "broker/ctl/command_line/what_if_options.hpp"

#include <cmath>

#include "broker/ctl/command_line/checks.hpp"
#include "common/config/file.hpp"

namespace leasehold::ctl {

void add_what_if(CLI::App& replay, WhatIfTexts& texts, WhatIfLine& line) {
  WhatIfSettings& settings = line.settings;
  replay.add_flag("--what-if", line.asked,
                  "estimate what other settings would have done, beside what happened");
  replay
      .add_option("--rule", texts.rule,
                  "the rule of every export policy; none: nobody lends, as without leases")
      ->type_name("RULE");
  replay.add_option("--reclaim-delay", texts.reclaim_delay, "how often leases are compared")
      ->type_name("DURATION");
  replay.add_option("--plan", settings.plan, "a resource plan over the recorded export policies")
      ->type_name("FILE");
  replay
      .add_option(
          "--min-hold", texts.min_hold,
          "plan: least time a consumer keeps slots that it gained; demand-aware: least time "
          "between two moves")
      ->type_name("DURATION");
  replay
      .add_option("--use-by", texts.use_by,
                  "demand-aware: slots that are not used for so long go back")
      ->type_name("DURATION");
  replay
      .add_option("--provider-first", texts.provider_first,
                  "demand-aware: idle slots return to the provider, and slots in use for its work")
      ->type_name("BOOL")
      ->check(one_of({"true", "false"}, "true or false"));
  replay
      .add_option("--max-share-moved", texts.max_share_moved,
                  "plan: the most that moves in one cycle")
      ->type_name("SHARE")
      ->check(within(0.001, 1.0));
  replay.add_option("--dead-zone", settings.dead_zone_slots, "plan: so few slots do not move")
      ->type_name("SLOTS")
      ->check(within(int64_t{0}, int64_t{1'000'000'000}));
  replay
      .add_option("--reclaim-backoff", texts.reclaim_backoff,
                  "plan: for so long what was reclaimed is not lent again")
      ->type_name("DURATION");
  replay
      .add_option("--run-time", texts.run_time,
                  "assumption: work ends so long after its slot is asked back (default 1h)")
      ->type_name("DURATION");
  replay.add_option("--plot", line.plot, "write a picture of it")->type_name("FILE.svg");
}

namespace {

/// Reads a duration of at least `least` into its place.
template <class T>
Status read(const char* option, const std::string& text, int64_t least, T& into) {
  if (text.empty()) return {};
  const Result<int64_t> ms = parse_duration_ms(text);
  if (!ms) return fail(ErrorCode::usage, std::string(option) + ": " + ms.error().message);
  if (*ms < least) {
    return fail(ErrorCode::usage, std::string(option) + ": " + text + " is too short; at least " +
                                      format_duration(least));
  }
  into = *ms;
  return {};
}

Status read_rule(const std::string& text, WhatIfSettings& settings) {
  if (text.empty()) return {};
  settings.nobody_lends = text == "none";
  if (settings.nobody_lends) return {};
  settings.rule = from_token<RuleKind>(text);
  if (settings.rule) return {};
  return fail(ErrorCode::usage, "--rule: no rule is called '" + text + "'; " +
                                    any_token<RuleKind>() +
                                    " (a plan: --plan FILE; no leasing at all: none)");
}

/// Returns the first option that says how slots are lent, besides the rule; "": none was given.
std::string lending_given(const WhatIfTexts& texts, const WhatIfLine& line) {
  if (!texts.reclaim_delay.empty()) return "--reclaim-delay";
  if (!line.settings.plan.empty()) return "--plan";
  if (!texts.min_hold.empty()) return "--min-hold";
  if (!texts.use_by.empty()) return "--use-by";
  if (!texts.provider_first.empty()) return "--provider-first";
  if (texts.max_share_moved) return "--max-share-moved";
  if (line.settings.dead_zone_slots) return "--dead-zone";
  return texts.reclaim_backoff.empty() ? "" : "--reclaim-backoff";
}

/// Returns the first option that needs --what-if; "": none was given.
std::string option_given(const WhatIfTexts& texts, const WhatIfLine& line) {
  if (!texts.rule.empty()) return "--rule";
  const std::string lending = lending_given(texts, line);
  if (!lending.empty()) return lending;
  if (!texts.run_time.empty()) return "--run-time";
  return line.plot.empty() ? "" : "--plot";
}

Status check_alone(const std::string& lending) {
  if (lending.empty()) return {};
  return fail(ErrorCode::usage, "--rule none lends nothing, so " + lending +
                                    " would change nothing: leave one of the two out");
}

}  // namespace

Status read_what_if(const WhatIfTexts& texts, CommandLine& line) {
  WhatIfSettings& settings = line.what_if.settings;
  if (!line.what_if.asked) {
    const std::string option = option_given(texts, line.what_if);
    if (option.empty()) return {};
    return fail(ErrorCode::usage, option + " is of replay --what-if: add it");
  }
  if (texts.max_share_moved) {
    settings.max_share_moved_ppm = std::llround(*texts.max_share_moved * 1'000'000);
  }
  if (!texts.provider_first.empty()) settings.provider_first = texts.provider_first == "true";
  Status done = read_rule(texts.rule, settings);
  if (done && settings.nobody_lends) done = check_alone(lending_given(texts, line.what_if));
  if (done) done = read("--reclaim-delay", texts.reclaim_delay, 1000, settings.reclaim_delay_ms);
  if (done) done = read("--min-hold", texts.min_hold, 0, settings.min_hold_ms);
  if (done) done = read("--use-by", texts.use_by, 1000, settings.use_by_ms);
  if (done) done = read("--reclaim-backoff", texts.reclaim_backoff, 0, settings.reclaim_backoff_ms);
  if (done) done = read("--run-time", texts.run_time, 1000, line.what_if.run_time_ms);
  return done;
}

}  // namespace leasehold::ctl
