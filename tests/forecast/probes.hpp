// Probes ask the forecast for slots at many instants of a simulated run, which then shows when they
// could really be had. The agents report their work, with its limits, as those of simulate do.
//
// A probe is work that needs N slots of the lease (or of the leaf), submitted when it is asked: in
// the queue behind what waits there by then, before what comes later; first fit, as all work of
// these sites. With a lease it has no effect: the idle comparison does not look at what waits. With
// a plan it is reported as demand until it would start, so there one waits at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/core/demand/endings.hpp"
#include "broker/lab/simulate/outcome/watcher.hpp"
#include "broker/views/forecast/forecast.hpp"

namespace leasehold::study {

struct Probe {
  std::string id;
  bool provider_side = false;
  uint32_t cluster = 0;
  int64_t slots = 0;
  Instant asked;
  std::array<std::optional<Instant>, forecasting::kOutlooks> said;
  std::optional<Instant> had;  // nullopt: not before the run ended
};

struct Asking {
  std::string id;
  bool provider_side = false;
  uint32_t cluster = 0;
};

class Probes : public Watcher {
 public:
  struct Options {
    std::vector<Asking> whom;
    std::vector<int64_t> slots;
    int64_t every_ms = 3'600'000;
    Instant until;        // nothing is asked after it
    bool demand = false;  // of a plan: what is asked for is reported as demand
  };
  Probes(Options options, size_t clusters);

  void tell(uint32_t cluster, const JobModel& model, Instant now, StateReported& report) override;
  void before_starts(std::span<const JobModel> models, Instant now) override;
  bool after(const State& state, std::span<const JobModel> models, Instant now) override;

  /// The probes that could not be had at once.
  const std::vector<Probe>& waited() const { return probes_; }
  int64_t at_once() const { return at_once_; }

 private:
  void ask(const State& state, const Asking& whom, int64_t slots, Instant now);
  bool fits(const JobModel& model, const Probe& probe) const;

  const Options options_;
  std::vector<agent::Endings> endings_;
  std::vector<Probe> probes_;
  std::vector<size_t> open_;
  Instant next_;
  size_t turn_ = 0;
  int64_t at_once_ = 0;
};

}  // namespace leasehold::study
