// backup and restore: copies a broker's database, and puts a copy back.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/ctl/output/progress_bar.hpp"
#include "broker/replay/backup_file.hpp"
#include "broker/replay/kept_copies.hpp"
#include "common/database_name.hpp"

namespace leasehold::ctl {

namespace {

std::string counted(const BackupMade& made) {
  if (made.last_event == 0) return "no events: nothing was recorded yet";
  return std::to_string(made.events) + " events, up to event " + std::to_string(made.last_event) +
         " of " + format_utc(made.time);
}

int report_made(const Result<BackupMade>& made, const char* what, const CommandLine& line) {
  if (!made) return report(made.error(), line.json);
  if (line.json) {
    print_json({{"file", made->file},
                {"events", made->events},
                {"last_event", made->last_event},
                {"batch", made->batch},
                {"time", format_utc(made->time)}});
  } else {
    print(made->file + ": " + counted(*made) + what + "\n");
  }
  return 0;
}

Result<BackupMade> copy(Invocation& invocation, const std::string& path) {
  Request request = invocation.line.request;
  Result<BackupFile> file = BackupFile::create(path);
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

/// Makes a copy that replaces the one before it, which stays until the new one is complete.
Result<BackupMade> copy_replacing(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  Result<KeptCopies> copies = KeptCopies::begin(line.request.file, *line.keep);
  if (!copies) return tl::unexpected(copies.error());
  Result<BackupMade> made = copy(invocation, copies->coming());
  if (!made) return made;
  if (Status taken = copies->take(); !taken) {
    copies->drop();
    return tl::unexpected(taken.error());
  }
  made->file = line.request.file;
  return made;
}

/// Warns of a copy that is older than the database was; it is complete, and may be all that there
/// is.
void warn_older(const std::string& database, const BackupMade& made, int64_t least) {
  std::fprintf(stderr,
               "leasectl: warning: %s ends with commit %lld, and %lld were made: it is an older "
               "copy, and so is %s\n",
               without_password(database).c_str(), static_cast<long long>(made.batch),
               static_cast<long long>(least), made.file.c_str());
}

}  // namespace

int backup(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  // This is read before the copy, because a running broker goes on counting.
  const int64_t least = line.db.empty() ? 0 : commits_made(line.db);
  const Result<BackupMade> made =
      line.keep ? copy_replacing(invocation) : copy(invocation, line.request.file);
  if (made && made->batch < least) warn_older(line.db, *made, least);
  return report_made(made, "; verified", line);
}

int restore(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  return report_made(restore_backup(line.subject, line.output),
                     "; verified. Start the broker: agents state what they hold", line);
}

}  // namespace leasehold::ctl
