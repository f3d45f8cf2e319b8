// The study of demand-aware adds to simulated runs what no broker has: an agent that claims work
// which does not exist, and flips that are put off.
#pragma once

#include <string>
#include <vector>

#include "broker/lab/simulate/outcome/watcher.hpp"
#include "broker/lab/simulate/scenario/scenario.hpp"

namespace leasehold::study {

/// Jobs that a cluster's agent reports as waiting, and that do not exist.
struct Claim {
  std::string cluster;
  int64_t jobs = 1;
  int32_t slots = 1;    // of each job
  int64_t anew_ms = 0;  // after each such time they have other slots, from `slots` up; 0: never
};

class Claiming : public Watcher {
 public:
  /// `scenario` must outlive this object.
  Claiming(const Scenario& scenario, std::vector<Claim> claims)
      : scenario_(scenario), claims_(std::move(claims)) {}
  std::vector<agent::WaitingWork> claims(uint32_t cluster, Instant now) override;

 private:
  agent::WaitingWork waiting(const Claim& claim, uint32_t cluster, Instant now) const;

  const Scenario& scenario_;
  const std::vector<Claim> claims_;
};

/// The idle comparison, whose flips `Calming` puts off: whether that would be enough to keep it
/// from moving slots to and fro. Of a scenario with one policy.
inline constexpr SimulationRule kCalm{.name = "idle-comparison-calm", .broker = true};

class Calming : public Watcher {
 public:
  /// A flip waits until `min_hold_ms` after the one before, and where it would move at most
  /// `dead_zone` slots.
  Calming(int64_t min_hold_ms, int64_t dead_zone)
      : min_hold_ms_(min_hold_ms), dead_zone_(dead_zone) {}
  bool puts_off(const State& state, Instant flipped, Instant now) override;

 private:
  const int64_t min_hold_ms_;
  const int64_t dead_zone_;
};

}  // namespace leasehold::study
