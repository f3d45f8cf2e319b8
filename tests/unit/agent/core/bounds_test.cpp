// Numbers that no broker can rightly send: each is refused by its name, and nothing else changes.
#include "agent/core/bounds.hpp"

#include <catch2/catch.hpp>
#include <functional>

#include "agent/core/limits/cap_bounds.hpp"

namespace leasehold::agent {
namespace {

constexpr int32_t kMost = 1'000'000'000;
constexpr uint64_t kNumber = uint64_t{1} << 62U;
constexpr int64_t kTenYearsMs = 315'360'000'000;

template <class T>
struct MessageRow {
  const char* said;  // "": it can be
  std::function<void(T&)> lie;
};

template <class T>
void check_row(const MessageRow<T>& row, T message) {
  row.lie(message);
  const Status good = check_numbers(message);
  INFO(row.said);
  CHECK(good.has_value() == (*row.said == '\0'));
  if (!good) CHECK_THAT(good.error().message, Catch::Contains(row.said));
}

wire::ConfiguredGroup group(uint64_t generation, wire::Role role) {
  wire::ConfiguredGroup made;
  made.generation = generation;
  made.role = role;
  made.peer = "west";
  made.hosts.push_back({role == wire::Role::provider ? "big1" : "far", 4, false});
  return made;
}

wire::Configuration configuration() {
  wire::Configuration made;
  made.number = 3;
  made.groups = {group(5, wire::Role::provider), group(6, wire::Role::consumer)};
  made.resources = {{"licence", wire::Role::consumer, "west", 2}};
  return made;
}

wire::Order order_of(uint64_t generation, int32_t limit) {
  wire::Order made;
  made.generation = generation;
  made.seq = 4;
  made.hosts = {{0, limit}};
  return made;
}

/// Two groups of one host, both of others, with a limit that fills each.
Book leased(int32_t limit) {
  wire::Configuration made;
  made.groups = {group(5, wire::Role::consumer), group(6, wire::Role::consumer)};
  std::vector<GroupLimits> limits(2);
  for (size_t i = 0; i < 2; ++i) {
    limits[i].generation = 5 + i;
    limits[i].hosts.emplace_back().limit = limit;
  }
  Book book{HostNames{}};
  book.restore(made, limits, {});
  return book;
}

TEST_CASE("a broker's configuration with numbers out of bounds is refused, each by its name") {
  using Made = wire::Configuration;
  const MessageRow<Made> rows[] = {
      {"", [](Made&) {}},
      {"",
       [](Made& made) {
         made.number = made.groups[0].generation = kNumber;
         made.agent_timeout_ms = made.lease_ttl_ms = made.groups[0].grace_ms = kTenYearsMs;
         made.groups[0].hosts[0].slots = kMost - 4;  // the other group has 4
       }},
      {"number is 18446744073709551615; at most 4611686018427387904 can be right",
       [](Made& made) { made.number = UINT64_MAX; }},
      {"configuration 3: agent_timeout_ms is -1; 0 to 315360000000 can be right",
       [](Made& made) { made.agent_timeout_ms = -1; }},
      {"configuration 3: lease_ttl_ms is 9223372036854775807",
       [](Made& made) { made.lease_ttl_ms = INT64_MAX; }},
      {"configuration 3: leader_ttl_ms is 0; 1 to 315360000000 can be right",
       [](Made& made) { made.leader_ttl_ms = 0; }},
      {"configuration 3: instances of licence is -9223372036854775808",
       [](Made& made) { made.resources[0].instances = INT64_MIN; }},
      {"group 4611686018427387905: generation is 4611686018427387905",
       [](Made& made) { made.groups[1].generation = kNumber + 1; }},
      {"group 6: mem_mb is 9223372036854775807; 0 to 1099511627776 can be right",
       [](Made& made) { made.groups[1].mem_mb = INT64_MAX; }},
      {"group 6: swap_mb is -1", [](Made& made) { made.groups[1].swap_mb = -1; }},
      {"group 6: grace_ms is 315360000001",
       [](Made& made) { made.groups[1].grace_ms = kTenYearsMs + 1; }},
      {"configuration 3, group 5: slots of host big1 is -2147483648; 0 to 1000000000 can be right",
       [](Made& made) { made.groups[0].hosts[0].slots = INT32_MIN; }},
      {"group 6: slots of host far is 2147483647",
       [](Made& made) { made.groups[1].hosts[0].slots = INT32_MAX; }},
      {"configuration 3: what all exports add up to is 1000000004",
       [](Made& made) { made.groups[0].hosts[0].slots = kMost; }},
      {"configuration 3: group 5 is listed twice; once can be right",
       [](Made& made) { made.groups[1].generation = 5; }},
  };
  for (const auto& row : rows) check_row(row, configuration());
}

TEST_CASE("a broker's order with numbers out of bounds is refused, each by its name") {
  using Made = wire::Order;
  const MessageRow<Made> rows[] = {
      {"", [](Made&) {}},
      {"",
       [](Made& made) {
         made.seq = made.generation = made.configuration = kNumber;
         made.grace_ms = made.sets[0].grace_ms = kTenYearsMs;
         made.hosts[0].limit = kMost;
         made.sets[0].sum = kMost;
       }},
      {"number is 9223372036854775808; at most 4611686018427387904 can be right",
       [](Made& made) { made.seq = uint64_t{1} << 63U; }},
      {"order 4 for group 4611686018427387905: generation is",
       [](Made& made) { made.generation = kNumber + 1; }},
      {"order 4 for group 5: configuration is 18446744073709551615",
       [](Made& made) { made.configuration = UINT64_MAX; }},
      {"grace_ms is -9223372036854775808; 0 to 315360000000 can be right",
       [](Made& made) { made.grace_ms = INT64_MIN; }},
      {"order 4 for group 5: limit of host 0 is -1; 0 to 1000000000 can be right",
       [](Made& made) { made.hosts[0].limit = -1; }},
      {"generation is 4611686018427387905",
       [](Made& made) { made.parts[0].generation = kNumber + 1; }},
      {"limit of host 2 is 2147483647",
       [](Made& made) { made.parts[0].hosts[0].limit = INT32_MAX; }},
      {"sum of a set is -1; 0 to 1000000000 can be right",
       [](Made& made) { made.sets[0].sum = -1; }},
      {"sum of a set is 9223372036854775807", [](Made& made) { made.sets[0].sum = INT64_MAX; }},
      {"grace_ms of a set is 9223372036854775807",
       [](Made& made) { made.sets[0].grace_ms = INT64_MAX; }},
  };
  wire::Order order = order_of(5, 4);
  order.parts = {{6, {{2, 4}}}};
  order.sets = {{4, 0, false, {{6, 2}}}};
  for (const auto& row : rows) check_row(row, order);
}

TEST_CASE("limits of many groups add up to more than any site has") {
  CHECK(check_limits_in_all(leased(kMost / 2), order_of(6, kMost / 2)));
  CHECK(check_limits_in_all(leased(kMost / 2 - 1), order_of(6, kMost / 2)));
  const Status good = check_limits_in_all(leased(kMost / 2), order_of(6, kMost / 2 + 1));
  REQUIRE_FALSE(good);
  CHECK(good.error().message ==
        "order 4 for group 6: what all limits add up to is 1000000001; 0 to 1000000000 can be "
        "right");
  // An order that only lowers limits is right, however many slots there are.
  CHECK(check_limits_in_all(leased(kMost), order_of(6, kMost - 1)));
}

HostCap cap(const char* host, std::vector<CapPart> parts) {
  return {host, false, 4, 4, 0, 0, std::move(parts)};
}

TEST_CASE("caps that cannot be right together are refused, each by what is wrong") {
  const struct {
    const char* fault;  // "": they can be
    std::vector<HostCap> caps;
  } rows[] = {
      {"", {}},
      {"",
       {cap("big1", {{4, 0, 2 * kMost - 1, kMost - 1}, {9, 0, 0, 0}}), cap("big2", {{4, 1, 1, 1}}),
        cap("big3", {{4, 999'998, 0, 0}})}},
      {"host big1 is listed twice", {cap("big1", {}), cap("big2", {}), cap("big1", {})}},
      {"host big1 has position 3 of group 9 twice in its parts",
       {cap("big1", {{9, 3, 1, 1}, {4, 3, 1, 1}, {9, 3, 1, 1}})}},
      {"what the positions in all parts add up to is 1000001; 0 to 1000000 can be right",
       {cap("big1", {{4, 999'999, 1, 1}}), cap("big2", {{9, 0, 1, 1}})}},
      {"what the limits of all parts add up to is 2000000001; 0 to 2000000000 can be right",
       {cap("big1", {{4, 0, 2 * kMost, 0}}), cap("big2", {{4, 1, 1, 0}})}},
      {"what the exports of all parts add up to is 1000000001; 0 to 1000000000 can be right",
       {cap("big1", {{4, 0, 0, kMost}, {9, 0, 0, 1}})}},
  };
  for (const auto& row : rows) CHECK(fault_of(row.caps).value_or("") == row.fault);
}

}  // namespace
}  // namespace leasehold::agent
