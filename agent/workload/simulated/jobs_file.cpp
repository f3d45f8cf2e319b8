#include "agent/workload/simulated/jobs_file.hpp"

#include <array>

#include "agent/core/limits/cap_bounds.hpp"
#include "agent/workload/support/kept_row.hpp"

namespace leasehold::agent {

namespace {

/// The SQL from one version to the next.
constexpr std::array kSteps{R"sql(
create table fact (key text primary key, number integer, words text) strict;
create table cap (host text primary key, imported integer not null, slots integer not null,
  own integer not null, mem_mb integer not null, swap_mb integer not null) strict;
create table cap_part (host text not null, generation integer not null, position integer not null,
  slots_limit integer not null, slots_exported integer not null,
  primary key (host, generation, position)) strict;
create table imported (place integer primary key, host text not null unique) strict;
create table peak (host text primary key, slots_now integer not null, slots_before integer not null)
  strict;
create table job (id integer primary key, state text not null, arrival_ms integer not null,
  run_ms integer not null, width integer not null, start_ms integer) strict;
create table job_slots (job integer not null, host text not null, slots integer not null,
  primary key (job, host)) strict;
create table resource (name text primary key, withheld integer not null) strict;
create table down (host text primary key) strict;
create view host_use as select host, sum(slots) as used from job_slots group by host;
)sql",
                            "alter table cap add column grace_ms integer not null default 0"};

int64_t signed_of(uint64_t value) {
  return static_cast<int64_t>(value);
}

constexpr const char* kIfRemoved = ": then it begins with no jobs and no fences";
/// In the year 2109: a time that a simulation runs past at any speed.
constexpr int64_t kWallMsMax = int64_t{1} << 42;
/// The most jobs that a source is opened past.
constexpr int64_t kJobsMost = 1'000'000'000;

int64_t number(SQLite::Database& db, const char* key, int64_t least, int64_t most) {
  SQLite::Statement query(db, "select number from fact where key = ?");
  query.bind(1, key);
  if (!query.executeStep()) return 0;
  const int64_t value = query.getColumn(0).getInt64();
  if (const auto fault = out_of(key, value, least, most)) throw DamagedRow("fact." + *fault);
  return value;
}

/// Returns when leases end, by CLOCK_BOOTTIME.
int64_t lease_until(SQLite::Database& db) {
  SQLite::Statement query(db, "select number as lease_until_ms from fact where key = ?");
  query.bind(1, "lease_until_ms");
  if (!query.executeStep()) return INT64_MAX;
  const KeptRow row(query, "fact");
  const int64_t until_ms = row.endless_ms(0);
  return until_ms == INT64_MAX ? until_ms : row.number(0, -kLongestMs, kLongestMs);
}

std::string words(SQLite::Database& db, const char* key) {
  SQLite::Statement query(db, "select words from fact where key = ?");
  query.bind(1, key);
  return query.executeStep() ? query.getColumn(0).getString() : "";
}

void set_number(SQLite::Database& db, const char* key, int64_t value) {
  SQLite::Statement put(db, "insert or replace into fact(key, number) values (?, ?)");
  put.bind(1, key);
  put.bind(2, value);
  put.exec();
}

void set_words(SQLite::Database& db, const char* key, const std::string& value) {
  SQLite::Statement put(db, "insert or replace into fact(key, words) values (?, ?)");
  put.bind(1, key);
  put.bind(2, value);
  put.exec();
}

void load_caps(SQLite::Database& db, StoredWorld& world) {
  const bool old = db.execAndGet("pragma user_version").getInt() < 2;
  SQLite::Statement caps(db, std::string("select host, imported, slots, own, mem_mb, swap_mb, ") +
                                 (old ? "0" : "grace_ms") + " from cap");
  while (caps.executeStep()) {
    const KeptRow row(caps, "cap");
    HostCap cap;
    cap.host = row.text(0);
    cap.imported = row.flag(1);
    cap.slots = row.slots(2, 0, INT32_MAX);
    cap.own = row.slots(3, 0, INT32_MAX);
    cap.mem_mb = row.number(4, 0, kCapMebibytesMax);
    cap.swap_mb = row.number(5, 0, kCapMebibytesMax);
    cap.grace_ms = row.length_ms(6);
    world.caps.emplace(cap.host, cap);
  }
  SQLite::Statement parts(db,
                          "select host, generation, position, slots_limit, slots_exported "
                          "from cap_part order by host, generation, position");
  while (parts.executeStep()) {
    const KeptRow row(parts, "cap_part");
    const auto cap = world.caps.find(row.text(0));
    if (cap == world.caps.end()) row.refuse(0, "is " + row.text(0) + ", which has no row in cap");
    cap->second.parts.push_back({row.counter(1),
                                 static_cast<uint32_t>(row.number(2, 0, kGroupHostsMax - 1)),
                                 row.slots(3, 0, kCapLimitMax), row.slots(4)});
  }
  std::vector<HostCap> all;
  for (const auto& [host, cap] : world.caps) all.push_back(cap);
  if (const auto fault = fault_of(all)) throw DamagedRow("cap_part: " + *fault);
}

StoredJob read_job(const KeptRow& row) {
  StoredJob stored;
  stored.job.id = row.counter(0);
  stored.running = row.text(1) == "running";
  stored.job.arrival.ms = row.time_ms(2);
  stored.job.run_ms = row.number(3, 1, kLongestMs);
  stored.job.width = row.slots(4, 1);
  if (!row.null(5)) stored.start.ms = row.time_ms(5);
  return stored;
}

void load_jobs(SQLite::Database& db, StoredWorld& world) {
  int64_t in_use = 0;
  SQLite::Statement slots(db, "select host, slots from job_slots where job = ? order by host");
  SQLite::Statement jobs(
      db, "select id, state, arrival_ms, run_ms, width, start_ms from job order by id");
  while (jobs.executeStep()) {
    StoredJob stored = read_job(KeptRow(jobs, "job"));
    slots.reset();
    slots.bind(1, signed_of(stored.job.id));
    while (slots.executeStep()) {
      const KeptRow row(slots, "job_slots");
      stored.slots.emplace_back(row.text(0), row.slots(1, 1));
      in_use += row.slots(1);
      if (in_use > kSlotsMax) throw DamagedRow("job_slots.slots add up to more than there can be");
    }
    world.jobs.push_back(std::move(stored));
  }
}

void load_hosts(SQLite::Database& db, StoredWorld& world) {
  SQLite::Statement imported(db, "select host from imported order by place");
  while (imported.executeStep()) world.imported.push_back(KeptRow(imported, "imported").text(0));
  SQLite::Statement peaks(db, "select host, slots_now, slots_before from peak");
  while (peaks.executeStep()) {
    const KeptRow row(peaks, "peak");
    world.peaks[row.text(0)] = {row.slots(1), row.slots(2)};
  }
}

void save_facts(SQLite::Database& db, const StoredWorld& world) {
  set_number(db, "virtual_ms", world.virtual_ms);
  set_number(db, "wall_ms", world.wall_ms);
  set_number(db, "arrived", signed_of(world.arrived));
  set_number(db, "ended", signed_of(world.ended));
  set_number(db, "started", signed_of(world.started));
  set_number(db, "wait_ms_total", world.wait_ms_total);
  set_number(db, "lease_until_ms", world.lease_until_ms);
  set_number(db, "leases_ended", world.leases_ended ? 1 : 0);
  set_words(db, "source", world.source);
  set_words(db, "boot", world.boot);
  SQLite::Statement peak(db, "insert or replace into peak values (?, ?, ?)");
  for (const auto& [host, peaks] : world.peaks) {
    peak.bind(1, host);
    peak.bind(2, peaks.now);
    peak.bind(3, peaks.before);
    peak.exec();
    peak.reset();
  }
}

void save_part(SQLite::Statement& put, const std::string& host, const CapPart& part) {
  put.bind(1, host);
  put.bind(2, signed_of(part.generation));
  put.bind(3, part.host);
  put.bind(4, part.limit);
  put.bind(5, part.exported);
  put.exec();
  put.reset();
}

void save_caps(SQLite::Database& db, const StoredWorld& world) {
  db.exec("delete from cap; delete from cap_part; delete from imported");
  SQLite::Statement put(db, "insert into cap values (?, ?, ?, ?, ?, ?, ?)");
  SQLite::Statement put_part(db, "insert into cap_part values (?, ?, ?, ?, ?)");
  for (const auto& [host, cap] : world.caps) {
    put.bind(1, host);
    put.bind(2, cap.imported ? 1 : 0);
    put.bind(3, cap.slots);
    put.bind(4, cap.own);
    put.bind(5, cap.mem_mb);
    put.bind(6, cap.swap_mb);
    put.bind(7, cap.grace_ms);
    put.exec();
    put.reset();
    for (const CapPart& part : cap.parts) save_part(put_part, host, part);
  }
  SQLite::Statement place(db, "insert into imported(host) values (?)");
  for (const std::string& host : world.imported) {
    place.bind(1, host);
    place.exec();
    place.reset();
  }
}

void forget_job(SQLite::Database& db, uint64_t id) {
  for (const char* sql : {"delete from job where id = ?", "delete from job_slots where job = ?"}) {
    SQLite::Statement gone(db, sql);
    gone.bind(1, signed_of(id));
    gone.exec();
  }
}

void save_job(SQLite::Database& db, const StoredJob& stored) {
  forget_job(db, stored.job.id);
  SQLite::Statement job(db, "insert into job values (?, ?, ?, ?, ?, ?)");
  job.bind(1, signed_of(stored.job.id));
  job.bind(2, stored.running ? "running" : "queued");
  job.bind(3, stored.job.arrival.ms);
  job.bind(4, stored.job.run_ms);
  job.bind(5, stored.job.width);
  if (stored.running) {
    job.bind(6, stored.start.ms);
  } else {
    job.bind(6);
  }
  job.exec();
  SQLite::Statement slots(db, "insert into job_slots values (?, ?, ?)");
  for (const auto& [host, count] : stored.slots) {
    slots.bind(1, signed_of(stored.job.id));
    slots.bind(2, host);
    slots.bind(3, count);
    slots.exec();
    slots.reset();
  }
}

}  // namespace

