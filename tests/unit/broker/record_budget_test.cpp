// How much one cluster may add to the record, and that nobody pays for another.
#include "broker/ports/agents/record_budget.hpp"

#include <catch2/catch.hpp>

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
  RecordBudget budget(3'600'000);  // a byte a millisecond
  CHECK(budget.has_left("a", 0));
  budget.spend("a", RecordBudget::kSavedMs + 1'000, 0);
  CHECK_FALSE(budget.has_left("a", 0));
  CHECK_FALSE(budget.is_calm("a", 0));
  CHECK(budget.has_left("b", 0));
  CHECK(budget.left_again_ms("a", 0) == 1'002);
  CHECK_FALSE(budget.has_left("a", 999));
  CHECK(budget.has_left("a", 1'002));
  CHECK(budget.left_again_ms("a", 1'002) == 1'002);
  CHECK(budget.is_calm("a", RecordBudget::kSavedMs));
  budget.spend("a", 1, 100 * kHourMs);
  CHECK(budget.has_left("a", 100 * kHourMs));
}

TEST_CASE("however often it is looked at, a cluster gets its rate") {
  RecordBudget budget(3'600'000);
  budget.spend("a", RecordBudget::kSavedMs + 1'000, 0);
  for (int64_t ms = 0; ms <= 1'000; ++ms) CHECK_FALSE(budget.has_left("a", ms));
  CHECK(budget.has_left("a", 1'002));
}

TEST_CASE("without a rate everything is taken") {
  RecordBudget budget;
  budget.spend("a", INT64_MAX, 0);
  CHECK(budget.has_left("a", 0));
  CHECK(budget.is_calm("a", 0));
  CHECK(budget.left_again_ms("a", 7) == 7);
}

TEST_CASE("an inventory of 20,000 hosts passes every few minutes by default, not every second") {
  RecordBudget budget(int64_t{256} << 20U);
  const int64_t bytes = recorded_bytes(inventory(20'000));
  CHECK(bytes > 2'000'000);
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

TEST_CASE("what an event adds grows with what it states") {
  AgentHello hello;
  StateReported said;
  const int64_t least = recorded_bytes(hello);
  CHECK(recorded_bytes(said) == least);
  hello.state.groups.resize(10);
  said.state.hosts.resize(10);
  CHECK(recorded_bytes(hello) > least + 10 * 50);
  CHECK(recorded_bytes(said) > least + 10 * 40);
  CHECK(recorded_bytes(CopyRefused{}) > 100);
  InventoryReported with = inventory(1);
  const int64_t bare = recorded_bytes(with);
  with.hosts[0].booleans = {"gpu"};
  with.hosts[0].numbers_milli = {{"r1m", 250}};
  CHECK(recorded_bytes(with) > bare + 50);
}

TEST_CASE("a demand of many shapes costs what it adds to the record") {
  StateReported said;
  const int64_t bare = recorded_bytes(said);
  said.demand = wire::Demand(2);
  said.ending = wire::Ending{{{wire::TimeClass::hour_1, 1}}, -1};
  const int64_t shapes = recorded_bytes(said);
  CHECK(shapes > bare + 60);
  said.demand->front().host_types = {"LINUX64"};
  CHECK(recorded_bytes(said) == shapes + 8);
}

}  // namespace leasehold
