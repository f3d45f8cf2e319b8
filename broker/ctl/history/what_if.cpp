// replay --what-if: replays a database's own history with another setting, with a progress bar on a
// terminal.
#include "broker/lab/what_if/what_if.hpp"

#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/ctl/output/progress_bar.hpp"

namespace leasehold::ctl {

namespace {

Result<WhatIfAnswer> estimate_with_bar(WhatIfOptions options) {
  const ProgressBar bar;
  if (bar.shown()) {
    options.progress = [&bar](int64_t done, int64_t total) { bar.draw(done, total); };
  }
  return what_if(options);
}

}  // namespace

int run_what_if(const CommandLine& line) {
  const std::string& plot = line.what_if.plot;
  if (const Status may = can_write(plot); !may) return report(may.error(), line.json);
  WhatIfOptions options;
  options.database = line.subject;
  options.settings = line.what_if.settings;
  options.run_time_ms = line.what_if.run_time_ms;
  options.since = line.request.since;
  options.until = line.request.until;
  const Result<WhatIfAnswer> answer = estimate_with_bar(std::move(options));
  if (!answer) return report(answer.error(), line.json);
  if (!plot.empty()) {
    if (Status written = write_file(plot, what_if_plot(*answer)); !written) {
      return report(written.error(), line.json);
    }
  }
  if (line.json) {
    print_json(what_if_json(*answer));
  } else {
    print(what_if_text(*answer));
  }
  return 0;
}

}  // namespace leasehold::ctl
