// What keeps a lease small: settings and dues kept once; and that none of it can be told from the
// plain thing.
#include <catch2/catch.hpp>

#include "broker/core/model/derive.hpp"
#include "broker/core/model/state.hpp"

using namespace leasehold;

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
  CHECK(config == before);
  CHECK(config.policies[0].distribution.begin() == config.policies[2].distribution.begin());
  CHECK(config.policies[0].distribution.begin() != config.policies[1].distribution.begin());
}

TEST_CASE("what each share is due is cut out of one list") {
  const std::vector<DueSlots> by_share{{{0, 3}, {1, 3}}, {}, {{1, 2}}};
  const Dues dues(by_share);
  REQUIRE(dues.size() == 3);
  for (size_t share = 0; share < by_share.size(); ++share) {
    CHECK(DueSlots(dues[share].begin(), dues[share].end()) == by_share[share]);
  }
  CHECK(dues.all().size() == 3);
  CHECK(dues == Dues(by_share));
  CHECK_FALSE(dues == Dues({{{0, 3}, {1, 3}}, {{1, 2}}, {}}));
  CHECK(Dues().empty());
}
