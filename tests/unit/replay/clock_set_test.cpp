// A history with a stretch under a wrong clock: questions about the past after the clock was set
// back.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/replay/rebuild.hpp"
#include "broker/replay/usage.hpp"
#include "broker/replay/verify.hpp"
#include "broker/store/log/history.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/support/state_digest.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kTenYearsMs = int64_t{3'652} * 24 * 3'600'000;

/// A history under a right clock, one that is ten years ahead, and a right one again.
struct Mended {
  Mended() : site(dir.file("broker.db")) {
    site.begin();
    site.flip_to_and_fro(3);
    before = site.site.now;
    digest_before = state_digest(site.site.state);
    site.site.now = before + kTenYearsMs;
    site.restart();
    site.connect();
    site.flip_to_and_fro(3);
    site.site.now = before + 60'000;
    set = site.site.now;
    site.site.step(ClockSet{"--accept-clock"});
    site.commit();
    site.restart();
    site.connect();
    site.flip_to_and_fro(3);
    digest_after = state_digest(site.site.state);
  }
  TempDir dir;
  RecordedSite site;
  Instant before, set;
  Hash digest_before{}, digest_after{};
};

}  // namespace

TEST_CASE("a history whose time was set back is whole, and replays to the same ledger") {
  Mended mended;
  const auto report = verify(mended.site.store->log());
  REQUIRE(report);
  INFO((report->difference ? describe(*report->difference) : ""));
  CHECK_FALSE(report->difference);
}

TEST_CASE("an instant after time was set back means the state of then, not the wrong clock's") {
  Mended mended;
  const auto then = state_at(mended.site.store->log(), mended.before);
  REQUIRE(then);
  CHECK(state_digest(*then) == mended.digest_before);
  const auto now = state_at(mended.site.store->log(), mended.site.site.now);
  REQUIRE(now);
  CHECK(state_digest(*now) == mended.digest_after);
  HistoryFilter since;
  since.since = mended.set;
  const auto rows = history(mended.site.store->log(), since);
  REQUIRE(rows);
  REQUIRE_FALSE(rows->empty());
  CHECK(rows->front().kind == "clock-set");
  CHECK(rows->front().by == "--accept-clock");
  for (const HistoryRow& row : *rows) CHECK(row.time >= mended.set);
}

TEST_CASE("what a wrong clock made of time is not charged to anybody") {
  Mended mended;
  const auto rows = usage_rows(mended.site.store->log(), std::nullopt, std::nullopt);
  REQUIRE(rows);
  int64_t slot_s = 0;
  for (const auto& row : *rows) {
    slot_s += row["owned_slot_s"].get<int64_t>() + row["borrowed_slot_s"].get<int64_t>();
  }
  const int64_t lived_s = (mended.site.site.now.ms - 1'000'000) / 1000;
  CHECK(slot_s > 0);
  CHECK(slot_s <= 16 * lived_s);
}
