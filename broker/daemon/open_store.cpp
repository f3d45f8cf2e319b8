#include "broker/daemon/open_store.hpp"

#include "broker/daemon/start_clock.hpp"
#include "broker/store/sqlite/database_check.hpp"
#include "broker/store/sqlite/store.hpp"
#include "broker/store/sqlite/upgrade_copy.hpp"
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

/// Reading a database once through, at a start.
constexpr int64_t kCheckMs = 10'000;

/// Before an upgrade changes anything.
Status keep_copy(const std::string& database) {
  const auto kept = keep_upgrade_copy(database);
  if (!kept) return tl::unexpected(kept.error());
  if (*kept) {
    log_info("upgrade-copy", {{"file", (*kept)->path},
                              {"mib", (*kept)->bytes >> 20U},
                              {"why", "another version made the database; this is the way back"}});
  }
  return {};
}

/// Before anything is written to it: is it whole, and does its time go with the clock's? What an
/// operator's --accept-clock is needed for, if anything; "" where nothing is.
Result<std::string> check_before_opening(const std::string& database, bool accept_clock) {
  ClockFacts facts;
  facts.last_write = last_write_of(database);
  const auto checked = check_database(database, kCheckMs);
  if (!checked) return tl::unexpected(checked.error());
  if (!checked->all) {
    log_warn("database-large", {{"why", "only its newest part was checked for damage"},
                                {"all_of_it", "leasectl replay " + database + " --verify"}});
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

Result<BrokerParts::Opened> open_store(const DaemonConfig& daemon,
                                       const std::shared_ptr<BaseMaker>& bases) {
  auto store = SqliteStore::open(daemon.database, OpenMode::broker, store_options(daemon, bases));
  if (!store) return tl::unexpected(store.error());
  auto state = (*store)->load();
  if (!state) return tl::unexpected(state.error());
  if (Status sound = check_ledger(daemon.database, *state); !sound) {
    return tl::unexpected(sound.error());
  }
  BrokerParts::Opened opened;
  opened.database_older = (*store)->database_older();
  opened.state = std::move(*state);
  opened.store = std::move(*store);
  return opened;
}

}  // namespace

std::function<Result<BrokerParts::Opened>()> store_opener(const DaemonConfig& daemon,
                                                          std::shared_ptr<BaseMaker> bases,
                                                          StartChoices choices) {
  return [daemon, bases = std::move(bases), choices,
          first = true]() mutable -> Result<BrokerParts::Opened> {
    std::string clock_set_by;
    if (first) {
      auto checked = check_before_opening(daemon.database, choices.accept_clock);
      if (!checked) return tl::unexpected(checked.error());
      if (!choices.without_copy) {
        if (Status kept = keep_copy(daemon.database); !kept) return tl::unexpected(kept.error());
      }
      clock_set_by = *std::move(checked);
    }
    auto opened = open_store(daemon, bases);
    if (!opened) return opened;
    first = false;
    opened->clock_set_by = std::move(clock_set_by);
    return opened;
  };
}

}  // namespace leasehold
