// bench_memory: bytes of memory a lease, with 1,000,000 leases of one host each, all made and in
// use. A process of its own: what the process holds is the measure.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tests/bench/allocations.hpp"
#include "tests/bench/fleet.hpp"

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

int measure(const FleetShape& shape) {
  const int64_t resident_before = resident_bytes();
  const int64_t held_before = allocations().bytes_held;
  Fleet fleet(shape);
  fleet.start();
  fleet.effects = {};
  const double leases = shape.leases();
  const double held = static_cast<double>(allocations().bytes_held - held_before);
  const double resident = static_cast<double>(resident_bytes() - resident_before);
  std::printf(
      "{\"bench\":\"memory\",\"leases\":%.0f,\"hosts\":%u,\"bytes_held_per_lease\":%.0f,"
      "\"bytes_resident_per_lease\":%.0f,\"bound\":512,\"sizeof_group\":%zu}\n",
      leases, shape.host_each ? shape.leases() : shape.providers, held / leases, resident / leases,
      sizeof(SlotGroup));
  return fleet.state.slot_groups.size() == shape.leases() && count_unmade(fleet.state) == 0 ? 0 : 1;
}

}  // namespace

}  // namespace leasehold::bench

/// bench_memory [SIDE [host-each]]: SIDE providers and as many consumers.
int main(int argc, char** argv) {
  leasehold::bench::FleetShape shape{1000, 1000, false};
  if (argc > 1) shape.providers = shape.consumers = static_cast<uint32_t>(std::atoi(argv[1]));
  if (argc > 2) shape.host_each = std::strcmp(argv[2], "host-each") == 0;
  return leasehold::bench::measure(shape);
}
