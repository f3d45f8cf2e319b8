#include "broker/daemon/tables_timer.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "common/database_name.hpp"
#include "common/log.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

/// The thread works for at most one part of so many: tables that take long are made more rarely.
constexpr int64_t kShareOfTime = 20;
constexpr int kNice = 19;

/// Returns when the file was written last; nullopt: there is none.
std::optional<Instant> written_at(const std::string& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return Instant{int64_t{found.st_mtim.tv_sec} * 1000 + found.st_mtim.tv_nsec / 1'000'000};
}

}  // namespace

TablesTimer::TablesTimer(Options options) : options_(std::move(options)) {
  TablesStatus status{options_.file, options_.every_ms, written_at(options_.file), {}, {}};
  status_ = std::make_shared<const TablesStatus>(std::move(status));
  thread_ = std::thread([this] { run(); });
}

TablesTimer::~TablesTimer() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  end_.notify_one();
  thread_.join();
}

std::shared_ptr<const TablesStatus> TablesTimer::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

bool TablesTimer::ends() const {
  const std::lock_guard lock(mutex_);
  return ends_;
}

bool TablesTimer::wait(int64_t ms) {
  std::unique_lock lock(mutex_);
  return !end_.wait_for(lock, std::chrono::milliseconds(ms), [this] { return ends_; });
}

void TablesTimer::run() {
  ::setpriority(PRIO_PROCESS, 0, kNice);  // of this thread alone
  TablesJob job{options_.log, options_.file, options_.least_free_bytes,
                [this](int64_t, int64_t) { return !ends(); }};
  const std::optional<Instant> made = status()->made;
  const int64_t age_ms = made ? wall_time() - *made : options_.every_ms;
  int64_t wait_ms = std::clamp<int64_t>(options_.every_ms - age_ms, 0, options_.every_ms);
  while (wait(wait_ms)) {
    const int64_t begun_ms = boottime_ms();
    const Result<MadeTables> done = make_tables(job);
    if (ends()) return;
    tell(done);
    const int64_t took_ms = boottime_ms() - begun_ms;
    wait_ms = std::max(options_.every_ms - took_ms, (kShareOfTime - 1) * took_ms);
  }
}

/// Logs a failure once when it begins and once when it ends.
void TablesTimer::tell(const Result<MadeTables>& made) {
  TablesStatus now = *status();
  const bool failed = !now.failing.empty();
  now.failing = made ? "" : describe(made.error());
  if (made) now.made = made->made;
  if (!made && !failed) now.failing_since = wall_time();
  if (!made && !failed) {
    log_warn("readable-tables-failed",
             {{"file", now.file},
              {"why", now.failing},
              {"then", "the tables stay as they are, and are made again every " +
                           format_duration(now.every_ms) + "; no lease depends on them"},
              {"do", "df and ls -ld on that folder"}});
  }
  if (made && failed) log_info("readable-tables-recovered", {{"file", now.file}});
  const std::lock_guard lock(mutex_);
  status_ = std::make_shared<const TablesStatus>(std::move(now));
}

std::optional<TablesTimer::Options> tables_to_make(const DaemonConfig& daemon) {
  const bool on_server = is_server(daemon.database);
  TablesTimer::Options options;
  options.log = daemon.database;
  options.file = on_server ? daemon.readable_tables : state_file_of(daemon.database);
  if (options.file.empty() || daemon.tables == kTablesOff) return std::nullopt;
  if (!daemon.tables.empty()) {
    options.every_ms = parse_duration_ms(daemon.tables).value_or(options.every_ms);
    return options;
  }
  std::error_code unknown;
  const bool stands = std::filesystem::exists(options.file, unknown);
  return on_server || stands ? std::optional(options) : std::nullopt;
}

}  // namespace leasehold
