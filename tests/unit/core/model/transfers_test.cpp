// Open transfers of one group: found by member and by number, however many there are.
#include <catch2/catch.hpp>
#include <random>

#include "broker/core/model/slots/transfer.hpp"

using namespace leasehold;

namespace {

/// The same, looked through as a list.
using Plain = std::vector<std::pair<uint64_t, uint16_t>>;  // number, from

std::vector<uint64_t> from(const Transfers& open, size_t member) {
  std::vector<uint64_t> ids;
  open.each_from(member, [&](const Transfer& transfer) { ids.push_back(transfer.id); });
  return ids;
}

void check_same(const Transfers& open, const Plain& plain) {
  REQUIRE(open.size() == plain.size());
  REQUIRE(open.empty() == plain.empty());
  for (uint16_t member = 0; member < 4; ++member) {
    std::vector<uint64_t> ids;
    for (const auto& [id, of] : plain) {
      if (of == member) ids.push_back(id);
    }
    REQUIRE(from(open, member) == ids);
  }
  size_t at = 0;
  for (auto one = open.begin(); one != open.end(); ++one) REQUIRE(one->id == plain[at++].first);
}

Transfer numbered(uint64_t id, uint16_t member) {
  Transfer transfer;
  transfer.id = id;
  transfer.from = member;
  return transfer;
}

}  // namespace

TEST_CASE("open transfers are found as a list of them is looked through") {
  std::mt19937 random(1);
  Transfers open;
  Plain plain;
  for (uint64_t id = 1; id <= 2000; ++id) {
    const bool ends = !plain.empty() && random() % 40 < plain.size();
    if (ends) {
      const size_t at = random() % plain.size();
      open.erase(plain[at].first);
      plain.erase(plain.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      const auto member = static_cast<uint16_t>(random() % 3);
      open.push_back(numbered(id, member));
      plain.emplace_back(id, member);
    }
    check_same(open, plain);
    const Transfers copy = open;  // of its own: what becomes of the other is nothing to it
    check_same(copy, plain);
  }
}

TEST_CASE("what is not open is not found, and ends nothing") {
  Transfers open;
  for (uint64_t id = 2; id < 40; id += 2) open.push_back(numbered(id, 1));
  CHECK(open.find(3) == nullptr);
  CHECK(open.find(99) == nullptr);
  REQUIRE(open.find(4) != nullptr);
  open.find(4)->slots_wanted = 7;
  CHECK(open.at(1).slots_wanted == 7);
  open.erase(3);
  CHECK(open.size() == 19);
  open.pop_back();
  CHECK(open.back().id == 36);
  open.clear();
  CHECK((open.empty() && from(open, 1).empty()));
}

TEST_CASE("a transfer has all it wants once no row misses any") {
  Transfer transfer = numbered(1, 1);
  transfer.wanted = {{0, 0}, {3, 2}};
  CHECK_FALSE(has_all_it_wants(transfer));
  transfer.wanted[1].second = 0;
  CHECK(has_all_it_wants(transfer));
  transfer.step = TransferStep::granting;
  CHECK_FALSE(has_all_it_wants(transfer));
}

TEST_CASE("where no transfer is open there is none to find, to count or to end") {
  Transfers open;
  CHECK(open.size() == 0);
  CHECK(open.find(1) == nullptr);
  open.erase(1);
  CHECK((open.empty() && from(open, 1).empty()));
}

TEST_CASE("of many a member's last one ends, and the next one is its first") {
  Transfers open;
  for (uint64_t id = 1; id <= 20; ++id) open.push_back(numbered(id, id == 5 ? 2 : 1));
  REQUIRE(from(open, 2) == std::vector<uint64_t>{5});
  open.erase(5);
  CHECK(from(open, 2).empty());
  CHECK(from(open, 1).size() == 19);
  open.push_back(numbered(21, 2));
  CHECK(from(open, 2) == std::vector<uint64_t>{21});
}
