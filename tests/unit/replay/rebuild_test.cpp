// The state of any past instant is rebuilt from the history.
#include "broker/replay/rebuild.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "broker/store/log/follow_log.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/support/state_digest.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// The last digest at each instant of a run, as the core had it then.
using Digests = std::map<int64_t, Hash>;

Digests recorded_run(const std::string& path, const StoreOptions& options = {}) {
  Digests digests;
  RecordedSite recorded(path, one_pool(2, 4), OpenMode::broker, options);
  const auto record = recorded.site.recorder;
  recorded.site.recorder = [&](const Event& event, std::span<const Record> records) {
    record(event, records);
    digests[recorded.site.now.ms] = state_digest(recorded.site.state);
  };
  recorded.begin();
  recorded.flip_to_and_fro(20);
  recorded.restart(options);
  recorded.connect();
  recorded.flip_to_and_fro(20);
  return digests;
}

void check_every_instant(const std::string& path, const Digests& digests, Instant from) {
  auto store = reader(path);
  for (const auto& [ms, digest] : digests) {
    if (ms < from.ms) continue;
    const auto state = state_at(*store, Instant{ms});
    INFO(ms << ": " << (state ? "" : describe(state.error())));
    REQUIRE(state.has_value());
    REQUIRE(state_digest(*state) == digest);
  }
}

}  // namespace

TEST_CASE("the state at every instant of a run is the one the core had") {
  const TempDir dir;
  const Digests digests = recorded_run(dir.file("broker.db"));
  CHECK(digests.size() > 30);
  check_every_instant(dir.file("broker.db"), digests, Instant{0});
}

TEST_CASE("between two events the earlier state stands") {
  const TempDir dir;
  const Digests digests = recorded_run(dir.file("broker.db"));
  auto store = reader(dir.file("broker.db"));
  const auto last = std::prev(digests.end());
  const auto before = std::prev(last);
  REQUIRE(last->first > before->first + 1);
  CHECK(state_digest(*state_at(*store, Instant{last->first - 1})) == before->second);
  CHECK(state_digest(*state_at(*store, kNever)) == last->second);
}

TEST_CASE("before the first event nothing is known") {
  const TempDir dir;
  recorded_run(dir.file("broker.db"));
  auto store = reader(dir.file("broker.db"));
  CHECK(state_at(*store, Instant{1})->slot_groups.empty());
}

TEST_CASE("bases between give the same states, and what retention removed is refused") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  constexpr int64_t kHour = 3'600'000;
  const Digests digests = recorded_run(path, StoreOptions{Retention{4 * kHour, 0}, {}, {}});
  auto store = reader(path);
  const auto first = FollowedLog::begin_oldest(*store);
  REQUIRE(first.has_value());
  REQUIRE(first->last_event() > 1);
  const Instant kept{first->state().now};
  check_every_instant(path, digests, kept);
  const auto refused = state_at(*store, Instant{digests.begin()->first});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::refused);
  CHECK(refused.error().message.find(format_utc(kept)) != std::string::npos);
}

TEST_CASE("what work looked like at a past instant is known from the history") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  Site& site = recorded.site;
  const auto said = [&](int64_t jobs) {
    StateReported event{"west", site.agent("west").session, 0, false, {}, 0};
    event.pending = site.state.clusters[find_cluster(site.state, "west")].pending;
    event.demand = wire::Demand{{4, 2, wire::TimeClass::hour_1, 10'000, jobs, 8 * jobs, {}}};
    event.ending = wire::Ending{{{wire::TimeClass::day_1, jobs}}, 20};
    REQUIRE(site.step(event));
    recorded.commit();
    return site.now;
  };
  const Instant first = said(1);
  site.now = site.now + 5'000;
  said(2);
  auto store = reader(dir.file("broker.db"));
  const auto state = state_at(*store, first);
  REQUIRE(state.has_value());
  const Cluster& west = state->clusters[find_cluster(*state, "west")];
  REQUIRE((west.demand && west.ending));
  CHECK(west.demand->front().jobs == 1);
  CHECK(west.ending->slots.front().slots == 1);
}
