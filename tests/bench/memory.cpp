// bench_memory measures bytes of memory a lease, with 1,000,000 leases of one host each, all made
// and in use; or a leaf of resource plans that are carried out. It is a process of its own: what
// the process holds is the measure.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tests/bench/allocations.hpp"
#include "tests/bench/fleet.hpp"
#include "tests/bench/plan_fleet.hpp"

namespace leasehold::bench {

namespace {

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0;
  int64_t resident = 0;
  file >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

int64_t count_unmade(const State& state) {
  int64_t unmade = 0;
  for (const SlotGroup& group : state.slot_groups) unmade += group.phase == Phase::active ? 0 : 1;
  return unmade;
}

/// The growth of the process's memory since the start.
class Grown {
 public:
  double held() const { return static_cast<double>(allocations().bytes_held - held_); }
  double resident() const { return static_cast<double>(resident_bytes() - resident_); }

 private:
  int64_t resident_ = resident_bytes();
  int64_t held_ = allocations().bytes_held;
};

int measure(const FleetShape& shape) {
  const Grown grown;
  Fleet fleet(shape);
  fleet.start();
  fleet.effects = {};
  const double leases = shape.leases();
  std::printf(
      "{\"bench\":\"memory\",\"leases\":%.0f,\"hosts\":%u,\"bytes_held_per_lease\":%.0f,"
      "\"bytes_resident_per_lease\":%.0f,\"bound\":256,\"sizeof_group\":%zu,\"sizeof_line\":%zu",
      leases, shape.host_each ? shape.leases() : shape.providers, grown.held() / leases,
      grown.resident() / leases, sizeof(SlotGroup), sizeof(LeaseSummary));
  const State followed = fleet.state;  // as the follower keeps one
  std::printf(",\"both_copies_held\":%.0f,\"both_copies_resident\":%.0f,\"bound_of_both\":600}\n",
              grown.held() / leases, grown.resident() / leases);
  return followed.slot_groups.size() == shape.leases() &&
                 fleet.state.slot_groups.size() == shape.leases() && count_unmade(fleet.state) == 0
             ? 0
             : 1;
}

int measure_plans(const PlanShape& shape) {
  const Grown grown;
  PlanFleet fleet(shape);
  fleet.start();
  const double leaves = static_cast<double>(shape.leaves) * shape.groups;
  std::printf(
      "{\"bench\":\"memory\",\"leaves\":%.0f,\"groups\":%u,\"hosts\":%u,"
      "\"bytes_held_per_leaf\":%.0f,\"bytes_resident_per_leaf\":%.0f}\n",
      leaves, shape.groups, shape.groups * shape.hosts, grown.held() / leaves,
      grown.resident() / leaves);
  return fleet.held_by_leaves() == static_cast<int64_t>(leaves) * kSlotsPerLease ? 0 : 1;
}

uint32_t number(const char* text) {
  return static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

}  // namespace

}  // namespace leasehold::bench

/// bench_memory [SIDE [host-each]]: SIDE providers and as many consumers.
/// bench_memory plans LEAVES GROUPS HOSTS: so many resource groups, each with all the leaves, and
/// with hosts of its own.
int main(int argc, char** argv) {
  using leasehold::bench::number;
  if (argc == 5 && std::strcmp(argv[1], "plans") == 0) {
    return leasehold::bench::measure_plans({number(argv[3]), number(argv[2]), number(argv[4])});
  }
  leasehold::bench::FleetShape shape{1000, 1000, false};
  if (argc > 1) shape.providers = shape.consumers = number(argv[1]);
  if (argc > 2) shape.host_each = std::strcmp(argv[2], "host-each") == 0;
  return leasehold::bench::measure(shape);
}
