#include "tests/unit/store/played_batches.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "broker/replay/verify.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/support/state_digest.hpp"

namespace leasehold::test {

namespace {

constexpr size_t kStepsPerBatch = 3;
/// With so many hosts each commit fills pages of the write-ahead log, which is checkpointed now and
/// then.
constexpr int kHosts = 24;

std::string last_hash(Log& log) {
  const LogEnd end = read_end(log).value();
  return std::to_string(end.batch) + " " + hex(end.hash);
}

DiskSnapshot first_start(const Retention& retention) {
  const TempDir dir;
  const SimulatedDisk disk(dir.file(""));
  open_store(dir.file("broker.db"), OpenMode::broker, StoreOptions{retention, {}, {}});
  return disk.snapshot();
}

}  // namespace

PlayedLife record_life(int flips) {
  const TempDir dir;
  const SimulatedDisk disk(dir.file(""));
  PlayedLife life;
  life.retention = Retention{3'000'000, 3'200'000};
  life.begun = first_start(life.retention);
  RecordedSite recorded(dir.file("sound.db"), one_pool(kHosts, 4), OpenMode::broker,
                        StoreOptions{life.retention, {}, {}});
  life.fresh = state_digest(load(*recorded.store));
  PlayedBatch batch;
  recorded.batch = INT32_MAX;  // commits are made here
  const auto append = recorded.site.recorder;
  const auto close_batch = [&] {
    if (batch.steps.empty()) return;
    batch.digest = state_digest(recorded.site.state);
    life.batches.push_back(std::move(batch));
    batch = {};
    recorded.commit();
  };
  recorded.site.recorder = [&](const Event& event, std::span<const Record> records) {
    append(event, records);
    batch.steps.push_back(
        {event, recorded.site.now, {records.begin(), records.end()}, recorded.site.state});
    if (batch.steps.size() == kStepsPerBatch) close_batch();
  };
  recorded.site.add_hosts("east", kHosts, 4);
  recorded.site.step(BrokerStarted{1, false});
  recorded.site.load(one_pool(kHosts, 4));
  recorded.site.hello("east");
  recorded.site.hello("west");
  recorded.site.run_until_idle();
  recorded.site.now = recorded.site.now + 1000;
  recorded.site.use("west", "pool:west", 0, 1);
  recorded.site.run_until_idle();
  for (int i = 0; i < flips; ++i) {
    recorded.busy("east", i % 2 == 0 ? 0 : 4);
    recorded.busy("west", i % 2 == 0 ? 4 : 1);
    recorded.site.pass(600'000);
  }
  close_batch();
  life.last_hash = last_hash(recorded.store->log());
  life.events_removed =
      recorded.store->database().execAndGet("SELECT min(first_event) FROM log").getInt64() - 1;
  return life;
}

bool LifePlayer::open_and_compare() {
  auto opened = SqliteStore::open(path_, OpenMode::broker, StoreOptions{life_.retention, {}, {}});
  if (!opened) {
    UNSCOPED_INFO(describe(opened.error()));
    return false;
  }
  store_ = std::move(*opened);
  const auto state = store_->load();
  if (!state) {
    UNSCOPED_INFO(describe(state.error()));
    store_.reset();
    return false;
  }
  const auto digest_after = [&](size_t batches) {
    return batches == 0 ? life_.fresh : life_.batches[batches - 1].digest;
  };
  const Hash found = state_digest(*state);
  INFO("after " << committed_ << " commits");
  if (outcome_unknown_ && found == digest_after(committed_ + 1)) {
    ++committed_;
  } else {
    REQUIRE(found == digest_after(committed_));
  }
  outcome_unknown_ = false;
  REQUIRE_FALSE(store_->database_older());
  return true;
}

bool LifePlayer::commit_next() {
  const PlayedBatch& batch = life_.batches[committed_];
  State state = batch.steps.back().state;
  for (const PlayedStep& step : batch.steps) {
    store_->append(step.event, step.now, step.records, step.state);
  }
  if (const Status done = store_->commit(state); !done) {
    UNSCOPED_INFO(describe(done.error()));
    outcome_unknown_ = true;
    return false;
  }
  ++committed_;
  return true;
}

void LifePlayer::end(std::optional<DiskCrash> how) {
  if (how) disk_.crash(*how);
  store_.reset();
}

bool LifePlayer::play_until_failure() {
  while (committed_ < life_.batches.size()) {
    if (!store_ && !open_and_compare()) return false;
    if (committed_ < life_.batches.size() && !commit_next()) return false;
  }
  return true;
}

void LifePlayer::play() {
  while (!play_until_failure()) {
    REQUIRE(++failures_ < 20);
    end(end_of_process);
    if (after_failure) after_failure();
  }
}

void LifePlayer::require_whole() {
  store_.reset();
  auto store = reader(path_);
  const auto report = verify(*store);
  INFO((report ? "" : describe(report.error())));
  REQUIRE(report.has_value());
  INFO((report->ok() ? "" : describe(*report->difference)));
  REQUIRE(report->ok());
  REQUIRE(last_hash(*store) == life_.last_hash);
}

}  // namespace leasehold::test
