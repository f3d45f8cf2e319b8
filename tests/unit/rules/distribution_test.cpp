#include "broker/rules/distribution.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <numeric>

using namespace leasehold;
using Shares = std::vector<int64_t>;

namespace {

wire::HostFacts host(const char* name, const char* type, int32_t slots) {
  wire::HostFacts facts;
  facts.name = name;
  facts.type = type;
  facts.slots = slots;
  return facts;
}

}  // namespace

TEST_CASE("units are split by shares: floor, then largest remainder, ties in list order") {
  struct Row {
    int64_t units;
    Shares shares;
    Shares expected;
  };
  const Row rows[] = {
      {2, {1, 1}, {1, 1}},
      {4, {1, 3}, {1, 3}},
      {10, {30, 70}, {3, 7}},
      {5, {2, 2, 1}, {2, 2, 1}},
      {4, {1, 1, 1}, {2, 1, 1}},
      {7, {2, 1}, {5, 2}},
      {1, {1, 1}, {1, 0}},
      {0, {1, 1}, {0, 0}},
      {3, {1}, {3}},
      {5, {1, 2, 3}, {1, 2, 2}},  // 0.83 1.67 2.50: one each to the first two
      {2, {1, 5, 5}, {0, 1, 1}},
      {INT64_MAX, {1, 1}, {INT64_MAX / 2 + 1, INT64_MAX / 2}},
      {9'000'000'000'000'000'000,
       {INT64_MAX, INT64_MAX, INT64_MAX},
       Shares(3, 3'000'000'000'000'000'000)},
      {5, {0, -3}, {0, 0}},
      {5, {0, 2}, {0, 5}},
      {-5, {1, 2}, {0, 0}},
      {5, {}, {}},
  };
  for (const Row& row : rows) {
    INFO(row.units << " units among " << row.shares.size());
    CHECK(split(row.units, row.shares) == row.expected);
  }
}

TEST_CASE("no split loses a unit or strays a whole unit from the exact share") {
  CHECK(rc::check([] {
    const auto units = *rc::gen::inRange<int64_t>(0, 1'000'000);
    const auto shares =
        *rc::gen::nonEmpty(rc::gen::container<Shares>(rc::gen::inRange<int64_t>(1, 100'000)));
    const Shares quotas = split(units, shares);
    const int64_t sum = std::accumulate(shares.begin(), shares.end(), int64_t{0});
    RC_ASSERT(std::accumulate(quotas.begin(), quotas.end(), int64_t{0}) == units);
    for (size_t i = 0; i < shares.size(); ++i) {
      const int64_t off = quotas[i] * sum - units * shares[i];
      RC_ASSERT(off > -sum);
      RC_ASSERT(off < sum);
    }
  }));
}

TEST_CASE("units are dealt one by one in list order until each quota is full") {
  CHECK(deal(4, Shares{1, 3}) == std::vector<uint32_t>{0, 1, 1, 1});
  CHECK(deal(5, Shares{2, 2, 1}) == std::vector<uint32_t>{0, 1, 2, 0, 1});
  CHECK(deal(7, Shares{2, 1}) == std::vector<uint32_t>{0, 1, 0, 1, 0, 0, 0});
  CHECK(deal(1, Shares{1, 1}) == std::vector<uint32_t>{0});
  CHECK(deal(3, Shares{0}).empty());
}

TEST_CASE("named hosts are split slot by slot on each host by itself") {
  const std::vector<uint32_t> hosts{7, 9};
  CHECK(deal_slots(hosts, 2, Shares{1, 1}) ==
        std::vector<ShareSlots>{{{7, 1}, {9, 1}}, {{7, 1}, {9, 1}}});
  CHECK(deal_slots(hosts, 4, Shares{1, 3}) ==
        std::vector<ShareSlots>{{{7, 1}, {9, 1}}, {{7, 3}, {9, 3}}});
  CHECK(deal_slots(hosts, 1, Shares{1, 1}) == std::vector<ShareSlots>{{{7, 1}, {9, 1}}, {}});
}

TEST_CASE("chosen hosts are dealt whole, whatever their size") {
  const std::vector<std::pair<uint32_t, int32_t>> hosts{{0, 2}, {1, 64}, {2, 2}};
  CHECK(deal_hosts(hosts, Shares{1, 1}) == std::vector<ShareSlots>{{{0, 2}, {2, 2}}, {{1, 64}}});
  const std::vector<std::pair<uint32_t, int32_t>> two{{0, 2}, {1, 2}};
  CHECK(deal_hosts(two, Shares{1, 1}) == std::vector<ShareSlots>{{{0, 2}}, {{1, 2}}});
}

TEST_CASE("a chosen host without slots is dealt in its turn, and nobody gets anything of it") {
  const std::vector<std::pair<uint32_t, int32_t>> hosts{{0, 2}, {1, 0}, {2, 4}};
  CHECK(deal_hosts(hosts, Shares{1, 1}) == std::vector<ShareSlots>{{{0, 2}, {2, 4}}, {}});
}

TEST_CASE("the first matching hosts of the inventory are chosen, at most nhosts") {
  const std::vector<wire::HostFacts> inventory{host("a", "LINUX64", 4), host("b", "SOLARIS", 4),
                                               host("c", "LINUX64", 0), host("d", "LINUX64", 4),
                                               host("e", "LINUX64", 4)};
  const Selection linux64 = *Selection::parse("type==LINUX64");
  CHECK(choose_hosts(linux64, inventory, 2) == std::vector<uint32_t>{0, 3});
  CHECK(choose_hosts(linux64, inventory, 9) == std::vector<uint32_t>{0, 3, 4});
  CHECK(choose_hosts(linux64, inventory, 2, {true}) == std::vector<uint32_t>{3, 4});
  CHECK(choose_hosts(linux64, inventory, 9, {false, false, false, true, false}) ==
        std::vector<uint32_t>{0, 4});
  CHECK(choose_hosts(linux64, inventory, 0).empty());
  CHECK(choose_hosts(linux64, inventory, -1).empty());
}
