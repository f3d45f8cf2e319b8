// Which lent slots a waiting job of the owner lacks: as few as it needs, on hosts that start it.
#include "broker/rules/demand_aware/owner_unit.hpp"

#include <catch2/catch.hpp>

using namespace leasehold::demand_aware;

namespace {

/// Idle slots of the owner and of the borrower, lent ones in use, those that come back for it.
IdleRow host(int32_t own, int32_t given = 0, int32_t in_use = 0, int32_t on_way = 0) {
  IdleRow row;
  row.idle = {own, given};
  row.in_use = in_use;
  row.on_way = on_way;
  return row;
}

IdleRow whole(IdleRow row) {
  row.whole = true;
  return row;
}

Waiting job(int32_t on_host, int32_t hosts = 1, std::vector<uint64_t> rows = {}) {
  return {{on_host, hosts, int64_t{on_host} * hosts}, 5, 0, std::move(rows)};
}

struct Case {
  const char* what;
  Waiting job;
  std::vector<IdleRow> rows;
  std::vector<int32_t> elsewhere;
  bool starts;
  std::vector<RowSlots> lent;
  std::vector<RowSlots> kept;
};

void check(const Case& row) {
  INFO(row.what);
  const OwnerNeed need = owner_need(row.job, row.rows, row.elsewhere);
  CHECK(need.starts == row.starts);
  CHECK(need.lent == row.lent);
  CHECK(need.kept == row.kept);
}

}  // namespace

TEST_CASE("the lent slots that a job of the owner lacks, and no more") {
  const Case rows[] = {
      {"idle slots start it", job(4), {host(4, 0, 4)}, {}, true, {}, {{0, 4}}},
      {"idle ones of the borrower, which are moved",
       job(4),
       {host(2, 2, 4)},
       {},
       true,
       {},
       {{0, 2}}},
      {"what would start it elsewhere, and has not, it may not use",
       job(4),
       {host(0, 0, 4)},
       {4},
       true,
       {{0, 4}},
       {}},
      {"a host elsewhere beside lent ones", job(4, 2), {host(0, 0, 4)}, {4}, true, {{0, 4}}, {}},
      {"as many as are lacking", job(4), {host(1, 0, 7)}, {}, true, {{0, 3}}, {{0, 1}}},
      {"what the borrower has idle there comes with them",
       job(4),
       {host(1, 1, 6)},
       {},
       true,
       {{0, 3}},
       {{0, 1}}},
      {"where it has most already",
       job(4),
       {host(0, 0, 4), host(3, 0, 1)},
       {},
       true,
       {{1, 1}},
       {{1, 3}}},
  };
  for (const Case& row : rows) check(row);
}

TEST_CASE("which hosts a job of the owner has back, and whether they would start it") {
  const Case rows[] = {
      {"over hosts",
       job(4, 2),
       {host(0, 0, 4), host(4), host(0, 0, 4)},
       {},
       true,
       {{0, 4}},
       {{1, 4}}},
      {"only on hosts that will do",
       job(4, 1, {2}),
       {host(3, 0, 4), host(0, 0, 4)},
       {},
       true,
       {{1, 4}},
       {}},
      {"of a host that moves whole all of it",
       job(2),
       {whole(host(0, 0, 4))},
       {},
       true,
       {{0, 4}},
       {}},
      {"own work is in the way", job(4), {host(1, 0, 2)}, {3}, false, {}, {}},
      {"too few hosts", job(4, 2), {host(0, 0, 4)}, {}, false, {}, {}},
  };
  for (const Case& row : rows) check(row);
}

TEST_CASE("what comes back for a job of the owner counts, and stays asked for") {
  const Case rows[] = {
      {"what comes back is enough",
       job(4),
       {host(1, 0, 4, 3), host(0, 0, 4)},
       {},
       true,
       {{0, 3}},
       {{0, 1}}},
      {"what comes back is not enough any more",
       job(4),
       {host(0, 0, 4, 3)},
       {},
       true,
       {{0, 4}},
       {}},
      {"what comes back stays asked for", job(8), {host(0, 0, 0, 3)}, {}, false, {{0, 3}}, {}},
  };
  for (const Case& row : rows) check(row);
}

TEST_CASE("a job of the owner has all it lacks once nothing of it is lent, moves or comes") {
  struct Row {
    const char* what;
    std::vector<IdleRow> rows;
    bool has_all;
  };
  const Row rows[] = {
      {"idle slots of the owner", {host(4), host(0, 0, 4)}, true},
      {"the borrower has some of them, idle", {host(3, 1)}, false},
      {"the borrower uses some of them", {host(3, 0, 1)}, false},
      {"some come", {host(3, 0, 1, 1)}, false},
      {"it starts, and others come that it does not need", {host(4), host(0, 0, 4, 1)}, false},
      {"it does not start", {host(3)}, false},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(owner_need(job(4), row.rows, {}).has_all == row.has_all);
  }
}
