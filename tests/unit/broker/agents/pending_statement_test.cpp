// PendingStatement alone: how statements of one agent are merged before they are stepped.
#include "broker/ports/agents/statements/pending_statement.hpp"

#include <catch2/catch.hpp>

namespace leasehold {

namespace {

Cluster east() {
  Cluster cluster;
  cluster.name = "east";
  cluster.configuration = 3;
  cluster.pending = 8;
  return cluster;
}

/// A statement about one group on one host, with so many slots used.
wire::StateBlock group(uint64_t generation, int32_t used, bool ever_used = false) {
  wire::StateBlock block;
  wire::GroupState stated;
  stated.generation = generation;
  stated.ever_used = ever_used;
  stated.count = 1;
  wire::HostState host;
  host.used = used;
  block.groups.push_back(stated);
  block.hosts.push_back(host);
  return block;
}

int32_t used_of(const wire::StateBlock& block, uint64_t generation) {
  for (const wire::GroupState& group : block.groups) {
    if (group.generation == generation) return block.hosts_of(group)[0].used;
  }
  return -1;
}

}  // namespace

TEST_CASE("a statement begins with what the state has, and a second begin keeps what was added") {
  PendingStatement statement;
  CHECK_FALSE(statement.is_pending());
  CHECK(statement.begin(east(), 11));
  CHECK(statement.event().cluster == "east");
  CHECK(statement.event().pending == 8);
  CHECK(statement.configuration() == 3);
  statement.event().pending = 9;
  CHECK_FALSE(statement.begin(east(), 11));
  CHECK(statement.event().pending == 9);
}

TEST_CASE("the last statement of each group counts, and use that was seen once is not forgotten") {
  PendingStatement statement;
  statement.begin(east(), 11);
  statement.add(group(1, 4, true));
  statement.add(group(2, 5));
  statement.add(group(1, 0));
  const StateReported& event = statement.take();
  CHECK_FALSE(statement.is_pending());
  REQUIRE(event.state.groups.size() == 2);
  CHECK(used_of(event.state, 1) == 0);
  CHECK(used_of(event.state, 2) == 5);
  CHECK(event.state.groups[0].ever_used);
  CHECK_FALSE(event.state.groups[1].ever_used);
}

TEST_CASE("a statement that goes on for long keeps no more rows than count") {
  PendingStatement statement;
  statement.begin(east(), 11);
  for (int32_t used = 0; used < 20'000; ++used) statement.add(group(1, used));
  CHECK(statement.event().state.hosts.size() < 5'000);
  CHECK(used_of(statement.take().state, 1) == 19'999);
}

TEST_CASE("after a statement was dropped the next one begins empty") {
  PendingStatement statement;
  statement.begin(east(), 11);
  statement.add(group(1, 4));
  statement.drop();
  CHECK_FALSE(statement.is_pending());
  CHECK(statement.begin(east(), 12));
  CHECK(statement.session() == 12);
  CHECK(statement.event().state.groups.empty());
}

}  // namespace leasehold
