#include "agent/io/state/state_file_fates.hpp"

#include "agent/workload/support/kept_row.hpp"
#include "common/text/printable.hpp"

namespace leasehold::agent {

namespace {

Reason reason_of(const std::string& word) {
  return reason_from_token(word).value_or(Reason::none);
}

std::string text_of(Reason reason) {
  return std::string(token(reason));
}

void put_asked(SQLite::Database& db, const AskedWork& work) {
  SQLite::Statement put(db, "insert into asked_work values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  put.bind(1, work.unit);
  put.bind(2, work.called);
  put.bind(3, work.started.ms);
  put.bind(4, static_cast<int64_t>(work.generation));
  put.bind(5, text_of(work.reason));
  put.bind(6, work.slots);
  put.bind(7, work.user);
  put.bind(8, work.told_ms);
  put.bind(9, work.ordered ? 1 : 0);
  put.bind(10, work.session);
  put.bind(11, work.account);
  put.exec();
}

void put_ended(SQLite::Database& db, const wire::EndedWork& work) {
  SQLite::Statement put(db, "insert into ended_work values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  put.bind(1, static_cast<int64_t>(work.number));
  put.bind(2, work.job);
  put.bind(3, token(work.fate));
  put.bind(4, static_cast<int64_t>(work.generation));
  put.bind(5, text_of(work.reason));
  put.bind(6, work.slots);
  put.bind(7, work.told_ms);
  put.bind(8, work.ended_ms);
  put.bind(9, work.exit_code);
  put.bind(10, work.user);
  put.bind(11, work.session);
  put.bind(12, work.account);
  put.exec();
}

AskedWork read_asked(const KeptRow& row) {
  return {row.text(0),  row.text(1), {row.time_ms(2)}, row.bits(3), reason_of(row.text(4)),
          row.slots(5), row.text(6), row.time_ms(7),   row.flag(8), std::nullopt,
          row.text(9),  row.text(10)};
}

/// The texts go to a broker, which refuses what cannot be shown.
wire::EndedWork read_ended(const KeptRow& row) {
  const auto fate = from_token<wire::Fate>(row.text(2)).value_or(wire::Fate::unknown);
  return {row.counter(0),
          printable(row.text(1)),
          fate,
          row.bits(3),
          reason_of(row.text(4)),
          row.slots(5),
          row.time_ms(6),
          row.time_ms(7),
          static_cast<int32_t>(row.number(8, INT32_MIN, INT32_MAX)),
          printable(row.text(9)),
          printable(row.text(10)),
          printable(row.text(11))};
}

/// Returns the columns that came last, as an older file has them: read only, it is not migrated.
std::string whose(SQLite::Database& db) {
  return db.execAndGet("pragma user_version").getInt() < 8 ? ", '', ''" : ", session, account";
}

void load_asked(SQLite::Database& db, SavedFates& fates) {
  SQLite::Statement rows(db,
                         "select unit, called, started_ms, generation, reason, slots, user, "
                         "told_ms, ordered" +
                             whose(db) + " from asked_work order by rowid");
  while (rows.executeStep()) fates.asked.push_back(read_asked(KeptRow(rows, "asked_work")));
}

void load_ended(SQLite::Database& db, SavedFates& fates) {
  SQLite::Statement rows(db,
                         "select number, job, fate, generation, reason, slots, told_ms, ended_ms, "
                         "exit_code, user" +
                             whose(db) + " from ended_work order by number");
  while (rows.executeStep()) fates.ended.push_back(read_ended(KeptRow(rows, "ended_work")));
}

}  // namespace

SavedFates load_fates(SQLite::Database& db) {
  SavedFates fates;
  if (!db.tableExists("ended_work")) return fates;
  load_asked(db, fates);
  load_ended(db, fates);
  SQLite::Statement last(db, "select last_ended from agent");
  if (last.executeStep()) fates.last_number = KeptRow(last, "agent").counter(0);
  return fates;
}

void put_fates(SQLite::Database& db, const SavedFates& fates) {
  db.exec("delete from asked_work; delete from ended_work");
  for (const AskedWork& work : fates.asked) put_asked(db, work);
  for (const wire::EndedWork& work : fates.ended) put_ended(db, work);
  SQLite::Statement last(db, "update agent set last_ended = ?");
  last.bind(1, static_cast<int64_t>(fates.last_number));
  last.exec();
}

std::vector<SavedServed> load_served(SQLite::Database& db, std::string& boot) {
  std::vector<SavedServed> served;
  if (!db.tableExists("served_shape")) return served;
  SQLite::Statement rows(db,
                         "select session, slots, slots_per_host, hosts_wanted, whole_hosts, "
                         "since_ms, wait_ms, left_ms, at_ms, machine_boot from served_shape "
                         "order by session, slots, slots_per_host, hosts_wanted, whole_hosts");
  while (rows.executeStep()) {
    const KeptRow row(rows, "served_shape");
    SavedServed& one = served.emplace_back();
    one.shape = {row.text(0), row.slots(1), row.slots(2), row.slots(3), row.flag(4)};
    one.since = {row.time_ms(5)};
    one.wait_ms = row.number(6, 0, Served::kLongestWaitMs);
    one.left_ms = row.time_ms(7);
    one.at_ms = row.time_ms(8);
    boot = row.text(9);
  }
  return served;
}

void put_served(SQLite::Database& db, const std::vector<SavedServed>& served,
                const std::string& boot) {
  db.exec("delete from served_shape");
  SQLite::Statement put(db, "insert into served_shape values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const SavedServed& one : served) {
    put.bind(1, one.shape.session);
    put.bind(2, one.shape.slots);
    put.bind(3, one.shape.slots_per_host);
    put.bind(4, one.shape.hosts_wanted);
    put.bind(5, one.shape.whole_hosts ? 1 : 0);
    put.bind(6, one.since.ms);
    put.bind(7, one.wait_ms);
    put.bind(8, one.left_ms);
    put.bind(9, one.at_ms);
    put.bind(10, boot);
    put.exec();
    put.reset();
  }
}

}  // namespace leasehold::agent
