// Reads the history by lease, time, kind and id.
#include "broker/store/log/history.hpp"

#include <catch2/catch.hpp>

#include "broker/store/log/ends.hpp"
#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

std::vector<HistoryRow> rows_by(Log& log, const HistoryFilter& filter) {
  auto found = history(log, filter);
  REQUIRE(found.has_value());
  for (size_t i = 1; i < found->size(); ++i) REQUIRE((*found)[i - 1].id < (*found)[i].id);
  return *found;
}

struct Recorded {
  Recorded() : site(dir.file("broker.db")) {
    site.begin();
    site.flip_to_and_fro(5);
    all = rows_by(site.store->log(), {});
  }
  TempDir dir;
  RecordedSite site;
  std::vector<HistoryRow> all;
};

}  // namespace

TEST_CASE("history shows what was decided, with numbers, and hides the inputs") {
  Recorded recorded;
  REQUIRE(recorded.all.size() > 20);
  CHECK(recorded.all.front().kind == "broker-started");
  bool flipped = false;
  for (const HistoryRow& row : recorded.all) {
    CHECK(row.kind.rfind("input-", 0) != 0);
    if (row.kind != "flip") continue;
    flipped = true;
    CHECK(row.lease == "pool:west");
    CHECK(row.slots.value_or(0) > 0);
    CHECK(row.numbers.rfind("{\"provider_available\":", 0) == 0);
    CHECK(row.epoch.has_value());
  }
  CHECK(flipped);
  HistoryFilter inputs;
  inputs.inputs = true;
  CHECK(rows_by(recorded.site.store->log(), inputs).size() > recorded.all.size());
}

TEST_CASE("history by lease has rows of that lease alone") {
  Recorded recorded;
  HistoryFilter filter;
  filter.lease = "pool:west";
  const auto found = rows_by(recorded.site.store->log(), filter);
  CHECK_FALSE(found.empty());
  CHECK(found.size() < recorded.all.size());
  for (const HistoryRow& row : found) CHECK(row.lease == "pool:west");
  filter.lease = "pool:nobody";
  CHECK(rows_by(recorded.site.store->log(), filter).empty());
}

TEST_CASE("since and until are half-open, at every instant there is") {
  Recorded recorded;
  for (const HistoryRow& at : recorded.all) {
    HistoryFilter since;
    since.since = at.time;
    HistoryFilter until;
    until.until = at.time;
    const auto later = rows_by(recorded.site.store->log(), since);
    const auto earlier = rows_by(recorded.site.store->log(), until);
    CHECK(later.front().time == at.time);
    CHECK(later.size() + earlier.size() == recorded.all.size());
    for (const HistoryRow& row : earlier) CHECK(row.time < at.time);
  }
  HistoryFilter future;
  future.since = Instant{INT64_MAX};
  CHECK(rows_by(recorded.site.store->log(), future).empty());
}

TEST_CASE("following by id gives each row once") {
  Recorded recorded;
  HistoryFilter filter;
  filter.limit = 3;
  size_t seen = 0;
  while (true) {
    const auto page = rows_by(recorded.site.store->log(), filter);
    if (page.empty()) break;
    CHECK(page.size() <= 3);
    CHECK(page.front().id == recorded.all[seen].id);
    seen += page.size();
    filter.after_id = page.back().id;
  }
  CHECK(seen == recorded.all.size());
  CHECK(read_end(recorded.site.store->log()).value().last_event >= recorded.all.back().id);
}

TEST_CASE("the newest few stand in ascending order") {
  Recorded recorded;
  HistoryFilter filter;
  filter.limit = 4;
  filter.newest = true;
  const auto found = rows_by(recorded.site.store->log(), filter);
  REQUIRE(found.size() == 4);
  CHECK(found.back().id == recorded.all.back().id);
}

TEST_CASE("kinds choose rows") {
  Recorded recorded;
  HistoryFilter filter;
  filter.kinds = {"flip", "lease-made"};
  const auto found = rows_by(recorded.site.store->log(), filter);
  CHECK(found.size() > 1);
  for (const HistoryRow& row : found) CHECK((row.kind == "flip" || row.kind == "lease-made"));
}

// For an operator of one branch the whole log was parsed for the newest few rows.
TEST_CASE("commits that hold none of the words that each wanted row has are passed over unread") {
  Recorded recorded;
  HistoryFilter of_lease;
  of_lease.lease = "pool:west";
  const auto wanted = rows_by(recorded.site.store->log(), of_lease);
  SQLite::Database& log = recorded.site.store->database();
  log.exec(  // one that nobody can read
      "INSERT INTO log SELECT first_event + 1000, batch + 1, time_ms, clock_set, core_version, "
      "epoch, x'00', hash FROM log ORDER BY first_event DESC LIMIT 1");
  HistoryFilter filter;
  filter.newest = true;
  filter.limit = 1'000;
  filter.wanted = [](const HistoryRow& row) {
    CHECK(row.numbers.empty());
    return row.lease == "pool:west";
  };
  CHECK_FALSE(history(recorded.site.store->log(), filter).has_value());
  filter.any_of = {"nowhere", "pool"};
  const auto found = rows_by(recorded.site.store->log(), filter);
  REQUIRE(found.size() == wanted.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].id == wanted[i].id);
    CHECK(found[i].numbers == wanted[i].numbers);
  }
  filter.any_of = {"nowhere"};
  CHECK(rows_by(recorded.site.store->log(), filter).empty());
}
