// tables: makes the readable tables of a database, with a progress bar on a terminal.
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/ctl/output/progress_bar.hpp"
#include "broker/follow/make_tables.hpp"

namespace leasehold::ctl {

namespace {

Result<MadeTables> make_with_bar(const CommandLine& line) {
  const ProgressBar bar;
  TablesJob job;
  job.log = line.subject;
  job.file = line.output;
  job.go_on = [&bar](int64_t done, int64_t total) {
    bar.draw(done, total);
    return true;
  };
  return make_tables(job);
}

}  // namespace

int tables(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  const Result<MadeTables> made = make_with_bar(line);
  if (!made) return report(made.error(), line.json);
  if (line.json) {
    print_json({{"file", made->file}, {"events", made->events}, {"last_event", made->last_event}});
  } else {
    print(made->file + ": " + std::to_string(made->events) + " events, up to event " +
          std::to_string(made->last_event) + "\n");
  }
  return 0;
}

}  // namespace leasehold::ctl
