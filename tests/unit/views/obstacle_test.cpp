// A table of cases: the obstacle of one waiting job on the hosts of a lease or a plan.
#include "broker/views/explain/obstacle.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;
using namespace leasehold::explanation;

namespace {

/// One host: slots that are idle with the consumer, with others, and all that there are.
struct Slots {
  int32_t own = 0;
  int32_t others = 0;
  int32_t most = 0;
  int32_t coming = 0;
  int32_t size = 0;  // if the group has all of it
};

SlotsSeen seen_of(const std::vector<Slots>& hosts) {
  SlotsSeen seen;
  for (const Slots& host : hosts) {
    demand_aware::IdleRow row;
    row.idle = {host.others, host.own};
    row.size = host.size;
    seen.now.push_back(row);
    row.idle[demand_aware::kConsumer] += host.coming;
    seen.coming.push_back(row);
    seen.types.emplace_back("small");
    seen.most.push_back(host.most);
    seen.if_usable.push_back(host.most);
    seen.sizes.push_back(host.size);
  }
  return seen;
}

/// One job: so many slots on each of so many hosts.
wire::DemandBucket job_of(int32_t slots, int32_t hosts = 1, int64_t in_all = 0) {
  wire::DemandBucket bucket;
  bucket.slots_per_host = slots;
  bucket.hosts = hosts;
  bucket.jobs = 1;
  bucket.slots = std::max(in_all, int64_t{slots} * hosts);
  return bucket;
}

wire::DemandBucket with_whole_hosts(wire::DemandBucket bucket) {
  bucket.whole = true;
  return bucket;
}

}  // namespace

TEST_CASE("an obstacle is what a waiting job lacks on these hosts") {
  struct Case {
    const char* name;
    std::vector<Slots> hosts;
    wire::DemandBucket job;
    Obstacle what;
    int64_t lacking;
  };
  using enum Obstacle;
  const Case cases[] = {
      {"its own idle slots start it", {{4, 0, 8}}, job_of(4), not_started, 0},
      {"the same over two hosts", {{4, 0, 8}, {4, 0, 8}}, job_of(4, 2), not_started, 0},
      {"slots on their way do", {{1, 0, 4, 3}}, job_of(4), on_way, 0},
      {"idle slots of the other do", {{1, 3, 4}}, job_of(4), idle_of_other, 3},
      {"as many, but on two hosts", {{2, 0, 4}, {2, 0, 4}}, job_of(4), in_use, 2},
      {"one of two hosts is free", {{4, 0, 4}, {0, 0, 4}}, job_of(4, 2), in_use, 4},
      {"no host is as wide", {{2, 0, 2}, {2, 0, 2}}, job_of(4), width, 0},
      {"one host of two is as wide", {{4, 0, 4}, {2, 0, 2}}, job_of(4, 2), hosts_few, 0},
      {"too few slots in all", {{4, 0, 4}, {4, 0, 4}}, job_of(2, 2, 10), slots_few, 0},
      {"hosts to itself", {{4, 0, 4, 0, 4}}, with_whole_hosts(job_of(4)), not_started, 0},
      {"a part of a host is never wholly idle", {{4, 0, 4}}, with_whole_hosts(job_of(4)), whole, 0},
  };
  for (const Case& one : cases) {
    INFO(one.name);
    const Found found = find_obstacle(seen_of(one.hosts), one.job);
    CHECK(std::string(token(found.what)) == token(one.what));
    CHECK(found.lacking == one.lacking);
  }
}

TEST_CASE("an obstacle tells how wide the hosts are, and how many are wide enough") {
  const SlotsSeen seen = seen_of({{1, 0, 4}, {0, 0, 2}});
  Found found = find_obstacle(seen, job_of(6));
  CHECK(found.there == 4);
  CHECK(found.idle_most == 1);
  found = find_obstacle(seen, job_of(3, 2));
  CHECK(found.of_width == 1);
  CHECK(found.slots == 6);
}

TEST_CASE("an obstacle: hosts that are down, or of another type, start nothing") {
  SlotsSeen seen = seen_of({{4, 0, 4}, {4, 0, 4}});
  wire::DemandBucket job = job_of(4);
  job.host_types = {"big"};
  CHECK(find_obstacle(seen, job).what == Obstacle::host_type);
  seen.types[1] = "big";
  CHECK(find_obstacle(seen, job).what == Obstacle::not_started);
  seen.now[1] = seen.coming[1] = {};
  seen.most[1] = 0;
  CHECK(find_obstacle(seen, job).what == Obstacle::host_down);
}

TEST_CASE("an obstacle: idle slots outside of the group count for work that needs more") {
  SlotsSeen seen = seen_of({{4, 0, 4}});
  CHECK(find_obstacle(seen, job_of(4, 2)).what == Obstacle::hosts_few);
  seen.elsewhere = {4};
  CHECK(find_obstacle(seen, job_of(4, 2)).what == Obstacle::not_started);
}
