#include "agent/io/state/state_file.hpp"

#include <array>
#include <filesystem>

#include "agent/core/bounds.hpp"
#include "agent/io/state/kept_limits.hpp"
#include "agent/io/state/state_file_fates.hpp"
#include "agent/io/state/state_file_sets.hpp"
#include "agent/io/state/usage_tables.hpp"
#include "agent/workload/support/kept_row.hpp"
#include "common/files/lock_file.hpp"
#include "common/log.hpp"
#include "common/random.hpp"
#include "common/time/clock.hpp"
#include "common/wire/codec.hpp"

namespace leasehold::agent {

namespace {

/// The SQL from each version of the schema to the next.
constexpr std::array kSteps{R"sql(
create table agent (only integer primary key check (only = 1), state_id integer not null,
  boot integer not null, configuration blob) strict;
create table group_limit (generation integer primary key, role integer not null,
  seq integer not null, ever_used integer not null, grace_ms integer not null) strict;
create table host_limit (generation integer not null, host integer not null,
  slots_limit integer not null, slots_exported integer not null, lowering integer,
  lowering_target integer, primary key (generation, host)) strict;
)sql",
                            R"sql(
create table reclaim (unit text primary key, started_ms integer not null,
  grace_ms integer not null, left_ms integer not null, at_ms integer not null,
  heard integer not null, overdue integer not null, machine_boot text not null) strict;
)sql",
                            R"sql(
create table reclaim_set (number integer primary key, seq integer not null,
  to_return integer not null, slots_sum integer not null, grace_ms integer not null,
  whole_hosts integer not null) strict;
create table reclaim_set_host (number integer not null, place integer not null,
  generation integer not null, host integer not null,
  primary key (number, place)) strict;
alter table host_limit add column lowering_whole integer not null default 0;
)sql",
                            R"sql(
alter table agent add column seen_epoch integer not null default 0;
alter table agent add column seen_incarnation integer not null default 0;
)sql",
                            R"sql(
create table asked_work (unit text primary key, called text not null, started_ms integer not null,
  generation integer not null, reason text not null, slots integer not null, user text not null,
  told_ms integer not null, ordered integer not null) strict;
create table ended_work (number integer primary key, job text not null, fate text not null,
  generation integer not null, reason text not null, slots integer not null,
  told_ms integer not null, ended_ms integer not null, exit_code integer not null,
  user text not null) strict;
alter table agent add column last_ended integer not null default 0;
)sql",
                            R"sql(
create table served_shape (session text not null, slots integer not null,
  slots_per_host integer not null, hosts_wanted integer not null, whole_hosts integer not null,
  since_ms integer not null, wait_ms integer not null, left_ms integer not null,
  at_ms integer not null, machine_boot text not null,
  primary key (session, slots, slots_per_host, hosts_wanted, whole_hosts)) strict;
)sql",
                            R"sql(
create table woken_host (host text primary key, wait_ms integer not null, at_ms integer not null,
  machine_boot text not null) strict;
)sql",
                            R"sql(
alter table asked_work add column session text not null default '';
alter table asked_work add column account text not null default '';
alter table ended_work add column session text not null default '';
alter table ended_work add column account text not null default '';
)sql",
                            R"sql(
create table usage_open (generation integer primary key, since_ms integer not null,
  counted_ms integer not null, slots integer not null, total_slot_ms integer not null) strict;
create table usage_open_by (generation integer not null, session text not null,
  user text not null, account text not null, slot_ms integer not null,
  primary key (generation, session, user, account)) strict;
create table usage_closed (number integer primary key, generation integer not null,
  since_ms integer not null, until_ms integer not null, others_slot_ms integer not null,
  unnamed_slot_ms integer not null) strict;
create table usage_closed_by (number integer not null, session text not null, user text not null,
  account text not null, slot_ms integer not null,
  primary key (number, session, user, account)) strict;
alter table agent add column usage_number integer not null default 0;
alter table agent add column usage_saved_ms integer not null default 0;
alter table agent add column usage_listed_ms integer;
)sql"};

constexpr const char* kIfRemoved =
    ": then all that is lent or borrowed stays fenced until the broker has answered";

int64_t signed_of(uint64_t value) {
  return static_cast<int64_t>(value);
}
uint64_t unsigned_of(int64_t value) {
  return static_cast<uint64_t>(value);
}

void begin(SQLite::Database& db) {
  SQLite::Statement agent(db, "insert into agent (only, state_id, boot) values (1, ?, 0)");
  agent.bind(1, signed_of(random_u64()));
  agent.exec();
}

