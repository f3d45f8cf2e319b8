// Budget: how much one cluster may add to the record; no cluster pays for another.
#include <catch2/catch.hpp>

#include "broker/ports/agents/limits/budget.hpp"
#include "broker/record/log_body.hpp"

namespace leasehold {

namespace {

constexpr int64_t kHourMs = 3'600'000;

InventoryReported inventory(int hosts) {
  InventoryReported event;
  for (int i = 0; i < hosts; ++i) {
    wire::HostFacts host;
    host.name = "node-" + std::to_string(10'000 + i);
    host.type = "LINUX64";
    host.model = "Xeon";
    event.hosts.push_back(host);
  }
  return event;
}

}  // namespace

TEST_CASE("a cluster adds what it saved up, then its rate, and no other cluster's") {
  Budget budget(3'600'000);  // a byte a millisecond
  CHECK(budget.has_left("a", 0));
  budget.spend("a", Budget::kSavedMs + 1'000, 0);
  CHECK_FALSE(budget.has_left("a", 0));
  CHECK_FALSE(budget.is_half_full("a", 0));
  CHECK(budget.has_left("b", 0));
  CHECK(budget.left_again_ms("a", 0) == 1'002);
  CHECK_FALSE(budget.has_left("a", 999));
  CHECK(budget.has_left("a", 1'002));
  CHECK(budget.left_again_ms("a", 1'002) == 1'002);
  CHECK(budget.is_half_full("a", Budget::kSavedMs));
  budget.spend("a", 1, 100 * kHourMs);
  CHECK(budget.has_left("a", 100 * kHourMs));
}

TEST_CASE("however often it is looked at, a cluster gets its rate") {
  Budget budget(3'600'000);
  budget.spend("a", Budget::kSavedMs + 1'000, 0);
  for (int64_t ms = 0; ms <= 1'000; ++ms) CHECK_FALSE(budget.has_left("a", ms));
  CHECK(budget.has_left("a", 1'002));
}

TEST_CASE("without a rate everything is taken") {
  Budget budget;
  budget.spend("a", INT64_MAX, 0);
  CHECK(budget.has_left("a", 0));
  CHECK(budget.is_half_full("a", 0));
  CHECK(budget.left_again_ms("a", 7) == 7);
}

TEST_CASE("peers that come and go are not remembered once they have all back that they used") {
  Budget budget(3'600'000, 1'000);
  for (int i = 0; i < 100'000; ++i) budget.spend("peer-" + std::to_string(i), 1, i);
  CHECK(budget.size() < 4'096);
}

TEST_CASE("an inventory of 20,000 hosts passes every few minutes by default, not every second") {
  Budget budget(int64_t{256} << 20U);
  BodyWriter written;
  written.add(inventory(20'000), Instant{});
  const int64_t bytes = 2 * written.bytes();  // as an event, and as rows of the state
  CHECK(bytes > 1'000'000);
  for (int64_t ms = 0; ms < 24 * kHourMs; ms += 2 * 60'000) {
    REQUIRE(budget.has_left("big", ms));
    budget.spend("big", bytes, ms);
  }
  int64_t recorded = 0;
  for (int64_t ms = 0; ms < kHourMs; ms += 1'000) {
    if (!budget.has_left("restless", ms)) continue;
    budget.spend("restless", bytes, ms);
    recorded += bytes;
  }
  CHECK(recorded < (int64_t{256} << 20U) * 5 / 4 + 2 * bytes);
}

}  // namespace leasehold
