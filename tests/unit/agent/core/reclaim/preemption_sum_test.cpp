#include <catch2/catch.hpp>

#include "agent/core/preemption/sum.hpp"

namespace leasehold::agent {
namespace {

TEST_CASE("the smallest sum of run times that gives enough slots") {
  const std::vector<Elapsed> tasks{{1, 10}, {1, 20}, {2, 25}, {4, 5}};
  const struct {
    int64_t wanted;
    int64_t most;
    std::vector<size_t> taken;
  } rows[] = {
      {1, 9, {3}},     // 5 ms end four slots
      {1, 3, {0}},     // the wide one is more than may be taken
      {2, 3, {2}},     // 25 < 10 + 20
      {3, 3, {0, 2}},  // 35
      {5, 9, {0, 3}}, {9, 9, {0, 1, 2, 3}}, {9, 6, {2, 3}},  // as many as may be taken: 30 < 35
      {0, 9, {}},     {3, 0, {}},
  };
  for (const auto& row : rows) {
    INFO(row.wanted << " of " << row.most);
    CHECK(smallest_sum(tasks, row.wanted, row.most) == row.taken);
  }
  const std::vector<Elapsed> equal{{1, 7}, {1, 7}, {1, 7}};
  CHECK(smallest_sum(equal, 2, 9) == std::vector<size_t>{0, 1});
  CHECK(smallest_sum({}, 2, 9).empty());
}

TEST_CASE("very many tasks are taken one by one, the least run time first") {
  std::vector<Elapsed> tasks(5'000, Elapsed{1, 50});
  tasks[4'000].run_ms = 1;
  tasks[17] = {9'000, 0};
  const std::vector<size_t> taken = smallest_sum(tasks, 4'998, 8'000);
  REQUIRE(taken.size() == 4'998);
  CHECK(taken[0] == 0);
  CHECK(taken[17] == 18);        // more slots than may be taken
  CHECK(taken.back() == 4'998);  // one is left
  CHECK(smallest_sum(tasks, 9'998, 5'000).size() == 4'999);
}

}  // namespace
}  // namespace leasehold::agent
