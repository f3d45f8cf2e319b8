#include "agent/io/state_file_served.hpp"

namespace leasehold::agent {

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
