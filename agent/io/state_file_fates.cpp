#include "agent/io/state_file_fates.hpp"

namespace leasehold::agent {

namespace {

Reason reason_of(const SQLite::Column& column) {
  return reason_from_token(column.getString()).value_or(Reason::none);
}

std::string text_of(Reason reason) {
  return std::string(token(reason));
}

void put_asked(SQLite::Database& db, const AskedWork& work) {
  SQLite::Statement put(db, "insert into asked_work values (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  put.bind(1, work.unit);
  put.bind(2, work.called);
  put.bind(3, work.started.ms);
  put.bind(4, static_cast<int64_t>(work.generation));
  put.bind(5, text_of(work.reason));
  put.bind(6, work.slots);
  put.bind(7, work.user);
  put.bind(8, work.told_ms);
  put.bind(9, work.ordered ? 1 : 0);
  put.exec();
}

void put_ended(SQLite::Database& db, const wire::EndedWork& work) {
  SQLite::Statement put(db, "insert into ended_work values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
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
  put.exec();
}

void load_asked(SQLite::Database& db, SavedFates& fates) {
  SQLite::Statement rows(db,
                         "select unit, called, started_ms, generation, reason, slots, user, "
                         "told_ms, ordered from asked_work order by rowid");
  while (rows.executeStep())
    fates.asked.push_back({rows.getColumn(0).getString(),
                           rows.getColumn(1).getString(),
                           {rows.getColumn(2).getInt64()},
                           static_cast<uint64_t>(rows.getColumn(3).getInt64()),
                           reason_of(rows.getColumn(4)),
                           rows.getColumn(5).getInt(),
                           rows.getColumn(6).getString(),
                           rows.getColumn(7).getInt64(),
                           rows.getColumn(8).getInt() != 0});
}

void load_ended(SQLite::Database& db, SavedFates& fates) {
  SQLite::Statement rows(db,
                         "select number, job, fate, generation, reason, slots, told_ms, ended_ms, "
                         "exit_code, user from ended_work order by number");
  while (rows.executeStep())
    fates.ended.push_back(
        {static_cast<uint64_t>(rows.getColumn(0).getInt64()), rows.getColumn(1).getString(),
         from_token<wire::Fate>(rows.getColumn(2).getString()).value_or(wire::Fate::unknown),
         static_cast<uint64_t>(rows.getColumn(3).getInt64()), reason_of(rows.getColumn(4)),
         rows.getColumn(5).getInt(), rows.getColumn(6).getInt64(), rows.getColumn(7).getInt64(),
         rows.getColumn(8).getInt(), rows.getColumn(9).getString()});
}

}  // namespace

SavedFates load_fates(SQLite::Database& db) {
  SavedFates fates;
  if (!db.tableExists("ended_work")) return fates;
  load_asked(db, fates);
  load_ended(db, fates);
  fates.last_number =
      static_cast<uint64_t>(db.execAndGet("select last_ended from agent").getInt64());
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
    SavedServed& one = served.emplace_back();
    one.shape = {rows.getColumn(0).getString(), rows.getColumn(1).getInt(),
                 rows.getColumn(2).getInt(), rows.getColumn(3).getInt(),
                 rows.getColumn(4).getInt() != 0};
    one.since = {rows.getColumn(5).getInt64()};
    one.wait_ms = rows.getColumn(6).getInt64();
    one.left_ms = rows.getColumn(7).getInt64();
    one.at_ms = rows.getColumn(8).getInt64();
    boot = rows.getColumn(9).getString();
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
