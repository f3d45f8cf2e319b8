#include "agent/io/state/state_file.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/time/clock.hpp"
#include "tests/support/pipes.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

StateFile open(const std::string& path) {
  auto file = StateFile::open(path);
  REQUIRE(file);
  return std::move(*file);
}

GroupLimits group(uint64_t generation) {
  GroupLimits made;
  made.generation = generation;
  made.role = wire::Role::consumer;
  made.seq = UINT64_MAX - 1;
  made.ever_used = true;
  made.grace_ms = 30'000;
  made.hosts.resize(3);
  made.hosts[0].limit = 4;
  made.hosts[2].limit = 2;
  made.hosts[2].exported = 3;
  made.hosts[2].lowering = OpenLowering{wire::Lowering::reclaim, 1};
  return made;
}

TEST_CASE("the agent's state survives a restart") {
  const Scratch scratch;
  const std::string path = scratch.file("agent.db");
  uint64_t state_id = 0;
  {
    StateFile file = open(path);
    const auto fresh = file.load();
    REQUIRE(fresh);
    CHECK(fresh->lost);
    state_id = fresh->state_id;
    CHECK(state_id != 0);
    CHECK(file.next_boot({}) == 1u);
    wire::Configuration configuration;
    configuration.number = 4;
    configuration.groups.resize(2);
    configuration.groups[1].generation = 9;
    configuration.groups[1].hosts.push_back({"big1", 4, true});
    REQUIRE(file.save(configuration, {group(9), group(8)}, {}));
    REQUIRE(file.save(configuration, {}, {8}));
  }
  StateFile file = open(path);
  CHECK(file.next_boot({}) == 2u);
  CHECK(file.next_boot({}) == 3u);
  const auto saved = file.load();
  REQUIRE(saved);
  CHECK_FALSE(saved->lost);
  CHECK(saved->state_id == state_id);
  CHECK(saved->configuration.groups[1].hosts[0].name == "big1");
  CHECK(saved->limits == std::vector<GroupLimits>{group(9)});
}

TEST_CASE("rule 12: the leadership seen is kept with the boot counter, until it is forgotten") {
  const Scratch scratch;
  const std::string path = scratch.file("agent.db");
  const Leadership seen{uint64_t{1} << 53, UINT64_MAX - 1};
  {
    StateFile file = open(path);
    CHECK(file.load()->seen == Leadership{});
    REQUIRE(file.next_boot(seen));
  }
  CHECK(StateFile::open(path, true)->load()->seen == seen);
  {
    StateFile file = open(path);
    CHECK(file.load()->seen == seen);
    REQUIRE(file.forget_seen());
  }
  CHECK(open(path).load()->seen == Leadership{});
  CHECK(open(path).next_boot({}) == 2u);  // it counts on
}

TEST_CASE("a group that is saved again replaces what was there") {
  const Scratch scratch;
  StateFile file = open(scratch.file("agent.db"));
  REQUIRE(file.save(wire::Configuration{}, {group(9)}, {}));
  GroupLimits changed = group(9);
  changed.hosts[2].lowering.reset();
  changed.seq = 3;
  REQUIRE(file.save(changed));
  CHECK(file.load()->limits == std::vector<GroupLimits>{changed});
}

TEST_CASE("a state file is open in one agent at a time") {
  const Scratch scratch;
  const StateFile first = open(scratch.file("agent.db"));
  const auto second = StateFile::open(scratch.file("agent.db"));
  REQUIRE_FALSE(second);
  CHECK(second.error().message.find("another agent") != std::string::npos);
}

