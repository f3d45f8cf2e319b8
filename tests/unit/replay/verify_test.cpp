// The proof that a history is complete, and that it notices what is not as it was written.
#include "broker/replay/verify.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "broker/core/model/deadlines.hpp"
#include "broker/core/step.hpp"
#include "broker/record/history_row.hpp"
#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

VerifyReport verified(const std::string& path) {
  auto store = open_store(path, OpenMode::read_only);
  auto report = verify(*store);
  INFO((report ? "" : describe(report.error())));
  REQUIRE(report.has_value());
  return *report;
}

void require_whole(const std::string& path) {
  const VerifyReport report = verified(path);
  INFO((report.ok() ? "" : describe(*report.difference)));
  CHECK(report.ok());
  CHECK(report.events > 0);
}

/// A day of a lease: made, flipped, a restart, more flips.
std::string recorded_history(const TempDir& dir, int batch = 1) {
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path);
  recorded.batch = batch;
  recorded.begin();
  recorded.flip_to_and_fro(3);
  recorded.restart();
  recorded.connect();
  recorded.flip_to_and_fro(3);
  return path;
}

/// Changes the file as nobody should: past the triggers.
void tamper(const std::string& path, const std::string& sql) {
  SQLite::Database db(path, SQLite::OPEN_READWRITE);
  for (const char* name :
       {"event_is_final", "event_is_kept", "snapshot_is_final", "snapshot_is_kept"}) {
    db.exec(std::string("DROP TRIGGER IF EXISTS ") + name);
  }
  REQUIRE(db.exec(sql) >= 0);
  REQUIRE(db.getTotalChanges() > 0);
}

/// Makes every hash right again, as a forger would who knows how.
void chain_anew(const std::string& path) {
  SQLite::Database db(path, SQLite::OPEN_READWRITE);
  SQLite::Statement rows(db, std::string("SELECT ") + kEventColumns + " FROM event ORDER BY id");
  std::vector<std::pair<int64_t, Hash>> hashes;
  EventRow row;
  Hash previous{};
  while (rows.executeStep()) {
    read_row(rows, row);
    previous = chain_hash(previous, row);
    hashes.emplace_back(row.id, previous);
  }
  SQLite::Statement update(db, "UPDATE event SET hash = ? WHERE id = ?");
  for (const auto& [id, hash] : hashes) {
    update.bind(1, hash.data(), static_cast<int>(hash.size()));
    update.bind(2, id);
    update.exec();
    update.reset();
  }
}

void copy(const std::string& from, const std::string& to) {
  std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
}

}  // namespace

TEST_CASE("a history of flips and a restart computes again to the same records and ledger") {
  const TempDir dir;
  const std::string path = recorded_history(dir);
  require_whole(path);
  CHECK(verified(path).records > 20);
}

TEST_CASE("a batch of many events verifies like one of one") {
  const TempDir dir;
  require_whole(recorded_history(dir, 7));
}

TEST_CASE("a broker that was away over evaluations starts before any of them, and verifies") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path);
  recorded.begin();
  recorded.flip_to_and_fro(1);
  recorded.site.now = recorded.site.now + 5 * 600'000 + 7;
  recorded.restart();
  recorded.connect();
  recorded.flip_to_and_fro(2);
  require_whole(path);
}

TEST_CASE("an evaluation that changed nothing stays before the deadline that came after it") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  BrokerConfig config = one_pool(2, 4);
  config.reclaim_delay_ms = 12'000;
  for (ClusterConfig& cluster : config.clusters) cluster.reclaim_delay_ms = 12'000;
  RecordedSite recorded(path, config);
  recorded.begin();
  recorded.busy("east", 0);
  recorded.busy("west", 4);
  // Nobody answers any more: started, "inactive", "inactive" again (not recorded), failed.
  Site& site = recorded.site;
  int silent = 0;
  Tick tick;
  while (site.count(RecordKind::transfer_failed) == 0) {
    site.now = std::max(site.now, next_deadline(site.state));
    const bool changed = site.step(tick);
    silent += changed ? 0 : 1;
    tick.silent = changed ? Tick{}.silent : site.now;
  }
  CHECK(silent == 1);
  site.now = site.now + 100;
  site.settle();
  site.pass(60'000);
  require_whole(path);
}

