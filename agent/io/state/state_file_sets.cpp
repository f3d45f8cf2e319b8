#include "agent/io/state/state_file_sets.hpp"

#include <algorithm>

#include "agent/workload/support/kept_row.hpp"

namespace leasehold::agent {

namespace {

HeldSet read_set(const KeptRow& row) {
  HeldSet held;
  held.seq = row.bits(0);
  held.to_return = row.number(1, -kSlotsMax, int64_t{1} << 52);
  held.set.sum = row.number(2, 0, kSlotsMax);
  held.set.grace_ms = row.length_ms(3);
  held.set.whole_hosts = row.flag(4);
  return held;
}

}  // namespace

std::vector<HeldSet> load_sets(SQLite::Database& db) {
  std::vector<HeldSet> sets;
  if (db.execAndGet("pragma user_version").getInt() < 3) {
    return sets;  // read only: not migrated yet
  }
  SQLite::Statement rows(db,
                         "select seq, to_return, slots_sum, grace_ms, whole_hosts, generation, "
                         "host, place, number from reclaim_set natural join reclaim_set_host "
                         "order by number, place");
  int64_t number = -1;
  while (rows.executeStep()) {
    const KeptRow row(rows, "reclaim_set_host");
    const int64_t of = row.number(8, 0, INT64_MAX);
    if (of != number) sets.push_back(read_set(KeptRow(rows, "reclaim_set")));
    number = of;
    std::vector<wire::SetHost>& hosts = sets.back().set.hosts;
    const auto next = static_cast<int64_t>(hosts.size());
    row.number(7, next, next);
    const wire::SetHost host{row.bits(5), static_cast<uint32_t>(row.number(6, 0, UINT32_MAX - 1))};
    if (std::find(hosts.begin(), hosts.end(), host) != hosts.end()) {
      row.refuse(6, "is listed twice in one set");
    }
    hosts.push_back(host);
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
