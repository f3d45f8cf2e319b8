// The proof that a history is complete, and that changes of it are found.
#include "broker/replay/verify.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/step.hpp"
#include "common/version.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/support/tampered_log.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

VerifyReport verified(const std::string& path) {
  auto store = reader(path);
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

/// Records a day of a lease: it is made and flipped, the broker restarts, and it flips again.
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
  // From here nobody answers: started, "inactive", "inactive" again (not recorded), failed.
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
  site.run_until_idle();
  site.pass(60'000);
  require_whole(path);
}

TEST_CASE("an operator who is called like an event starts no broker in what follows the log") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path);
  recorded.begin();
  recorded.flip_to_and_fro(1);
  OperatorCommand freeze;
  freeze.command = Command::freeze;
  freeze.by = "input-broker-started";
  REQUIRE(recorded.site.step(freeze));
  recorded.commit();
  require_whole(path);
}

TEST_CASE("a freeze for later verifies, before it begins, while it lasts and when it is over") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path);
  recorded.begin();
  recorded.flip_to_and_fro(1);
  OperatorCommand freeze;
  freeze.by = "ana";
  freeze.from = recorded.site.now + 60'000;
  freeze.until = recorded.site.now + 120'000;
  recorded.site.step(freeze);
  const bool frozen[] = {false, true, false};
  for (const bool now : frozen) {
    recorded.commit();
    CHECK(recorded.site.state.frozen == now);
    require_whole(path);
    recorded.site.pass(60'000);
  }
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

TEST_CASE("a change of any column of any commit is found") {
  const TempDir dir;
  const std::string path = recorded_history(dir);
  const std::string copied = dir.file("copy.db");
  SQLite::Database db(path, SQLite::OPEN_READONLY);
  const int64_t rows = db.execAndGet("SELECT count(*) FROM log").getInt64();
  REQUIRE(rows > 20);
  for (int64_t skip = 0; skip < rows; skip += 1 + rows / 12) {
    const std::string where =
        " WHERE first_event = (SELECT first_event FROM log ORDER BY "
        "first_event LIMIT 1 OFFSET " +
        std::to_string(skip) + ")";
    for (const char* change :
         {"first_event = first_event + 100000", "batch = batch + 1", "time_ms = time_ms + 1",
          "clock_set = 1 - clock_set", "core_version = core_version + 1", "epoch = epoch + 1",
          "body = CAST(body || 'x' AS BLOB)", "body = zeroblob(length(body))",
          "body = CAST(substr(body, 1, length(body) - 1) AS BLOB)", "body = x''",
          "hash = randomblob(32)", "hash = x'00'"}) {
      copy(path, copied);
      tamper(copied, std::string("UPDATE log SET ") + change + where);
      CAPTURE(change, skip);
      CHECK_FALSE(verified(copied).ok());
    }
    copy(path, copied);
    tamper(copied, "DELETE FROM log" + where);
    CHECK((skip == rows - 1 || !verified(copied).ok()));
  }
}

TEST_CASE("the difference names the event and both sides") {
  const TempDir dir;
  const std::string path = recorded_history(dir);
  tamper(path, "UPDATE log SET epoch = 1 WHERE first_event <= 5");
  const VerifyReport report = verified(path);
  REQUIRE(report.difference);
  CHECK(report.difference->event_id == 1);
  CHECK(describe(*report.difference).rfind("event 1: ", 0) == 0);
  CHECK(report.difference->recorded != report.difference->computed);
}

TEST_CASE("commits cut off at the end are missed where the file beside the log tells of them") {
  const TempDir dir;
  const std::string path = recorded_history(dir);
  tamper(path, "DELETE FROM log WHERE first_event = (SELECT max(first_event) FROM log)");
  const VerifyReport report = verified(path);
  REQUIRE(report.difference);
  CHECK(report.difference->what == "last commit");
}

TEST_CASE("an image that was forged or left out is found although the chain was made anew") {
  const TempDir dir;
  const std::string path = recorded_history(dir);
  using Json = nlohmann::json;
  // These are positions of an image's parts and of a slot group's fields:
  // broker/record/images/images.cpp and state_fields.hpp.
  constexpr size_t kGroups = 8;
  const auto forged = [&](const std::function<bool(Json&)>& change) {
    const std::string copied = dir.file("copy.db");
    copy(path, copied);
    bool done = false;
    forge_rows(copied, [&](LogRow& row) {
      Json body = Json::from_msgpack(row.body);
      Json images = Json::from_msgpack(body[3].get_binary());
      if (done || images[kGroups].empty() || !change(images)) return;
      done = true;
      body[3] = Json::binary(Json::to_msgpack(images));
      const auto packed = Json::to_msgpack(body);
      row.body.assign(packed.begin(), packed.end());
    });
    REQUIRE(done);
    return verified(copied);
  };
  const VerifyReport left_out = forged([](Json& images) {
    images[kGroups].erase(0);
    return true;
  });
  REQUIRE(left_out.difference);
  const VerifyReport epoch = forged([](Json& images) {
    Json& group = images[kGroups][0][1];
    group[4] = group[4].get<int64_t>() + 1;
    return true;
  });
  REQUIRE(epoch.difference);
  CHECK(epoch.difference->what.rfind("what it changed: epoch", 0) == 0);
}

TEST_CASE("a history with a forged input and a chain made anew does not compute to its records") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path);
  recorded.begin();
  // The core is given an input whose records are left out.
  recorded.site.recorder = [&](const Event& event, std::span<const Record>) {
    recorded.store->append(event, recorded.site.now, {}, recorded.site.state);
  };
  recorded.flip_to_and_fro(1);
  recorded.commit();
  const VerifyReport report = verified(path);
  REQUIRE(report.difference);
  CHECK(report.difference->what == "record missing before it");
}

