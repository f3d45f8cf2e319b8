// EstimatedCluster keeps an agent's rules: only orders raise limits, and a used slot is given up
// only when its work or its grace ends.
#include "broker/lab/what_if/cluster.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;
using wire::Lowering;

namespace {

constexpr int64_t kHourMs = 3'600'000;

/// An own slot group of two hosts and a foreign one of one host, with these limits.
struct Two {
  EstimatedCluster cluster;
  uint32_t foreign = cluster.add(1, 12, false, 1);
  uint32_t own = cluster.add(0, 11, true, 2);
  uint64_t seq = 0;

  Two(int32_t first, int32_t second, int32_t third) {
    order(own, {{0, first}, {1, second}});
    order(foreign, {{0, third}});
  }
  /// Returns true if something was given up at once.
  bool order(uint32_t place, std::vector<wire::OrderedHost> hosts, int64_t grace_ms = 0,
             Instant now = {}) {
    const std::vector<EstimatedCluster::Row> before = cluster.side(place).rows;
    cluster.take(place, hosts, ++seq, grace_ms, kHourMs, now);
    cluster.start_what_fits();
    const auto& rows = cluster.side(place).rows;
    return !std::equal(rows.begin(), rows.end(), before.begin(), before.end(),
                       [](const auto& is, const auto& was) { return is.limit >= was.limit; });
  }
  void want(int64_t slots, int64_t used = 0, int64_t needs = 0) {
    Want want;
    want.slots = slots;
    want.used = used;
    want.needs = needs;
    cluster.want(want, Instant{});
  }
  int32_t used(uint32_t place, size_t row) const { return cluster.side(place).rows[row].used; }
  int32_t limit(uint32_t place, size_t row) const { return cluster.side(place).rows[row].limit; }
};

}  // namespace

TEST_CASE("work goes to slots of own groups first, and leaves the last ones first") {
  Two site(2, 2, 3);
  site.want(5);
  CHECK(site.used(site.own, 0) == 2);
  CHECK(site.used(site.own, 1) == 2);
  CHECK(site.used(site.foreign, 0) == 1);
  site.want(9);
  CHECK(site.cluster.pending() == 2);
  site.want(3);
  CHECK(site.used(site.foreign, 0) == 0);
  CHECK(site.used(site.own, 1) == 1);
  CHECK(site.cluster.pending() == 0);
}

TEST_CASE("a release takes idle slots only, and nothing later") {
  Two site(4, 0, 0);
  site.want(3);
  CHECK(site.order(site.own, {{0, 0, Lowering::release}}));
  CHECK(site.limit(site.own, 0) == 3);
  site.want(1);
  CHECK(site.limit(site.own, 0) == 3);
  CHECK(site.cluster.side(site.own).deadline == kNever);
}

TEST_CASE("a shrink takes slots as their work ends, and does not fill them again") {
  Two site(4, 0, 0);
  site.want(4);
  CHECK_FALSE(site.order(site.own, {{0, 1, Lowering::shrink}}, 0, Instant{1000}));
  CHECK(site.limit(site.own, 0) == 4);
  site.want(2);
  CHECK(site.limit(site.own, 0) == 2);
  site.want(8);
  CHECK(site.used(site.own, 0) == 2);
  CHECK(site.cluster.side(site.own).deadline == Instant{1000 + kHourMs});
  site.cluster.end_work(site.own, Instant{1000 + kHourMs});
  CHECK(site.used(site.own, 0) == 1);
  CHECK(site.limit(site.own, 0) == 1);
  CHECK(site.cluster.pending() == 7);
}

