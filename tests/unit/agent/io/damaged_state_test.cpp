// The agent's state, forged or damaged: it is refused by the name of its field, or what it says is
// safe. Nothing of it ends the agent.
#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <random>

#include "agent/core/limits/book_use.hpp"
#include "agent/io/state/state_file.hpp"
#include "tests/unit/agent/core/limits/made_groups.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

wire::ConfiguredGroup configured(uint64_t generation, wire::Role role) {
  wire::ConfiguredGroup made;
  made.generation = generation;
  made.role = role;
  made.lease = "compute:/A";
  made.peer = "west";
  made.hosts = {{"big1", 4, true}, {"big2", 4, true}};
  return made;
}

GroupLimits limits(uint64_t generation, wire::Role role) {
  GroupLimits made;
  made.generation = generation;
  made.role = role;
  made.seq = 4;
  made.ever_used = true;
  made.grace_ms = 30'000;
  made.hosts.resize(2);
  made.hosts[0].limit = 2;
  made.hosts[0].exported = role == wire::Role::provider ? 4 : 0;
  made.hosts[1].limit = 1;
  made.hosts[1].exported = made.hosts[0].exported;
  made.hosts[1].lowering = OpenLowering{wire::Lowering::reclaim, 1, true};
  return made;
}

/// A state with a row in each table.
struct DamagedState {
  DamagedState() {
    auto file = StateFile::open(path);
    REQUIRE(file);
    wire::Configuration configuration;
    configuration.session = 7;
    configuration.number = 1;
    configuration.groups = {configured(8, wire::Role::provider),
                            configured(9, wire::Role::consumer)};
    REQUIRE(file->save(configuration,
                       {limits(8, wire::Role::provider), limits(9, wire::Role::consumer)}, {}));
    REQUIRE(file->save_reclaims({{"12", {5}, 30'000, 20'000, 1'000, true, false}}));
    REQUIRE(file->save_sets({{4, 2, {1, 60'000, false, {{9, 0}, {9, 1}}}}}));
    SavedFates fates;
    fates.asked = {{"12", "9_3", {5}, 9, Reason::reclaim_owned, 2, "ann", 1'000, true, 0}};
    fates.ended = {{4, "11", wire::Fate::failed, 9, Reason::none, 1, 10, 20, 3, "bob"}};
    fates.last_number = 4;
    REQUIRE(file->save_fates(fates));
    REQUIRE(file->save_wakes({{"big1", 300'000, 1'000}}));
    SavedUsage usage;
    usage.open = {{9, 3'600'000, 60'000, 3, 180'000, {{{"user ann", "ann", "p"}, 120'000}}}};
    usage.closed = {{4, 9, 0, 3'600'000, {{"user bob", "bob", "", 9}}, 1, 0}};
    REQUIRE(file->save_usage(usage, true));
    REQUIRE(file->save_served({{{"user ann", 8, 4, 2, true}, {6}, 120'000, -3, 1'000}}));
  }
  void change(const std::string& sql) const {
    SQLite::Database(path, SQLite::OPEN_READWRITE).exec(sql);
  }
  Result<SavedState> load(bool read_only = false) const {
    auto file = StateFile::open(path, read_only);
    if (!file) return tl::unexpected(file.error());
    return file->load();
  }

  Scratch folder;
  std::string path = folder.file("agent.db");
};

struct Forged {
  const char* sql;
  const char* field;
};

constexpr const char* kEndless = "9223372036854775807";

const Forged kForged[] = {
    {"update host_limit set host = 4294967295 where host = 1", "host_limit.host"},
    {"update host_limit set host = -1 where host = 1", "host_limit.host"},
    {"delete from host_limit where generation = 8 and host = 0", "host_limit.host"},
    {"delete from host_limit where generation = 8 and host = 1", "group 8"},
    {"update host_limit set slots_limit = -5", "host_limit.slots_limit"},
    {"update host_limit set slots_limit = 2000000001", "host_limit.slots_limit"},
    {"update host_limit set slots_limit = 1999999999", "the sum of"},
    {"update host_limit set slots_exported = 4294967300", "host_limit.slots_exported"},
    {"update host_limit set slots_exported = 999999999", "the sum of"},
    {"update host_limit set lowering = 3 where host = 1", "host_limit.lowering"},
    {"update host_limit set lowering_target = -1 where host = 1", "host_limit.lowering_target"},
    {"update group_limit set role = 2", "group_limit.role"},
    {"update group_limit set grace_ms = -1", "group_limit.grace_ms"},
    {"update agent set boot = 9223372036854775807", "agent.boot"},
    {"update agent set configuration = x'c1'", "configuration"},
    {"update agent set configuration = x''", "configuration"},
    {"delete from agent", "the table agent is empty"},
    {"update reclaim set grace_ms = 9223372036854775806", "reclaim.grace_ms"},
    {"update reclaim set left_ms = -9223372036854775807", "reclaim.left_ms"},
    {"update reclaim set at_ms = 9223372036854775807", "reclaim.at_ms"},
    {"update reclaim_set_host set place = 3 where place = 0", "reclaim_set_host.place"},
    {"update reclaim_set_host set host = 4294967296 where place = 0", "reclaim_set_host.host"},
    {"update reclaim_set_host set host = 1", "reclaim_set_host.host"},
    {"update reclaim_set set slots_sum = -1", "reclaim_set.slots_sum"},
    {"update reclaim_set set to_return = 9223372036854775807", "reclaim_set.to_return"},
    {"update reclaim_set set grace_ms = 9223372036854775807", "reclaim_set.grace_ms"},
    {"update asked_work set slots = -7", "asked_work.slots"},
    {"update asked_work set told_ms = -9223372036854775807", "asked_work.told_ms"},
    {"update ended_work set slots = 4294967296", "ended_work.slots"},
    {"update ended_work set exit_code = 4294967296", "ended_work.exit_code"},
    {"update ended_work set ended_ms = 9223372036854775807", "ended_work.ended_ms"},
    {"update agent set last_ended = -1", "agent.last_ended"},
    {"update served_shape set wait_ms = 9223372036854775807", "served_shape.wait_ms"},
    {"update served_shape set left_ms = 9223372036854775807", "served_shape.left_ms"},
    {"update served_shape set at_ms = -9223372036854775807", "served_shape.at_ms"},
    {"update served_shape set since_ms = -9223372036854775807", "served_shape.since_ms"},
    {"update served_shape set slots = -1", "served_shape.slots"},
    {"update woken_host set wait_ms = -1", "woken_host.wait_ms"},
    {"update woken_host set at_ms = 9223372036854775807", "woken_host.at_ms"},
    {"update usage_open set since_ms = -1", "usage_open.since_ms"},
    {"update usage_open set counted_ms = 9223372036854775807", "usage_open.counted_ms"},
    {"update usage_open_by set slot_ms = 9223372036854775807", "usage_open_by.slot_ms"},
    {"update usage_closed set until_ms = 9223372036854775807", "usage_closed.until_ms"},
    {"update usage_closed set others_slot_ms = -1", "usage_closed.others_slot_ms"},
    {"update usage_closed_by set slot_ms = -1", "usage_closed_by.slot_ms"},
    {"update agent set usage_number = -1", "agent.usage_number"},
    {"drop table host_limit", "host_limit"},
    {"pragma user_version = -1", "version -1"},
};

TEST_CASE("a number in the agent's state that cannot be right ended the agent") {
  const auto [sql, field] = GENERATE(from_range(std::begin(kForged), std::end(kForged)));
  INFO(sql);
  const DamagedState state;
  state.change(sql);
  for (const bool read_only : {true, false}) {
    const Result<SavedState> loaded = state.load(read_only);
    REQUIRE_FALSE(loaded);
    const std::string message = describe(loaded.error());
    CHECK_THAT(message, Catch::Contains(field));
    CHECK_THAT(message, Catch::StartsWith(state.path));
  }
}

TEST_CASE("times without an end are read back from the agent's state") {
  const DamagedState state;
  state.change(std::string("update reclaim set grace_ms = ") + kEndless +
               ", left_ms = " + kEndless);
  const Result<SavedState> loaded = state.load();
  REQUIRE(loaded);
  CHECK(loaded->reclaims.at(0).left_ms == INT64_MAX);
}

/// Does with a state what a start does.
void start_with(const SavedState& state) {
  const std::vector<wire::HostFacts> own{facts("big1", 8), facts("big2", 8)};
  Book book(HostNames{});
  if (!state.lost) book.restore(state.configuration, state.limits, own);
  book.adopt_fences({{"big1", false, 6, 4, 0, 0, {{8, 0, 2, 4}}, 0}});
  View view;
  view.hosts = own;
  ReclaimSets sets;
  sets.restore(state.sets);
  sets.drop_ended(book, {});
  sets.withhold(book);
  freeze_differing(book, view, state.lost);
  for (const HostCap& cap : caps_of(book, own)) CHECK(cap.slots >= 0);
  CHECK(use_of(book, view).size() == book.groups().size());
  ReclaimTimeline::restored(state.reclaims, true, 1'000).save(2'000);
  Served::restored(state.served, true, 1'000).save(2'000);
}

TEST_CASE("bytes that were turned over in the agent's state end nothing") {
  constexpr int kTrials = 300;
  const DamagedState state;
  std::string good;
  {
    state.change("pragma wal_checkpoint(truncate)");
    std::ifstream file(state.path, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(file), {});
  }
  std::vector<size_t> filled;  // much of a database is room
  for (size_t at = 0; at < good.size(); ++at) {
    if (good[at] != 0) filled.push_back(at);
  }
  std::mt19937 random(20'261'128);
  const std::string path = state.folder.file("turned.db");
  int read = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::string bytes = good;
    const auto flips = 1 + random() % 4;
    for (size_t i = 0; i < flips; ++i) {
      bytes[filled[random() % filled.size()]] ^= static_cast<char>(1 + random() % 255);
    }
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    auto file = StateFile::open(path, true);
    if (!file) continue;
    const Result<SavedState> loaded = file->load();
    if (!loaded) continue;
    ++read;
    start_with(*loaded);
  }
  CHECK(read > 0);
}

}  // namespace
}  // namespace leasehold::agent