TEST_CASE("an empty database verifies") {
  const TempDir dir;
  open_store(dir.file("broker.db"));
  CHECK(verified(dir.file("broker.db")).ok());
}

TEST_CASE("a running broker's history verifies from beside") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path);
  recorded.begin();
  recorded.flip_to_and_fro(2);
  require_whole(path);
}

TEST_CASE("a change of any column of any event is found") {
  const TempDir dir;
  const std::string path = recorded_history(dir);
  const auto last = verified(path).last_event;
  const std::string copied = dir.file("copy.db");
  const std::vector<std::string> changes{
      "id = id + 100000",
      "batch = batch + 1",
      "time_ms = time_ms + 1",
      "kind = kind || 'x'",
      "lease = lease || 'x'",
      "lease = CASE WHEN lease IS NULL THEN '' ELSE NULL END",
      "generation = ifnull(generation, 0) + 1",
      "epoch = ifnull(epoch, 0) + 1",
      "cluster = ifnull(cluster, '') || 'x'",
      "reason = CASE reason WHEN 'tie' THEN 'made' ELSE 'tie' END",
      "slots = CASE WHEN slots IS NULL THEN 0 ELSE NULL END",
      "slots = ifnull(slots, 0) + 1",
      "from_cluster = ifnull(from_cluster, '') || 'x'",
      "to_cluster = ifnull(to_cluster, '') || 'x'",
      "numbers = ifnull(numbers, '') || ' '",
      "by_whom = ifnull(by_whom, '') || 'x'",
      "payload = CAST(ifnull(payload, '') || 'x' AS BLOB)",
      "hash = randomblob(32)",
      "hash = x'00'"};
  for (int64_t id = 1; id <= last; id += 1 + last / 12) {
    for (const std::string& change : changes) {
      copy(path, copied);
      const std::string where = " WHERE id = " + std::to_string(id);
      const bool no_lease = change == "lease = lease || 'x'";
      tamper(copied, "UPDATE event SET " +
                         (no_lease ? "lease = ifnull(lease, '') || 'x'" : change) + where);
      CAPTURE(change, id);
      CHECK_FALSE(verified(copied).ok());
    }
    copy(path, copied);
    tamper(copied, "DELETE FROM event WHERE id = " + std::to_string(id));
    CHECK_FALSE(verified(copied).ok());
  }
}

TEST_CASE("the difference names the event and both sides") {
  const TempDir dir;
  const std::string path = recorded_history(dir);
  tamper(path, "UPDATE event SET time_ms = time_ms - 1 WHERE id = 5");
  const VerifyReport report = verified(path);
  REQUIRE(report.difference);
  CHECK(report.difference->event_id == 5);
  CHECK(describe(*report.difference).rfind("event 5: ", 0) == 0);
  CHECK(report.difference->recorded != report.difference->computed);
}

TEST_CASE("events cut off at the end are missed") {
  const TempDir dir;
  const std::string path = recorded_history(dir);
  const std::string last = std::to_string(verified(path).last_event);
  tamper(path, "DELETE FROM event WHERE id = " + last);
  CHECK_FALSE(verified(path).ok());
}

TEST_CASE("a ledger changed by hand is found") {
  const TempDir dir;
  const std::string path = recorded_history(dir);
  const std::vector<std::string> changes{
      "UPDATE holding SET held = held + 1 WHERE member = 0 AND host = 0",
      "UPDATE group_host SET in_transfer = in_transfer + 1",
      "UPDATE slot_group SET epoch = epoch + 1",
      "UPDATE slot_group SET phase = 'closed'",
      "UPDATE slot_group SET phase = 'nonsense'",
      "UPDATE member SET seq = seq + 1 WHERE number = 1",
      "UPDATE cluster SET seq = seq - 1 WHERE number = 0",
      "UPDATE host SET slots = slots + 1 WHERE number = 0",
      "UPDATE policy SET open = 1 - open",
      "UPDATE broker SET frozen = 1 - frozen",
      "UPDATE broker SET last_event = last_event + 1",
      "UPDATE configuration SET config = x'00'",
      "DELETE FROM holding WHERE member = 1",
      "DELETE FROM slot_group"};
  for (const std::string& change : changes) {
    const std::string copied = dir.file("copy.db");
    copy(path, copied);
    tamper(copied, change);
    CAPTURE(change);
    CHECK_FALSE(verified(copied).ok());
  }
}

