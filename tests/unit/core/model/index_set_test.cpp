// The next evaluation looks at each changed group once, in order, however they came.
#include "broker/core/model/containers/index_set.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace leasehold;

TEST_CASE("groups that changed come in their order, each once") {
  IndexSet set;
  CHECK(set.empty());
  CHECK(set.next(0) == kNoIndex);
  CHECK(set.some(0, 5).empty());
  for (const uint32_t group : {200U, 3U, 64U, 63U, 3U, 0U}) set.insert(group);
  CHECK(set.size() == 5);
  CHECK(set.all() == std::vector<uint32_t>{0, 3, 63, 64, 200});
  CHECK(set.some(3, 2) == std::vector<uint32_t>{3, 63});
  CHECK(set.some(64, 0).empty());
  CHECK(set.some(500, 9).empty());
  CHECK(set.next(4) == 63);
  CHECK(set.next(64) == 64);
  CHECK(set.next(65) == 200);
  CHECK(set.next(201) == kNoIndex);
  CHECK(set.next(100'000) == kNoIndex);
  set.erase(64);
  set.erase(65);
  set.erase(100'000);
  CHECK_FALSE(set.contains(64));
  CHECK(set.contains(63));
  CHECK_FALSE(set.contains(100'000));
  CHECK(set.all() == std::vector<uint32_t>{0, 3, 63, 200});
  set.clear();
  CHECK(set.empty());
  CHECK(set.all().empty());
}

TEST_CASE("a set of changed groups is as a sorted one, whatever is put in and taken out") {
  std::mt19937 random(5);
  IndexSet set;
  std::set<uint32_t> sorted;
  for (int i = 0; i < 4'000; ++i) {
    const auto group = static_cast<uint32_t>(random() % 700);
    if (random() % 3 == 0) {
      set.erase(group);
      sorted.erase(group);
    } else {
      set.insert(group);
      sorted.insert(group);
    }
    if (i % 50 != 0) continue;
    const auto from = static_cast<uint32_t>(random() % 800);
    const size_t most = random() % 40;
    std::vector<uint32_t> expected(sorted.lower_bound(from), sorted.end());
    expected.resize(std::min(expected.size(), most));
    REQUIRE(set.some(from, most) == expected);
    REQUIRE(set.all() == std::vector<uint32_t>(sorted.begin(), sorted.end()));
  }
}
