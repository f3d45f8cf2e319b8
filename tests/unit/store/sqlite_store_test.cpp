// One writer on one file: load() reads what commit() accepted.
#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "broker/core/model/turn/derive.hpp"
#include "broker/record/state_bytes.hpp"
#include "broker/store/sqlite/store.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/support/state_digest.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {}  // namespace

TEST_CASE("a new database holds the empty state") {
  const TempDir dir;
  auto store = open_store(dir.file("broker.db"));
  const State state = load(*store);
  CHECK(state.slot_groups.empty());
  CHECK(state.clusters.empty());
  CHECK(state.now.ms == 0);
  CHECK(store->commit_number() == 0);
  CHECK_FALSE(store->database_older());
}

TEST_CASE("after every event the database holds the durable state that the core has") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  int compared = 0;
  const auto record = recorded.site.recorder;
  recorded.site.recorder = [&](const Event& event, std::span<const Record> records) {
    record(event, records);
    REQUIRE(state_digest(load(*recorded.store)) == state_digest(recorded.site.state));
    ++compared;
  };
  recorded.flip_to_and_fro(6);
  CHECK(compared > 10);
}

TEST_CASE("what work looks like is there for whoever reads the database beside the broker") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  const auto kept = [&] {
    State state = load(*recorded.store);
    return state.clusters[find_cluster(state, "west")];
  };
  CHECK_FALSE((kept().demand || kept().ending));
  StateReported shapes{"west", recorded.site.agent("west").session, 0, false, {}, 0};
  shapes.ending = wire::Ending{{{wire::TimeClass::day_1, 3}}, 20};
  recorded.site.step(shapes);
  recorded.commit();
  CHECK_FALSE(kept().demand);
  CHECK(kept().ending == shapes.ending);
  shapes.demand = wire::Demand{{4, 2, wire::TimeClass::hour_1, 10'000, 3, 24, {"LINUX64"}}};
  recorded.site.step(shapes);
  recorded.commit();
  CHECK(kept().demand == shapes.demand);
}

TEST_CASE("a commit clears the dirty marks and counts") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  CHECK(recorded.site.state.dirty_groups.empty());
  CHECK_FALSE(recorded.site.state.dirty_config);
  CHECK_FALSE(recorded.site.state.dirty_clusters);
  for (const SlotGroup& group : recorded.site.state.slot_groups) CHECK_FALSE(group.dirty);
  const int64_t number = recorded.store->commit_number();
  recorded.commit();  // nothing new
  CHECK(recorded.store->commit_number() == number);
}

TEST_CASE("the whole state, volatile parts too, goes through a snapshot unchanged") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  recorded.flip_to_and_fro(3);
  recorded.busy("east", 2);
  StateReported shapes{"west", recorded.site.agent("west").session, 24, false, {}, 0};
  shapes.demand = wire::Demand{{4, 2, wire::TimeClass::hour_1, 10'000, 3, 24, {"LINUX64"}}};
  shapes.ending = wire::Ending{{{wire::TimeClass::day_1, 3}}, 20};
  recorded.site.step(shapes);
  std::string first;
  encode_state(recorded.site.state, first);
  const auto read = decode_state(first);
  REQUIRE(read.has_value());
  std::string second;
  encode_state(*read, second);
  CHECK(first == second);
  for (const SlotGroup& group : recorded.site.state.slot_groups) {
    const uint32_t same = find_slot_group(*read, group.generation);
    CHECK(totals_of(*read, read->slot_groups[same]) == totals_of(recorded.site.state, group));
  }
  CHECK(read->clusters[find_cluster(*read, "west")].demand == shapes.demand);
  CHECK(read->clusters[find_cluster(*read, "west")].ending == shapes.ending);
  CHECK_FALSE(decode_state(first.substr(0, first.size() - 1)).has_value());
}

TEST_CASE("a second broker on the same database is refused, and not once the first has ended") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  auto first = open_store(path);
  const auto second = SqliteStore::open(path, OpenMode::broker);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == ErrorCode::refused);
  CHECK(second.error().message.find("another broker") != std::string::npos);
  first.reset();
  CHECK(SqliteStore::open(path, OpenMode::broker).has_value());
}