Result<JobsFile> JobsFile::open(const std::string& path, bool read_only) {
  Result<KeptDatabase> database = KeptDatabase::open(
      path, {"the simulated workload's file", kSteps, {}, kIfRemoved}, read_only);
  if (!database) return tl::unexpected(database.error());
  return JobsFile(*std::move(database));
}

Result<StoredWorld> JobsFile::load() {
  StoredWorld world;
  if (database_.missing()) return world;
  const Status read = database_.run([&](SQLite::Database& db) -> Status {
    world.source = words(db, "source");
    world.fresh = world.source.empty();
    world.virtual_ms = number(db, "virtual_ms", -kKeptMsMax, kKeptMsMax);
    world.wall_ms = number(db, "wall_ms", 0, kWallMsMax);
    world.arrived = static_cast<uint64_t>(number(db, "arrived", 0, kJobsMost));
    world.ended = static_cast<uint64_t>(number(db, "ended", 0, INT64_MAX / 2));
    world.started = static_cast<uint64_t>(number(db, "started", 0, INT64_MAX / 2));
    world.wait_ms_total = number(db, "wait_ms_total", INT64_MIN / 2, INT64_MAX / 2);
    world.lease_until_ms = lease_until(db);
    world.leases_ended = number(db, "leases_ended", 0, 1) != 0;
    world.boot = words(db, "boot");
    load_caps(db, world);
    load_hosts(db, world);
    load_jobs(db, world);
    return {};
  });
  if (!read) return tl::unexpected(read.error());
  return world;
}

Result<std::vector<std::string>> JobsFile::down() {
  std::vector<std::string> hosts;
  if (database_.missing()) return hosts;
  const Status read = database_.run([&](SQLite::Database& db) -> Status {
    SQLite::Statement query(db, "select host from down");
    while (query.executeStep()) hosts.push_back(query.getColumn(0).getString());
    return {};
  });
  if (!read) return tl::unexpected(read.error());
  return hosts;
}

Status JobsFile::save(const Change& change) {
  return database_.write([&](SQLite::Database& db) {
    for (const uint64_t id : change.ended) forget_job(db, id);
    for (const StoredJob& job : change.live) save_job(db, job);
    if (change.caps) save_caps(db, change.world);
    save_facts(db, change.world);
  });
}

Status JobsFile::save_resources(const std::vector<std::pair<std::string, int64_t>>& withheld) {
  return database_.write([&](SQLite::Database& db) {
    db.exec("delete from resource");
    SQLite::Statement put(db, "insert into resource values (?, ?)");
    for (const auto& [name, count] : withheld) {
      put.bind(1, name);
      put.bind(2, count);
      put.exec();
      put.reset();
    }
  });
}

}  // namespace leasehold::agent