TEST_CASE("reclaims that are under way are found again, as the last call said") {
  const Scratch scratch;
  const std::string path = scratch.file("agent.db");
  const SavedVictim one{"12", {5}, 30'000, 20'000, 1'000, true, false};
  const SavedVictim two{"7", {6}, 0, -500, 1'000, false, true};
  {
    StateFile file = open(path);
    REQUIRE(file.save_reclaims({one, two}));
    CHECK(file.load()->reclaims == std::vector<SavedVictim>{one, two});
    REQUIRE(file.save_reclaims({two}));
  }
  const auto again = open(path).load();
  REQUIRE(again);
  CHECK(again->reclaims == std::vector<SavedVictim>{two});
  CHECK(again->reclaims_boot == machine_time().boot_id());
}

TEST_CASE(
    "what became of work that had to end is kept until it is said, and what is not known yet") {
  const Scratch scratch;
  const std::string path = scratch.file("agent.db");
  SavedFates fates;
  fates.asked = {
      {"12", "9_3", {5}, 7, Reason::reclaim_owned, 2, "ann", 1'000, true, {}, "user ann", "p"},
      {"13", "", {6}, 0, Reason::preempted, 1, "", 2'000, false}};
  fates.ended = {
      {4, "11", wire::Fate::failed, 7, Reason::none, 1, 10, 20, 3, "bob", "account p", "p"},
      {5, "14", wire::Fate::ended_well, 0, Reason::none, 1, 10, 30, -1, ""}};
  fates.last_number = 5;
  {
    StateFile file = open(path);
    CHECK(file.load()->fates == SavedFates{});
    REQUIRE(file.save_fates({{fates.asked}, {}, 3}));
    REQUIRE(file.save_fates(fates));
  }
  CHECK(StateFile::open(path, true)->load()->fates == fates);
  CHECK(open(path).load()->fates == fates);
}

TEST_CASE("whose work used borrowed slots is kept, what is closed only where it is asked for") {
  const Scratch scratch;
  const std::string path = scratch.file("agent.db");
  SavedUsage usage;
  usage.open = {{7, 3'600'000, 60'000, 3, 180'000, {{{"user ann", "ann", "p"}, 120'000}}},
                {UINT64_MAX, 7'200'000, 0, 1, 0, {}}};
  usage.closed = {
      {4, 7, 0, 3'600'000, {{"user bob", "bob", "", 9}, {"user ann", "ann", "p", 5}}, 1, 0},
      {5, 8, 0, 3'600'000, {}, 0, 17}};
  usage.last_number = 5;
  usage.saved_ms = 3'660'000;
  usage.listed_at = Instant{3'659'000};
  {
    StateFile file = open(path);
    CHECK(file.load()->usage == SavedUsage{});
    REQUIRE(file.save_usage(usage, true));
    SavedUsage without = usage;
    without.closed.clear();
    REQUIRE(file.save_usage(without, false));
  }
  std::sort(usage.open.begin(), usage.open.end(), [](const OpenUsage& a, const OpenUsage& b) {
    return static_cast<int64_t>(a.generation) < static_cast<int64_t>(b.generation);
  });
  CHECK(StateFile::open(path, true)->load()->usage == usage);
  CHECK(open(path).load()->usage == usage);
}

TEST_CASE("for what work others were preempted is kept, with how long it waits") {
  const Scratch scratch;
  const std::string path = scratch.file("agent.db");
  const SavedServed narrow{{"user ann", 1}, {5}, 60'000, 40'000, 1'000};
  const SavedServed wide{{"user ann", 8, 4, 2, true}, {6}, 120'000, -3, 1'000};
  {
    StateFile file = open(path);
    CHECK(file.load()->served.empty());
    REQUIRE(file.save_served({wide}));
    REQUIRE(file.save_served({narrow, wide}));
  }
  const auto again = StateFile::open(path, true)->load();
  REQUIRE(again);
  CHECK(again->served == std::vector<SavedServed>{narrow, wide});
  CHECK(again->served_boot == machine_time().boot_id());
}

TEST_CASE("which hosts were to be switched on is kept, with when they are tried again") {
  const Scratch scratch;
  const std::string path = scratch.file("agent.db");
  const std::vector<SavedWake> wakes{{"p1", 300'000, 1'000}, {"p2", 600'000, 2'000}};
  REQUIRE(open(path).save_wakes({{"p3", 300'000, 1'000}}));
  REQUIRE(open(path).save_wakes(wakes));
  const auto again = StateFile::open(path, true)->load();
  REQUIRE(again);
  CHECK(again->wakes == wakes);
  CHECK(again->wakes_boot == machine_time().boot_id());
}

TEST_CASE("a state file of the first version goes on, with all that is in it") {
  const Scratch scratch;
  const std::string path = scratch.file("agent.db");
  uint64_t state_id = 0;
  {
    StateFile file = open(path);
    REQUIRE(file.save(group(3)));
    wire::Configuration configuration;
    REQUIRE(file.save(configuration, {}, {}));
    state_id = file.load()->state_id;
  }
  {
    SQLite::Database db(path, SQLite::OPEN_READWRITE);
    db.exec(
        "drop table served_shape; drop table woken_host;"
        "drop table usage_open; drop table usage_open_by; drop table usage_closed;"
        "drop table usage_closed_by; alter table agent drop column usage_number;"
        "alter table agent drop column usage_saved_ms;"
        "alter table agent drop column usage_listed_ms;"
        "drop table asked_work; drop table ended_work; alter table agent drop column last_ended;"
        "drop table reclaim; drop table reclaim_set; drop table reclaim_set_host;"
        "alter table host_limit drop column lowering_whole;"
        "alter table agent drop column seen_epoch; alter table agent drop column seen_incarnation;"
        "pragma user_version = 1");
  }
  CHECK(StateFile::open(path, true)->load()->limits == std::vector<GroupLimits>{group(3)});
  const auto migrated = open(path).load();
  REQUIRE(migrated);
  CHECK(migrated->state_id == state_id);
  CHECK(migrated->limits == std::vector<GroupLimits>{group(3)});
  CHECK(migrated->reclaims.empty());
  CHECK(migrated->sets.empty());
  CHECK(migrated->seen == Leadership{});
  CHECK(migrated->served.empty());
  CHECK(migrated->usage == SavedUsage{});
}

TEST_CASE("sets of hosts are found again, and those that took their place") {
  const Scratch scratch;
  const std::string path = scratch.file("agent.db");
  const HeldSet first{7, 5, {9, 60'000, false, {{3, 1}, {3, 0}, {4, 2}}}};
  const HeldSet second{7, 4, {0, 0, true, {{4, 0}}}};
  GroupLimits whole = group(3);
  whole.hosts[0].lowering = OpenLowering{wire::Lowering::reclaim, 0, true};
  {
    StateFile file = open(path);
    REQUIRE(file.save(wire::Configuration{}, {}, {}));
    REQUIRE(file.save(whole));
    REQUIRE(file.save_sets({first, second}));
    CHECK(file.load()->sets == std::vector<HeldSet>{first, second});
    REQUIRE(file.save_sets({second}));
  }
  const auto again = open(path).load();
  REQUIRE(again);
  CHECK(again->sets == std::vector<HeldSet>{second});
  CHECK(again->limits == std::vector<GroupLimits>{whole});
}

TEST_CASE("a state file that is no database or of a newer version is refused") {
  const Scratch scratch;
  std::ofstream(scratch.file("text.db")) << std::string(5'000, 'x');
  CHECK(StateFile::open(scratch.file("text.db")).error().code == ErrorCode::io);
  { open(scratch.file("newer.db")); }
  {
    SQLite::Database db(scratch.file("newer.db"), SQLite::OPEN_READWRITE);
    db.exec("pragma user_version = 99");
  }
  CHECK(StateFile::open(scratch.file("newer.db")).error().code == ErrorCode::version);
  CHECK_FALSE(StateFile::open(scratch.file("no/such/folder.db")));
}

TEST_CASE("a state file that is a pipe or a folder is refused at once") {
  const Scratch scratch;
  const std::string pipe = leasehold::test::make_pipe(scratch.file("pipe.db"));
  std::filesystem::create_directory(scratch.file("folder.db"));
  for (const bool read_only : {false, true}) {
    CHECK(StateFile::open(pipe, read_only).error().message ==
          pipe + " is a pipe: a regular file is wanted");
    CHECK_THAT(StateFile::open(scratch.file("folder.db"), read_only).error().message,
               Catch::Contains("is a folder"));
  }
}

}  // namespace
}  // namespace leasehold::agent
