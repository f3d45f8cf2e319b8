// A book of two groups, and orders whose sets are of both, for the tests of sets of hosts. Not a
// test itself.
#pragma once

#include <catch2/catch.hpp>

#include "agent/core/reclaim/sets.hpp"

namespace leasehold::agent {

/// Groups 7 (h0, h1 of west) and 8 (h0 of north), four slots each, under order 1.
inline Book made_book() {
  wire::Configuration configuration;
  std::vector<GroupLimits> limits;
  for (const uint64_t generation : {7U, 8U}) {
    wire::ConfiguredGroup group;
    group.generation = generation;
    group.role = wire::Role::consumer;
    group.peer = generation == 7 ? "west" : "north";
    GroupLimits known;
    known.generation = generation;
    known.role = group.role;
    known.seq = 1;
    for (int h = 0; h < (generation == 7 ? 2 : 1); ++h) {
      group.hosts.push_back({"h" + std::to_string(h), 4, false});
      known.hosts.emplace_back().limit = 4;
    }
    configuration.groups.push_back(group);
    limits.push_back(known);
  }
  Book book{HostNames{}};
  book.restore(configuration, limits, {});
  return book;
}

inline wire::Order order(uint64_t seq, int64_t sum, bool whole = false) {
  wire::Order made;
  made.generation = 7;
  made.seq = seq;
  made.hosts = {{0, 4}, {1, 4}};
  made.parts = {{8, {{0, 4}}}};
  made.sets = {{sum, 60'000, whole, {{7, 1}, {7, 0}, {8, 0}}}};
  return made;
}

inline void apply(Book& book, uint64_t seq) {
  for (const uint64_t generation : {7U, 8U}) book.find(generation)->limits.seq = seq;
}

/// By group: use of h0 and h1 of west, and of h0 of north; all of them known.
inline std::vector<GroupUse> used(int32_t a, int32_t b, int32_t c) {
  return {{{a, b}, {a, b}, {true, true}, {true, true}, 0}, {{c}, {c}, {true}, {true}, 0}};
}

inline UseByGeneration by_generation(int32_t a, int32_t b, int32_t c) {
  return {{7, {a, b}}, {8, {c}}};
}

inline ReclaimSets taken(const wire::Order& order) {
  REQUIRE(check_sets(order));
  ReclaimSets sets;
  sets.take(order);
  return sets;
}

}  // namespace leasehold::agent