TEST_CASE("a reclaim leaves the whole grace, then ends work") {
  Two site(4, 0, 0);
  site.want(4);
  site.order(site.own, {{0, 0, Lowering::reclaim}}, 60'000, Instant{5});
  CHECK(site.cluster.side(site.own).deadline == Instant{60'005});
  site.cluster.end_work(site.own, Instant{60'004});
  CHECK(site.used(site.own, 0) == 4);
  site.cluster.end_work(site.own, Instant{60'005});
  CHECK(site.used(site.own, 0) == 0);
  CHECK(site.cluster.pending() == 4);
}

TEST_CASE("an order that raises again ends what the one before it asked for") {
  Two site(4, 0, 0);
  site.want(4);
  site.order(site.own, {{0, 0, Lowering::reclaim}}, 60'000);
  site.order(site.own, {{0, 4}});
  CHECK(site.cluster.side(site.own).deadline == kNever);
  site.want(6);
  CHECK(site.used(site.own, 0) == 4);
}

TEST_CASE("nothing starts on a host that is down, and it does when it is up") {
  Two site(2, 2, 0);
  site.cluster.set_up(site.own, 0, false);
  site.want(4);
  CHECK(site.used(site.own, 0) == 0);
  CHECK(site.cluster.pending() == 2);
  site.cluster.set_up(site.own, 0, true);
  CHECK(site.used(site.own, 0) == 2);
}

TEST_CASE("slots of a group that is closed do not count any more") {
  Two site(2, 0, 2);
  site.want(4);
  site.cluster.drop(site.own);
  CHECK(site.cluster.used() == 2);
  CHECK(site.cluster.pending() == 2);
}

TEST_CASE("what is stated is what stands, and is news once") {
  Two site(2, 1, 0);
  site.want(2);
  REQUIRE(site.cluster.side(site.own).news);
  wire::StateBlock block;
  site.cluster.state(site.own, block);
  REQUIRE(block.groups.size() == 1);
  CHECK(block.groups[0].generation == 11);
  CHECK(block.groups[0].seq == 1);
  CHECK(block.groups[0].ever_used);
  CHECK(block.hosts == std::vector<wire::HostState>{{0, 2, 2, true}, {1, 1, 0, true}});
  CHECK_FALSE(site.cluster.side(site.own).news);
}

TEST_CASE("slots that are exported no more are the provider's own again, with what runs there") {
  Two site(4, 0, 0);
  site.cluster.exports(site.own, 0, 4);
  site.want(4);
  site.cluster.exports(site.own, 0, 3);
  CHECK(site.limit(site.own, 0) == 3);
  CHECK(site.used(site.own, 0) == 3);
  site.cluster.exports(site.own, 0, 6);
  CHECK(site.limit(site.own, 0) == 3);
}

TEST_CASE("after an operator's word a cluster uses no slot of others") {
  Two site(1, 0, 3);
  site.want(4);
  site.cluster.forget_leased();
  CHECK(site.used(site.own, 0) == 1);
  CHECK(site.limit(site.foreign, 0) == 0);
  CHECK(site.cluster.used() == 1);
}

TEST_CASE("what waited beside idle slots starts only where more of them are free") {
  Two site(4, 0, 0);
  site.want(7, 1, 4);  // 6 waited while 3 were idle
  CHECK(site.cluster.used() == 1);
  CHECK(site.cluster.pending() == 6);
  site.order(site.foreign, {{0, 2}});
  CHECK(site.cluster.used() == 5);
  CHECK(site.cluster.pending() == 2);
  // Work that ran then runs wherever there is room.
  site.want(6, 6, 9);
  CHECK(site.cluster.used() == 6);
}

TEST_CASE("work that was done earlier here is not wanted again, what was not done still is") {
  Two site(4, 0, 0);
  Want want;
  want.slots = 4;
  want.used = 2;
  want.run_time_ms = 60'000;
  site.cluster.want(want, Instant{0});
  CHECK(site.cluster.used() == 4);
  // For a minute two slots more than recorded were used, so the work of two slots is done.
  want.used = 4;
  site.cluster.want(want, Instant{60'000});
  CHECK(site.cluster.used() == 2);
  // Two minutes the other way round use up that lead, and fall behind by the same amount.
  site.cluster.want(want, Instant{120'000});
  CHECK(site.cluster.used() == 4);
  site.order(site.own, {{0, 2, Lowering::reclaim}}, 0, Instant{120'000});
  site.cluster.end_work(site.own, Instant{120'000});
  site.cluster.want(want, Instant{180'000});
  CHECK(site.cluster.pending() == 4);
}

namespace {

/// Returns `jobs` waiting jobs of `width` slots each, beside what ran.
Want shaped(int64_t used, int64_t jobs, int64_t width) {
  Want want;
  want.used = used;
  want.slots = used + jobs * width;
  want.demand.emplace();
  if (jobs > 0) {
    want.demand->push_back({1, 1, wire::TimeClass::unknown, 0, jobs, jobs * width});
  }
  return want;
}

}  // namespace

TEST_CASE("by its shape a job starts whole, or waits; what ended leaves its slots idle") {
  Two site(2, 2, 0);
  site.cluster.want(shaped(4, 1, 3), Instant{0});
  CHECK(site.cluster.used() == 4);
  CHECK(site.cluster.pending() == 3);
  site.cluster.want(shaped(2, 1, 3), Instant{1});
  CHECK(site.cluster.used() == 2);
  CHECK(site.cluster.pending() == 3);
  REQUIRE(site.cluster.demand());
  CHECK(site.cluster.demand()->front().slots == 3);
  // Here there is room for it, so it is no longer reported.
  site.order(site.foreign, {{0, 1}});
  CHECK(site.cluster.used() == 5);
  CHECK(site.cluster.pending() == 0);
  CHECK(site.cluster.demand()->empty());
  // After it started as recorded it counts as running work.
  site.cluster.want(shaped(5, 0, 1), Instant{2});
  CHECK(site.cluster.used() == 5);
  CHECK(site.cluster.pending() == 0);
}

TEST_CASE("a job that was started then and finds no room here waits as one") {
  Two site(2, 0, 0);
  site.cluster.want(shaped(0, 1, 4), Instant{0});
  site.cluster.want(shaped(4, 0, 1), Instant{1});
  CHECK(site.cluster.used() == 0);
  CHECK(site.cluster.pending() == 4);
  CHECK(site.cluster.demand()->front().jobs == 1);
  site.order(site.foreign, {{0, 2}});
  CHECK(site.cluster.used() == 4);
  CHECK(site.cluster.pending() == 0);
}

TEST_CASE("what came and started between two reports is single slots, or its shape in passing") {
  Two site(2, 0, 0);
  Want want = shaped(4, 0, 1);
  SECTION("no report told of it") {
    site.cluster.want(want, Instant{0});
    CHECK(site.cluster.used() == 2);
    CHECK(site.cluster.pending() == 2);
  }
  SECTION("one of the same commit did") {
    want.passing = {*shaped(0, 1, 4).demand};
    site.cluster.want(want, Instant{0});
    CHECK(site.cluster.used() == 0);
    CHECK(site.cluster.pending() == 4);
  }
}

TEST_CASE("without shapes told, nothing is told of them, nor of what is idle elsewhere") {
  Two site(2, 0, 0);
  site.want(4);
  CHECK_FALSE(site.cluster.demand());
  CHECK_FALSE(site.cluster.elsewhere());
}
