// Arrays in large pages are arrays as any other: what is in them stays as they grow and shrink.
#include "common/large_pages.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <string>

using namespace leasehold;

namespace {

bool begins_a_page(const void* memory) {
  return reinterpret_cast<uintptr_t>(memory) % LargePages<int>::kPageBytes == 0;
}

}  // namespace

TEST_CASE(
    "a large array begins a large page, a small one need not, and both hold what was put in") {
  LargeVector<uint64_t> numbers;
  for (uint64_t i = 0; i < 2'000'000; ++i) numbers.push_back(i);  // 16 MB, through all sizes
  CHECK(begins_a_page(numbers.data()));
  CHECK(std::accumulate(numbers.begin(), numbers.end(), uint64_t{0}) == 1'999'999'000'000U);
  numbers.resize(10);
  numbers.shrink_to_fit();
  CHECK(numbers == LargeVector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("large arrays are copied, moved and swapped with small ones") {
  LargeVector<std::string> many(200'000, "a name that is longer than fits in a string itself");
  LargeVector<std::string> few{"one"};
  const LargeVector<std::string> copy = many;
  std::swap(many, few);
  CHECK(many.size() == 1);
  CHECK(few == copy);
  const LargeVector<std::string> taken = std::move(few);
  CHECK(taken == copy);
}

TEST_CASE("what is aligned to more than a word stays so in small arrays") {
  struct alignas(64) Line {
    char bytes[64] = {};
  };
  LargeVector<Line> lines;
  for (int i = 0; i < 100; ++i) {
    lines.emplace_back();
    CHECK(reinterpret_cast<uintptr_t>(lines.data()) % 64 == 0);
  }
}
