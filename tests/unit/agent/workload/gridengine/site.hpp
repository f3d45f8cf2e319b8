// Played: the adapter over a PlayedCell, with a clock that the test moves.
#pragma once

#include <catch2/catch.hpp>

#include "agent/workload/gridengine/gridengine.hpp"
#include "tests/unit/agent/scratch.hpp"
#include "tests/unit/agent/workload/gridengine/played.hpp"

namespace leasehold::agent::test {

class PlayedTime final : public TimeSource {
 public:
  int64_t boottime_ms() const override { return now_ms; }
  Instant wall_time() const override { return {1'795'258'491'000 + now_ms}; }
  std::string boot_id() const override { return boot; }
  int64_t now_ms = 1'000'000;
  std::string boot = "one";
};

struct Played {
  Scratch folder;
  PlayedCell cell;
  PlayedTime time;
  GridEngineSettings settings{"/sge", "east", "", "all.q", 21001, 21002};
  AdapterSettings adapter;
  std::unique_ptr<Workload> workload;

  explicit Played(std::vector<std::string> hosts = {"big1", "big2", "imp-far"}) {
    cell.hosts = std::move(hosts);
    cell.entries = {{"imp-far", 0}};
    adapter.names.rule = "imp-{host}";
    adapter.journal = folder.file("journal");
  }
  /// From before the first look on: then only the map can say that imp-far is another cluster's.
  void run(std::vector<PlayedJob> jobs) {
    adapter.names.map = {{"far@west", "imp-far"}};
    cell.jobs = std::move(jobs);
  }
  Result<std::unique_ptr<Workload>> opened(bool read_only = false) {
    return open_gridengine(settings, adapter, cell.caller(), read_only, time);
  }
  Workload& open(bool read_only = false) {
    auto made = opened(read_only);
    REQUIRE(made.has_value());
    workload = std::move(*made);
    return *workload;
  }
  View look() {
    const std::vector<std::string> imported{"imp-far", "imp-unknown"};
    Result<View> view = workload->read(imported);
    if (!view) FAIL(view.error().message);
    return *view;
  }
};

}  // namespace leasehold::agent::test