Result<LockFile> lock_out_others(const std::string& path) {
  Result<LockFile> lock = LockFile::take(
      path + ".lock", "another agent has it open; stop that one, or name another file in 'state'");
  if (lock) return lock;
  Error error = lock.error();
  error.message = "the agent's state: " + error.message;
  error.file = path;
  return tl::unexpected(std::move(error));
}

void load_seen(SQLite::Database& db, SavedState& state) {
  if (db.execAndGet("pragma user_version").getInt() < 4) return;  // read only: not migrated yet
  SQLite::Statement agent(db, "select seen_epoch, seen_incarnation from agent");
  if (!agent.executeStep()) return;
  state.seen = {unsigned_of(agent.getColumn(0).getInt64()),
                unsigned_of(agent.getColumn(1).getInt64())};
}

void load_reclaims(SQLite::Database& db, SavedState& state) {
  if (db.execAndGet("pragma user_version").getInt() < 2) return;  // read only: not migrated yet
  SQLite::Statement rows(db,
                         "select unit, started_ms, grace_ms, left_ms, at_ms, heard, overdue, "
                         "machine_boot from reclaim order by unit");
  while (rows.executeStep()) {
    const KeptRow row(rows, "reclaim");
    state.reclaims.push_back({row.text(0),
                              {row.time_ms(1)},
                              row.endless_ms(2),
                              row.endless_ms(3),
                              row.time_ms(4),
                              row.flag(5),
                              row.flag(6)});
    state.reclaims_boot = row.text(7);
  }
}

void load_wakes(SQLite::Database& db, SavedState& state) {
  if (!db.tableExists("woken_host")) return;  // read only: not migrated yet
  SQLite::Statement rows(db,
                         "select host, wait_ms, at_ms, machine_boot from woken_host order by 1");
  while (rows.executeStep()) {
    const KeptRow row(rows, "woken_host");
    state.wakes.push_back({row.text(0), row.length_ms(1), row.time_ms(2)});
    state.wakes_boot = row.text(3);
  }
}

void put_wakes(SQLite::Database& db, const std::vector<SavedWake>& wakes) {
  db.exec("delete from woken_host");
  SQLite::Statement put(db, "insert into woken_host values (?, ?, ?, ?)");
  for (const SavedWake& wake : wakes) {
    put.bind(1, wake.host);
    put.bind(2, wake.wait_ms);
    put.bind(3, wake.at_ms);
    put.bind(4, machine_time().boot_id());
    put.exec();
    put.reset();
  }
}

void put_reclaim(SQLite::Statement& put, const SavedVictim& victim, const std::string& boot) {
  put.bind(1, victim.unit);
  put.bind(2, victim.started.ms);
  put.bind(3, victim.grace_ms);
  put.bind(4, victim.left_ms);
  put.bind(5, victim.at_ms);
  put.bind(6, victim.interrupt_done ? 1 : 0);
  put.bind(7, victim.overdue ? 1 : 0);
  put.bind(8, boot);
  put.exec();
  put.reset();
}

}  // namespace

Result<StateFile> StateFile::open(const std::string& path, bool read_only) {
  LockFile lock;
  if (!read_only) {
    Result<LockFile> taken = lock_out_others(path);
    if (!taken) return tl::unexpected(taken.error());
    lock = *std::move(taken);
  }
  Result<KeptDatabase> database =
      KeptDatabase::open(path, {"the agent's state", kSteps, begin, kIfRemoved}, read_only);
  if (!database) return tl::unexpected(database.error());
  return StateFile(std::move(lock), *std::move(database));
}

Status StateFile::load(SQLite::Database& db, SavedState& state) {
  const auto damaged = [this](const std::string& what) {
    return tl::unexpected(database_.damage(what));
  };
  SQLite::Statement agent(db, "select state_id, configuration, boot from agent");
  if (!agent.executeStep()) return damaged("the table agent is empty");
  state.state_id = KeptRow(agent, "agent").bits(0);
  KeptRow(agent, "agent").counter(2);
  load_seen(db, state);
  load_reclaims(db, state);
  state.sets = load_sets(db);
  state.fates = load_fates(db);
  state.served = load_served(db, state.served_boot);
  load_wakes(db, state);
  state.usage = load_usage(db);
  const SQLite::Column bytes = agent.getColumn(1);
  if (bytes.isNull()) return {};
  state.lost = false;
  const auto* data = static_cast<const uint8_t*>(bytes.getBlob());
  auto message = wire::decode({data, static_cast<size_t>(bytes.getBytes())});
  const auto* configuration = message ? std::get_if<wire::Configuration>(&*message) : nullptr;
  if (configuration == nullptr) return damaged("the configuration in it cannot be read");
  if (const Status good = check_numbers(*configuration); !good) {
    return damaged(good.error().message);
  }
  state.configuration = *configuration;
  state.limits = load_limits(db);
  check_limits(state.configuration, state.limits);
  return {};
}