TEST_CASE("an input that was put into a history and names no cluster that is known is told") {
  AgentHello hello;
  hello.cluster = "nobody";
  AgentLost lost;
  lost.cluster = "nobody";
  InventoryReported inventory;
  inventory.cluster = "nobody";
  InventoryChanged changed;
  changed.cluster = "nobody";
  StateReported state;
  state.cluster = "nobody";
  OperatorCommand drain;
  drain.command = Command::drain;
  drain.cluster = "nobody";
  for (const Event& event : std::vector<Event>{
           hello, lost, inventory, changed, state, drain, RecordedLater{"nobody"},
           CopyRefused{"nobody", {}}, WorkEnded{"nobody", {}}, SlotsUsed{"nobody", 1, {}}}) {
    const TempDir dir;
    const std::string path = dir.file("broker.db");
    RecordedSite recorded(path);
    recorded.begin();
    recorded.store->append(event, recorded.site.now, {}, recorded.site.state);
    recorded.commit();
    CAPTURE(event.index());
    const VerifyReport report = verified(path);
    REQUIRE(report.difference);
    CHECK(report.difference->what == "cluster");
    CHECK(report.difference->recorded == "nobody");
  }
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

TEST_CASE("what another core decided is named and followed, not judged") {
  const TempDir dir;
  const std::string path = recorded_history(dir);
  const VerifyReport whole = verified(path);
  int starts = 0;
  int64_t last = 0;
  forge_rows(path, [&](LogRow& row) {  // the first process was another program's
    const LogBody body = LogBody::read(row).value();
    if (body.names("input-broker-started")) ++starts;
    if (starts > 1) return;
    row.core_version = kCoreVersion + 93;
    last = row.first_event + body.events() - 1;
  });
  REQUIRE(starts == 2);
  const VerifyReport report = verified(path);
  INFO((report.ok() ? "" : describe(*report.difference)));
  CHECK(report.ok());
  REQUIRE(report.not_judged.size() == 1);
  CHECK(report.not_judged[0].core_version == kCoreVersion + 93);
  CHECK(report.not_judged[0].first_event == 1);
  CHECK(report.not_judged[0].last_event == last);
  CHECK(report.events == whole.events);
  CHECK(report.judged() == whole.events - last);
  CHECK(whole.judged() == whole.events);
  CHECK(report.inputs < whole.inputs);
  CHECK(report.inputs > 0);
}

TEST_CASE("a forged record is found although the chain was made anew") {
  const TempDir dir;
  const std::string path = recorded_history(dir);
  using Json = nlohmann::json;
  using F = ForgedBody;
  struct Forgery {
    const char* kind;
    std::function<void(F&, Json&)> change;
  };
  const auto text = [](F::Field field, const char* to) {
    return [=](F& body, Json& event) { event[field] = body.place(to); };
  };
  const auto more = [](F::Field field) {
    return [=](F&, Json& event) { event[field] = event[field].get<int64_t>() + 1; };
  };
  const std::vector<Forgery> forgeries{
      {"transfer-granted", more(F::slots)},
      {"flip", more(F::epoch)},
      {"flip", more(F::generation)},
      {"flip", more(F::time)},
      {"flip", text(F::reason, "tie")},
      {"flip", text(F::kind, "observed")},
      {"flip", text(F::lease, "pool:east")},
      {"flip", [](F&, Json& event) { event[F::numbers] = Json::array(); }},
      {"transfer-started", text(F::from, "west")},
      {"transfer-started", [](F&, Json& event) { event[F::to] = nullptr; }},
      {"config-loaded", text(F::by, "eve")},
      {"agent-up", text(F::cluster, "north")},
      {"input-hello", text(F::cluster, "north")}};
  for (size_t i = 0; i < forgeries.size(); ++i) {
    const std::string copied = dir.file("copy.db");
    copy(path, copied);
    forge_events(copied, forgeries[i].kind, forgeries[i].change);
    CAPTURE(i, forgeries[i].kind);
    const VerifyReport report = verified(copied);
    REQUIRE_FALSE(report.ok());
    CHECK(report.difference->what != "log");
  }
}

TEST_CASE("history shortened by retention verifies from its base, and a forged one does not") {
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
       {"UPDATE base SET body = CAST(body || 'x' AS BLOB)", "UPDATE base SET hash = randomblob(32)",
        "UPDATE base SET body = CAST(body || 'x' AS BLOB) WHERE part = 1", "DELETE FROM base",
        "DELETE FROM base WHERE part = 1", "UPDATE base SET last_event = last_event + 1"}) {
    const std::string copied = dir.file("copy.db");
    copy(path, copied);
    tamper(copied, change);
    CAPTURE(change);
    auto store = reader(copied);
    const auto report = verify(*store);
    CHECK((!report.has_value() || !report->ok()));
  }
}
