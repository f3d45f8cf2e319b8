#include "broker/daemon/start/open_store.hpp"

#include <filesystem>

#include "broker/daemon/start/start_clock.hpp"
#include "broker/store/sqlite/commit_file.hpp"
#include "broker/store/sqlite/database_check.hpp"
#include "broker/store/sqlite/store.hpp"
#include "broker/store/sqlite/upgrade_copy.hpp"
#include "common/files/open_file.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

StoreOptions store_options(const DaemonConfig& daemon, std::shared_ptr<BaseMaker> bases) {
  StoreOptions options;
  options.base_maker = std::move(bases);
  // The tables beside the log tell the same history, and are about as large.
  options.retention = {daemon.retention_age_ms, (daemon.retention_size_mb << 20) / 2};
  return options;
}

/// The time that a start may take to read the database through.
constexpr int64_t kCheckMs = 10'000;

/// Keeps a copy of another version's database, before an upgrade changes it.
Status keep_copy(const std::string& database) {
  const auto kept = keep_upgrade_copy(database);
  if (!kept) return tl::unexpected(kept.error());
  if (*kept) {
    log_info("upgrade-copy",
             {{"file", (*kept)->path},
              {"mib", (*kept)->bytes >> 20U},
              {"why", "another version of lease-broker wrote the database last"},
              {"do", "keep the file as long as you may want to go back to that version"}});
  }
  return {};
}

/// Checks that the database is whole and that its time agrees with the clock, before anything is
/// written to it. Returns "--accept-clock" if that option sets history back, else "".
Result<std::string> check_before_opening(const std::string& database, bool accept_clock) {
  ClockFacts facts;
  facts.last_write = last_write_of(database);
  const auto checked = check_database(database, kCheckMs);
  if (!checked) return tl::unexpected(checked.error());
  if (!checked->all) {
    log_warn("database-large",
             {{"why", "only its newest part was checked for damage"},
              {"do", "leasectl replay " + database + " --verify checks all of it"}});
  }
  facts.clock = wall_time();
  facts.last_event = checked->last_event;
  if (!accept_clock) {
    const Status clock = check_start_clock(facts);
    if (!clock) return tl::unexpected(clock.error());
    return std::string();
  }
  const bool back = facts.last_event && *facts.last_event > facts.clock;
  return std::string(back ? "--accept-clock" : "");
}

/// Returns the size of the file before a store makes it a database; nullopt: there is none.
std::optional<uintmax_t> database_bytes(const std::string& database) {
  std::error_code none;
  const uintmax_t bytes = std::filesystem::file_size(database, none);
  return none ? std::nullopt : std::optional(bytes);
}

std::string older_because(const std::string& database, std::optional<uintmax_t> bytes, int64_t made,
                          int64_t last) {
  const std::string commits = ", though " + std::to_string(made) + " commits were made to it";
  if (!bytes) return database + " was missing" + commits;
  if (*bytes == 0) return database + " was empty" + commits;
  return database + " ends with commit " + std::to_string(last) + ", and " + database +
         ".commit says " + std::to_string(made) + ": it is an older copy";
}

Result<BrokerParts::Opened> open_store(const DaemonConfig& daemon,
                                       const std::shared_ptr<BaseMaker>& bases) {
  const auto bytes = database_bytes(daemon.database);
  const auto made = number_beside(daemon.database);
  auto store = SqliteStore::open(daemon.database, OpenMode::broker, store_options(daemon, bases));
  if (!store) return tl::unexpected(store.error());
  auto state = (*store)->load();
  if (!state) return tl::unexpected(state.error());
  if (Status sound = check_ledger(daemon.database, *state); !sound) {
    return tl::unexpected(sound.error());
  }
  BrokerParts::Opened opened;
  opened.database_older = (*store)->database_older();
  if (opened.database_older && made) {
    opened.older_because = older_because(daemon.database, bytes, *made, (*store)->commit_number());
  }
  opened.state = std::move(*state);
  opened.store = std::move(*store);
  return opened;
}

}  // namespace

std::function<Result<BrokerParts::Opened>()> store_opener(const DaemonConfig& daemon,
                                                          std::shared_ptr<BaseMaker> bases,
                                                          StartChoices choices) {
  return [daemon, bases = std::move(bases), choices, first = true,
          file = std::optional<FileIdentity>()]() mutable -> Result<BrokerParts::Opened> {
    std::string clock_set_by;
    if (first) {
      auto checked = check_before_opening(daemon.database, choices.accept_clock);
      if (!checked) return tl::unexpected(checked.error());
      if (!choices.without_copy) {
        if (Status kept = keep_copy(daemon.database); !kept) return tl::unexpected(kept.error());
      }
      clock_set_by = *std::move(checked);
    }
    // Nobody has decided to go on from another file's history, or from none.
    if (!first && identity_of(daemon.database) != file) return database_gone(daemon.database);
    auto opened = open_store(daemon, bases);
    if (!opened) return opened;
    first = false;
    file = identity_of(daemon.database);
    opened->clock_set_by = std::move(clock_set_by);
    return opened;
  };
}

}  // namespace leasehold
