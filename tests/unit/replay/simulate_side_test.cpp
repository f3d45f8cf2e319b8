#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "broker/lab/simulate/side.hpp"

using namespace leasehold;
using wire::Lowering;

namespace {

/// A cluster with `cap` leased slots, and jobs of the given widths, started one second apart.
struct Leased {
  JobModel model;
  uint32_t host = model.add_host(0, 0);
  PlannedSide side{model, host};

  explicit Leased(int32_t cap, const std::vector<int32_t>& widths = {}) {
    CHECK(side.take({cap, Lowering::shrink, 0}, 0, {0}) == (cap > 0));
    for (size_t i = 0; i < widths.size(); ++i) {
      const Instant at{static_cast<int64_t>(i) * 1000};
      model.arrive({i, at, 100'000, widths[i], 0});
      model.start(at);
    }
  }
  std::vector<uint64_t> running() const {
    std::vector<uint64_t> ids;
    model.visit_running([&](const RunningJob& row, auto) { ids.push_back(row.job.id); });
    std::sort(ids.begin(), ids.end());
    return ids;
  }
};

using Ids = std::vector<uint64_t>;
const Instant kThen{10'000};

}  // namespace

TEST_CASE("idle slots leave a planned side at once, those in use as its jobs end") {
  Leased of(4, {1, 1});
  CHECK_FALSE(of.side.take({1, Lowering::shrink, 0}, 0, kThen));
  CHECK(of.side.limit_stated() == 2);
  CHECK(of.side.used() == 2);
  of.model.arrive({7, kThen, 1000, 1, 0});
  CHECK(of.model.start(kThen).empty());
  of.model.complete({100'000});
  CHECK(of.side.end_overdue(0, {100'000}) == 0);
  CHECK(of.side.limit_stated() == 1);
  CHECK(of.side.next_grace_end() == kNever);
}

TEST_CASE("a reclaim ends the work that started last when its grace is over") {
  Leased of(4, {1, 1, 1, 1});
  of.side.take({2, Lowering::reclaim, 5000}, 0, kThen);
  CHECK(of.side.next_grace_end() == kThen + 5000);
  CHECK(of.side.end_overdue(0, kThen + 4999) == 0);
  CHECK(of.side.end_overdue(0, kThen + 5000) == 2);
  CHECK(of.running() == Ids{0, 1});
  CHECK(of.side.limit_stated() == 2);
  CHECK(of.model.queued() == 2);
}

TEST_CASE("work that a larger victim makes superfluous is left alone") {
  Leased of(4, {3, 1});
  of.side.take({1, Lowering::reclaim, 0}, 0, kThen);
  CHECK(of.side.end_overdue(0, kThen) == 1);
  CHECK(of.running() == Ids{1});
}

TEST_CASE(
    "a later order moves no grace that was told, and gives back what is not wanted any more") {
  Leased of(4, {1, 1, 1, 1});
  of.side.take({3, Lowering::reclaim, 5000}, 0, kThen);
  of.side.take({2, Lowering::reclaim, 5000}, 0, kThen + 2000);
  CHECK(of.side.end_overdue(0, kThen + 5000) == 1);
  CHECK(of.running() == Ids{0, 1, 2});
  SECTION("the second has its own") {
    CHECK(of.side.end_overdue(0, kThen + 6999) == 0);
    CHECK(of.side.end_overdue(0, kThen + 7000) == 1);
    CHECK(of.running() == Ids{0, 1});
  }
  SECTION("it may keep what it has") {
    CHECK_FALSE(of.side.take({3, Lowering::shrink, 0}, 0, kThen + 6000));
    CHECK(of.side.next_grace_end() == kNever);
    CHECK(of.side.end_overdue(0, kThen + 9000) == 0);
    CHECK(of.side.limit_stated() == 3);
  }
}

TEST_CASE("slots that were left are stated when the transfer time is over") {
  Leased of(4, {1});
  of.side.take({0, Lowering::shrink, 0}, 300, kThen);
  CHECK(of.model.cap(of.host) == 1);
  CHECK(of.side.limit_stated() == 4);
  CHECK(of.side.next_delivery() == kThen + 300);
  CHECK_FALSE(of.side.deliver(kThen + 299));
  CHECK(of.side.deliver(kThen + 300));
  CHECK(of.side.limit_stated() == 1);
  of.model.complete({100'000});
  of.side.end_overdue(300, {100'000});
  CHECK(of.side.limit_stated() == 1);
  SECTION("and arrive") {
    CHECK(of.side.deliver({100'300}));
    CHECK(of.side.limit_stated() == 0);
  }
  SECTION("or come back") {
    CHECK(of.side.take({2, Lowering::shrink, 0}, 300, {100'100}));
    CHECK(of.side.limit_stated() == 2);
    CHECK(of.side.next_delivery() == kNever);
  }
}
