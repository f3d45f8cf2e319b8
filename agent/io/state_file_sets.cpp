#include "agent/io/state_file_sets.hpp"

namespace leasehold::agent {

std::vector<HeldSet> load_sets(SQLite::Database& db) {
  std::vector<HeldSet> sets;
  if (db.execAndGet("pragma user_version").getInt() < 3)
    return sets;  // read only: not migrated yet
  SQLite::Statement rows(db,
                         "select seq, to_return, slots_sum, grace_ms, whole_hosts, generation, "
                         "host, place from reclaim_set natural join reclaim_set_host "
                         "order by number, place");
  while (rows.executeStep()) {
    if (rows.getColumn(7).getInt() == 0) {
      HeldSet& held = sets.emplace_back();
      held.seq = static_cast<uint64_t>(rows.getColumn(0).getInt64());
      held.to_return = rows.getColumn(1).getInt64();
      held.set.sum = rows.getColumn(2).getInt64();
      held.set.grace_ms = rows.getColumn(3).getInt64();
      held.set.whole_hosts = rows.getColumn(4).getInt() != 0;
    }
    sets.back().set.hosts.push_back(
        {static_cast<uint64_t>(rows.getColumn(5).getInt64()), rows.getColumn(6).getUInt()});
  }
  return sets;
}

void put_set(SQLite::Database& db, int64_t number, const HeldSet& held) {
  SQLite::Statement put(db, "insert into reclaim_set values (?, ?, ?, ?, ?, ?)");
  put.bind(1, number);
  put.bind(2, static_cast<int64_t>(held.seq));
  put.bind(3, held.to_return);
  put.bind(4, held.set.sum);
  put.bind(5, held.set.grace_ms);
  put.bind(6, held.set.whole_hosts ? 1 : 0);
  put.exec();
  SQLite::Statement host(db, "insert into reclaim_set_host values (?, ?, ?, ?)");
  for (size_t place = 0; place < held.set.hosts.size(); ++place) {
    host.bind(1, number);
    host.bind(2, static_cast<int64_t>(place));
    host.bind(3, static_cast<int64_t>(held.set.hosts[place].generation));
    host.bind(4, held.set.hosts[place].host);
    host.exec();
    host.reset();
  }
}

}  // namespace leasehold::agent
