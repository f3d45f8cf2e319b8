// These things keep a lease small: lists that lie in the group, numbers in half their width,
// settings and allocation kept once; and none of it differs from the plain thing to a reader.
#include <catch2/catch.hpp>
#include <random>

#include "broker/core/model/state.hpp"
#include "broker/core/model/turn/derive.hpp"

using namespace leasehold;

namespace {

struct Pair {
  int32_t a = 7;
  int32_t b = 0;
  bool operator==(const Pair&) const = default;
};

template <class List>
void change(List& list, uint32_t how, int32_t value) {
  switch (how % 4) {
    case 0:
      list.push_back({value, 1});
      break;
    case 1:
      list.emplace_back().b = value;
      break;
    case 2:
      list.resize(static_cast<size_t>(value) % 40);
      break;
    default:
      list.clear();
  }
}

template <uint32_t kHere>
void walk(uint32_t seed) {
  std::mt19937 random(seed);
  InlineVector<Pair, kHere> few;
  std::vector<Pair> plain;
  for (int i = 0; i < 2'000; ++i) {
    const auto how = static_cast<uint32_t>(random() % 16 == 0 ? 3 : random() % 3);
    const auto value = static_cast<int32_t>(random() % 1'000);
    change(few, how, value);
    change(plain, how, value);
    const InlineVector<Pair, kHere> copied = few;
    InlineVector<Pair, kHere> taken = std::move(few);
    REQUIRE(few.empty());  // NOLINT: what was moved away is none, and may be used again
    few = copied;
    REQUIRE(std::equal(few.begin(), few.end(), plain.begin(), plain.end()));
    few = std::move(taken);
    REQUIRE(std::equal(few.begin(), few.end(), plain.begin(), plain.end()));
    REQUIRE(few.size() == plain.size());
    if (plain.empty()) continue;
    REQUIRE(few.front() == plain.front());
    REQUIRE(few.back() == plain.back());
  }
}

}  // namespace

TEST_CASE("a short list is as a vector, whatever is done to it") {
  for (uint32_t seed = 0; seed < 5; ++seed) {
    walk<1>(seed);
    walk<2>(seed);
    walk<5>(seed);
  }
  InlineVector<Pair, 2> few{{1, 2}, {3, 4}};
  few = static_cast<const InlineVector<Pair, 2>&>(few);
  CHECK(few.size() == 2);
  CHECK(few[1] == Pair{3, 4});
  const auto* lies = reinterpret_cast<const char*>(few.data());
  const auto* list = reinterpret_cast<const char*>(&few);
  CHECK((lies >= list && lies < list + sizeof few));
}

TEST_CASE("a lease with its rows takes no more than it did") {
  CHECK(sizeof(InlineVector<Pair, 2>) == 4 + 2 * sizeof(Pair));
  CHECK(sizeof(SlotGroup) == 328);
  CHECK(sizeof(LeaseSummary) == 32);
}

TEST_CASE("six numbers come back as they were, however large") {
  const std::vector<Numbers::All> all{
      {0, 0, 0, 0, 0, 0},
      {1, -2, INT32_MAX, INT32_MIN + 1, 5, -6},
      {1, 2, 3, 4, 5, int64_t{INT32_MAX} + 1},
      {INT64_MIN, INT64_MAX, 3, 4, 5, 6},
      {0, 0, 0, 0, 0, INT32_MIN},
      {INT32_MIN, 0, 0, 0, 0, 0},
  };
  for (const Numbers::All& from : all) {
    for (const Numbers::All& to : all) {
      Numbers numbers = from;
      const Numbers copied = numbers;
      numbers = to;
      CHECK(numbers.all() == to);
      CHECK(copied.all() == from);
      CHECK((numbers == copied) == (from == to));
      const Numbers moved = std::move(numbers);
      CHECK(moved.all() == to);
      numbers = copied;
      CHECK(numbers.all() == from);
    }
  }
}

TEST_CASE("a shared list is one until somebody changes his") {
  Shares shares{{"west", 1}, {"north", 2}};
  const Shares held = shares;
  CHECK(held.begin() == shares.begin());
  shares.push_back({"south", 3});
  CHECK(held == Shares{{"west", 1}, {"north", 2}});
  CHECK(shares.size() == 3);
  const auto* const lies = &shares.front();
  shares.own()[0].shares = 9;
  CHECK(&shares.front() == lies);  // nobody else holds it any more
  shares.clear();
  CHECK(shares == Shares{});
  CHECK(shares == Shares(std::vector<Share>{}));
  Shares same{{"west", 1}, {"north", 2}};
  same.share_with(shares);
  CHECK(same == held);
  CHECK(same.begin() != held.begin());
  same.share_with(held);
  CHECK(same.begin() == held.begin());
}

TEST_CASE("policies that lend by the same shares keep one list of them, others their own") {
  BrokerConfig config;
  config.policies.resize(5);
  config.policies[0].distribution = {{"west", 1}, {"mid", 1}, {"north", 2}};
  config.policies[1].distribution = {{"west", 1}, {"mid", 7}, {"north", 2}};
  config.policies[2].distribution = {{"west", 1}, {"mid", 1}, {"north", 2}};
  config.policies[3].distribution = {{"west", 1}};
  const BrokerConfig before = config;
  share_equal_lists(config);
  for (size_t p = 0; p < config.policies.size(); ++p) {
    CHECK(config.policies[p].distribution == before.policies[p].distribution);
  }
  CHECK(config.policies[0].distribution.begin() == config.policies[2].distribution.begin());
  CHECK(config.policies[0].distribution.begin() != config.policies[1].distribution.begin());
}

TEST_CASE("what each share is due is cut out of one list") {
  const std::vector<ShareSlots> by_share{{{0, 3}, {1, 3}}, {}, {{1, 2}}};
  const Allocation allocation(by_share);
  REQUIRE(allocation.size() == 3);
  for (size_t share = 0; share < by_share.size(); ++share) {
    CHECK(ShareSlots(allocation[share].begin(), allocation[share].end()) == by_share[share]);
  }
  CHECK(allocation.all().size() == 3);
  CHECK(allocation == Allocation(by_share));
  CHECK_FALSE(allocation == Allocation({{{0, 3}, {1, 3}}, {{1, 2}}, {}}));
  CHECK(Allocation().empty());
}
