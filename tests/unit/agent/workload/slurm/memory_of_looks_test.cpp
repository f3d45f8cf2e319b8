// Each look at a Slurm cluster leaves something to the next: peaks of use, the controller's life.
#include <catch2/catch.hpp>

#include "agent/workload/slurm/fence/doubts.hpp"
#include "agent/workload/slurm/look/peaks.hpp"

namespace leasehold::agent::test {
namespace {

struct Time : TimeSource {
  int64_t boottime_ms() const override { return at_ms; }
  int64_t at_ms = 1'000'000;
};

/// One look at a host of 8 cores, on all of which a fence stands.
SlurmSnapshot look(const std::string& boot, int64_t age_s) {
  SlurmSnapshot snapshot;
  snapshot.controller.boot = boot;
  snapshot.controller.boot_s = 1'000;
  snapshot.controller.now_s = 1'000 + age_s;
  snapshot.hosts.resize(1);
  snapshot.hosts[0].node.name = "p1";
  snapshot.hosts[0].node.cores = 8;
  snapshot.hosts[0].fences.push_back({"leasehold-p1-1", "p1", 1, 8, true, 0});
  return snapshot;
}

struct Doubts {
  Doubts(bool looks_only = false) : doubts(SlurmFence::reservation, looks_only, time) {}
  int32_t open(const SlurmSnapshot& snapshot) const {
    return doubts.open_slots(snapshot.hosts[0], fences);
  }

  Time time;
  SlurmClient client{{}, {}, call_all};
  SlurmLook looks{client, SlurmFence::reservation, time};
  SlurmFences fences{client, looks, SlurmFence::reservation};
  SlurmDoubts doubts;
};

}  // namespace

TEST_CASE("slurm: the peak of a host's use is of this look, the one before, or a job in between") {
  SlurmPeaks peaks;
  SlurmHost host;
  host.node.name = "p1";
  CHECK(peaks.since_s() == INT64_MAX);
  CHECK(peaks.of(host, 3) == 3);
  peaks.looked(100);
  CHECK(peaks.since_s() == INT64_MAX);  // what ended before the first look concerns nobody
  CHECK(peaks.of(host, 1) == 3);
  peaks.looked(110);
  CHECK(peaks.since_s() == 100);
  CHECK(peaks.of(host, 2) == 2);
  host.ended_peak = 6;
  CHECK(peaks.of(host, 2) == 6);
}

TEST_CASE("slurm: a fence counts as open for a time in another life of the controller") {
  Doubts here;
  const SlurmSnapshot old = look("A", 60);
  CHECK(here.doubts.note_life(old, true));
  CHECK(here.open(old) == 0);  // that life has written all that it knows
  CHECK_FALSE(here.doubts.note_life(old, false));
  CHECK(here.open(old) == 0);
  const SlurmSnapshot next = look("B", 60);
  CHECK(here.doubts.note_life(next, false));
  CHECK(here.open(next) == 8);
  here.time.at_ms += kSlurmSavesWithinMs;
  CHECK(here.open(next) == 0);
}

TEST_CASE("slurm: an agent that starts after its controller doubts the fences that it finds") {
  Doubts here;
  const SlurmSnapshot young = look("A", kSlurmSavesWithinMs / 1'000);
  CHECK(here.doubts.note_life(young, true));
  CHECK(here.open(young) == 8);
}

TEST_CASE("slurm: an agent that only looks shows fences as they stand, in any life") {
  Doubts here(true);
  const SlurmSnapshot young = look("A", 1);
  CHECK(here.doubts.note_life(young, true));
  CHECK(here.open(young) == 0);
}

}  // namespace leasehold::agent::test