TEST_CASE("a history with a forged input and a chain made anew does not compute to its records") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path);
  recorded.begin();
  // An input that the core gets, but whose records are left out.
  recorded.site.recorder = [&](const Event& event, std::span<const Record>) {
    recorded.store->append(event, recorded.site.now, {}, recorded.site.state);
  };
  recorded.flip_to_and_fro(1);
  recorded.commit();
  const VerifyReport report = verified(path);
  REQUIRE(report.difference);
  CHECK(report.difference->what == "record missing before it");
}

TEST_CASE("an input that was not recorded is missed") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path);
  recorded.begin();
  const auto record = recorded.site.recorder;
  int dropped = 0;
  recorded.site.recorder = [&](const Event& event, std::span<const Record> records) {
    if (std::holds_alternative<StateReported>(event) && dropped++ == 0) return;
    record(event, records);
  };
  recorded.flip_to_and_fro(2);
  CHECK(dropped > 0);
  CHECK_FALSE(verified(path).ok());
}

TEST_CASE("history of another core is refused with both versions") {
  const TempDir dir;
  const std::string path = recorded_history(dir);
  tamper(path, "UPDATE event SET numbers = '{\"core_version\":99}' WHERE id = 1");
  chain_anew(path);
  auto store = open_store(path, OpenMode::read_only);
  const auto report = verify(*store);
  REQUIRE_FALSE(report.has_value());
  CHECK(report.error().code == ErrorCode::version);
  CHECK(report.error().message.find("99") != std::string::npos);
}

TEST_CASE("a forged record is found although the chain was made anew") {
  const TempDir dir;
  const std::string path = recorded_history(dir);
  const std::vector<std::string> changes{"slots = slots + 1 WHERE kind = 'transfer-granted'",
                                         "epoch = epoch + 1 WHERE kind = 'flip'",
                                         "reason = 'tie' WHERE kind = 'flip'",
                                         "from_cluster = 'west' WHERE kind = 'transfer-started'",
                                         "to_cluster = NULL WHERE kind = 'transfer-started'",
                                         "numbers = '{}' WHERE kind = 'flip'",
                                         "kind = 'observed' WHERE kind = 'flip'",
                                         "lease = 'pool:east' WHERE kind = 'flip'",
                                         "generation = generation + 1 WHERE kind = 'flip'",
                                         "by_whom = 'eve' WHERE kind = 'config-loaded'",
                                         "cluster = 'north' WHERE kind = 'agent-up'",
                                         "cluster = 'north' WHERE kind = 'input-hello'"};
  for (const std::string& change : changes) {
    const std::string copied = dir.file("copy.db");
    copy(path, copied);
    tamper(copied, "UPDATE event SET " + change);
    chain_anew(copied);
    CAPTURE(change);
    const VerifyReport report = verified(copied);
    REQUIRE_FALSE(report.ok());
    CHECK(report.difference->what != "hash");
  }
}

TEST_CASE("history shortened by retention verifies from its snapshot, and a forged one does not") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  {
    RecordedSite recorded(path, one_pool(2, 4), OpenMode::broker,
                          StoreOptions{Retention{int64_t{24} * 3'600'000, 0}, {}, {}});
    recorded.begin();
    recorded.flip_to_and_fro(300);
  }
  require_whole(path);
  CHECK(verified(path).first_event > 1);
  for (const char* change :
       {"UPDATE snapshot SET state = CAST(state || 'x' AS BLOB)",
        "UPDATE snapshot SET previous_hash = randomblob(32)", "DELETE FROM snapshot",
        "UPDATE history_base SET event_id = event_id + 1"}) {
    const std::string copied = dir.file("copy.db");
    copy(path, copied);
    tamper(copied, change);
    CAPTURE(change);
    auto store = open_store(copied, OpenMode::read_only);
    const auto report = verify(*store);
    CHECK((!report.has_value() || !report->ok()));
  }
}
