// The Slurm adapter over a stand-in that keeps state, with a clock that the test moves.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>

#include "agent/workload/slurm/slurm.hpp"
#include "tests/unit/agent/scratch.hpp"
#include "tests/unit/agent/workload/slurm/stand_in.hpp"

namespace leasehold::agent::test {

class SlurmTime : public TimeSource {
 public:
  int64_t boottime_ms() const override { return at_ms; }
  int64_t at_ms = 1'000'000;
};

struct SlurmCluster {
  Scratch folder;
  SlurmTime time;
  SlurmStandIn slurm{{{"p1", 8}, {"imp-q1", 4}}};
  HostNames names{"imp-{host}", {{"q1@east", "imp-q1"}}};
  std::unique_ptr<Workload> workload;

  SlurmSettings settings;

  SlurmCluster() { open(); }
  void open(bool read_only = false) {
    AdapterSettings adapter;
    adapter.names = names;
    adapter.journal = folder.file("fences");
    auto made = open_slurm(settings, adapter, read_only, slurm.caller(), time);
    REQUIRE(made);
    workload = *std::move(made);
  }
  /// Opens the cluster as if no agent had ever looked at it.
  void open_first() {
    std::filesystem::remove(folder.file("fences.hosts"));
    open();
  }
  View look() {
    const std::vector<std::string> imported{"imp-q1"};
    Result<View> view = workload->read(imported);
    REQUIRE(view);
    return *view;
  }
  std::optional<HostCap> cap(const std::string& host) {
    for (const HostCap& one : look().caps) {
      if (one.host == host) return one;
    }
    return std::nullopt;
  }
  HostLoad load(const std::string& host) {
    for (const HostLoad& one : look().loads) {
      if (one.host == host) return one;
    }
    FAIL("no load of " << host);
    return {};
  }
  void enforce(const HostCap& wanted) { REQUIRE(workload->enforce(std::vector{wanted})); }
  StandInJob& run(const std::string& node, int cores) {
    REQUIRE(slurm.start(node, cores));
    return slurm.jobs.back();
  }
  void restart() {
    slurm.boot = slurm.now + 1;
    slurm.now += 20;
  }
};

inline HostCap own(int32_t slots) {
  return {"p1", false, slots, 2, 0, 0, {{7, 0, slots - 2, 6}}, 0};
}

inline HostCap imported(int32_t slots) {
  return {"imp-q1", true, slots, 0, 0, 0, {{9, 0, slots, 0}}, 0};
}

inline HostCap gone() {
  return {"imp-q1", true, 0, 0, 0, 0, {}, 0};
}

}  // namespace leasehold::agent::test
