// backup and restore: a copy of a broker's database, and back.
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/ctl/progress_bar.hpp"
#include "broker/replay/backup_file.hpp"

namespace leasehold::ctl {

namespace {

int told(const Result<BackupMade>& made, const char* what, const CommandLine& line) {
  if (!made) return report(made.error(), line.json);
  if (line.json) {
    print_json({{"file", made->file},
                {"events", made->events},
                {"last_event", made->last_event},
                {"batch", made->batch},
                {"time", format_utc(made->time)}});
  } else {
    print(made->file + ": " + std::to_string(made->events) + " events, up to event " +
          std::to_string(made->last_event) + " of " + format_utc(made->time) + what + "\n");
  }
  return 0;
}

Result<BackupMade> copy(Invocation& invocation) {
  Request request = invocation.line.request;
  Result<BackupFile> file = BackupFile::create(request.file);
  if (!file) return tl::unexpected(file.error());
  const ProgressBar bar;
  do {
    const Result<Json> page = invocation.ask(request);
    if (!page) return tl::unexpected(page.error());
    if (Status added = file->add(*page); !added) return tl::unexpected(added.error());
    request.after = file->place().after;
    request.part = file->place().part;
    bar.draw(file->events_done(), file->events_wanted());
  } while (!file->is_complete());
  return file->finish();
}

}  // namespace

int backup(Invocation& invocation) {
  return told(copy(invocation), "; verified", invocation.line);
}

int restore(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  return told(restore_backup(line.subject, line.output),
              "; verified. Start the broker: agents state what they hold", line);
}

}  // namespace leasehold::ctl