TEST_CASE("a reader sees each commit of a running broker") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path);
  recorded.begin();
  auto read = reader(path);
  CHECK(state_digest(load(*read)) == state_digest(recorded.site.state));
  recorded.flip_to_and_fro(2);
  CHECK(state_digest(load(*read)) == state_digest(recorded.site.state));
}

TEST_CASE("a database in a folder that cannot be written is read all the same") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  {
    RecordedSite recorded(path);
    recorded.begin();
  }
  std::filesystem::permissions(
      dir.file(""), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  auto read = reader(path);
  CHECK(load(*read).slot_groups.size() == 1);
  std::filesystem::permissions(dir.file(""), std::filesystem::perms::owner_all);
}

TEST_CASE("an older copy put in the database's place is noticed") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  {
    RecordedSite recorded(path);
    recorded.begin();
    copy_to(*recorded.store, dir.file("older.db"));
    recorded.flip_to_and_fro(1);
  }
  CHECK_FALSE(open_store(path)->database_older());
  std::filesystem::remove(path + "-wal");
  std::filesystem::remove(path + "-shm");
  std::filesystem::rename(dir.file("older.db"), path);
  CHECK(open_store(path)->database_older());
  {
    RecordedSite recorded(path);
    recorded.start();  // tells the core, and goes on from here
    CHECK(recorded.site.history.front().reason == Reason::database_older);
  }
  CHECK_FALSE(open_store(path)->database_older());
}

TEST_CASE("a file beside the database that is not ours is an error that names it") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  open_store(path);
  SQLite::Database(path + ".commit-other", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  FILE* file = std::fopen((path + ".commit").c_str(), "w");
  REQUIRE(file != nullptr);
  std::fputs("not a number\n", file);
  std::fclose(file);
  const auto refused = SqliteStore::open(path, OpenMode::broker);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message.find(path + ".commit") != std::string::npos);
}

TEST_CASE("a simulation writes a new file only") {
  const TempDir dir;
  const std::string path = dir.file("run.db");
  {
    RecordedSite recorded(path, one_pool(2, 4), OpenMode::create_for_simulation);
    recorded.begin();
  }
  CHECK(load(*reader(path)).slot_groups.size() == 1);
  CHECK_FALSE(std::filesystem::exists(path + ".lock"));
  const auto refused = SqliteStore::open(path, OpenMode::create_for_simulation);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::refused);
}

TEST_CASE("two equal runs give the same log and bases, byte for byte") {
  const TempDir dir;
  const auto run = [&dir](const std::string& name) {
    {
      RecordedSite recorded(dir.file(name), one_pool(2, 4), OpenMode::create_for_simulation,
                            StoreOptions{Retention{4 * 3'600'000, 0}, {}, {}});
      recorded.begin();
      recorded.flip_to_and_fro(60);
    }
    std::string all;
    SQLite::Database db(dir.file(name));
    for (const char* table : {"log", "base"}) {
      SQLite::Statement rows(db, std::string("SELECT * FROM ") + table);
      while (rows.executeStep()) {
        for (int i = 0; i < rows.getColumnCount(); ++i) {
          const SQLite::Column column = rows.getColumn(i);
          const auto* bytes = static_cast<const char*>(column.getBlob());
          all.append(bytes ? bytes : "", static_cast<size_t>(column.getBytes())) += '|';
        }
      }
    }
    return all;
  };
  const std::string first = run("a.db");
  CHECK(first.size() > 10'000);
  CHECK(first == run("b.db"));
}

TEST_CASE("a database elsewhere than in a file is refused with what would be right") {
  const auto refused = SqliteStore::open("postgresql://host/db", OpenMode::broker);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::usage);
  CHECK(refused.error().message.find("only a file will do here") != std::string::npos);
}