Result<SavedState> StateFile::load() {
  SavedState state;
  if (database_.missing()) return state;
  const Status read = database_.run([&](SQLite::Database& db) { return load(db, state); });
  if (!read) return tl::unexpected(read.error());
  return state;
}

Result<uint64_t> StateFile::next_boot(const Leadership& seen) {
  uint64_t boot = 0;
  const Status raised = database_.run([&](SQLite::Database& db) -> Status {
    SQLite::Statement up(db,
                         "update agent set boot = boot + 1, seen_epoch = ?, "
                         "seen_incarnation = ? returning boot");
    up.bind(1, signed_of(seen.epoch));
    up.bind(2, signed_of(seen.incarnation));
    if (!up.executeStep()) return tl::unexpected(database_.failure("the table agent is empty"));
    boot = unsigned_of(up.getColumn(0).getInt64());
    while (up.executeStep()) {  // to the end: only then it is committed
    }
    return {};
  });
  if (!raised) return tl::unexpected(raised.error());
  return boot;
}

Status StateFile::forget_seen() {
  return database_.write([](SQLite::Database& db) {
    db.exec("update agent set seen_epoch = 0, seen_incarnation = 0");
  });
}

Status StateFile::save(const GroupLimits& group) {
  return database_.write([&](SQLite::Database& db) { put_limits(db, group); });
}

Status StateFile::save(const std::vector<GroupLimits>& groups) {
  return database_.write([&](SQLite::Database& db) {
    for (const GroupLimits& group : groups) put_limits(db, group);
  });
}

Status StateFile::save_reclaims(const std::vector<SavedVictim>& reclaims) {
  return database_.write([&](SQLite::Database& db) {
    db.exec("delete from reclaim");
    SQLite::Statement put(db, "insert into reclaim values (?, ?, ?, ?, ?, ?, ?, ?)");
    const std::string boot = machine_time().boot_id();
    for (const SavedVictim& victim : reclaims) put_reclaim(put, victim, boot);
  });
}

Status StateFile::save_sets(const std::vector<HeldSet>& sets) {
  return database_.write([&](SQLite::Database& db) {
    db.exec("delete from reclaim_set; delete from reclaim_set_host");
    for (size_t i = 0; i < sets.size(); ++i) put_set(db, static_cast<int64_t>(i), sets[i]);
  });
}

Status StateFile::save_served(const std::vector<SavedServed>& served) {
  return database_.write(
      [&](SQLite::Database& db) { put_served(db, served, machine_time().boot_id()); });
}

Status StateFile::save_wakes(const std::vector<SavedWake>& wakes) {
  return database_.write([&](SQLite::Database& db) { put_wakes(db, wakes); });
}

Status StateFile::save_fates(const SavedFates& fates) {
  return database_.write([&](SQLite::Database& db) { put_fates(db, fates); });
}

Status StateFile::save_usage(const SavedUsage& usage, bool closed_too) {
  return database_.write([&](SQLite::Database& db) {
    put_open_usage(db, usage);
    if (closed_too) put_closed_usage(db, usage);
  });
}

Status StateFile::save(const wire::Configuration& configuration,
                       const std::vector<GroupLimits>& changed,
                       const std::vector<uint64_t>& dropped) {
  return database_.write([&](SQLite::Database& db) {
    for (const uint64_t generation : dropped) forget_limits(db, generation);
    for (const GroupLimits& group : changed) put_limits(db, group);
    const Bytes bytes = wire::encode(configuration);
    SQLite::Statement put(db, "update agent set configuration = ?");
    put.bind(1, bytes.data(), static_cast<int>(bytes.size()));
    put.exec();
  });
}

void log_not_written(const Error& why, const char* then) {
  log_error("state-not-written",
            {{"why", describe(why)},
             {"then", then},
             {"do", "make room, or repair the disk or the rights of 'state'"}});
}

}  // namespace leasehold::agent
