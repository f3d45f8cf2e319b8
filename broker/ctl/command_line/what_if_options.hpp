// The options of `replay --what-if`: CLI11 takes them as texts, and they are read afterwards, so
// that errors say what would be right. For parser.cpp and parse.cpp only.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "broker/ctl/command_line/command_line.hpp"

namespace leasehold::ctl {

struct WhatIfTexts {
  std::string rule;
  std::string reclaim_delay;
  std::string min_hold;
  std::string use_by;
  std::string provider_first;
  std::optional<double> max_share_moved;
  std::string reclaim_backoff;
  std::string run_time;
};

void add_what_if(CLI::App& replay, WhatIfTexts& texts, WhatIfLine& line);
/// Reads the options. Errors (usage): one that cannot be read, or one without --what-if.
Status read_what_if(const WhatIfTexts& texts, CommandLine& line);

}  // namespace leasehold::ctl
