// Moment: what one commit of a history gives a what-if: the inputs, and what each cluster wanted
// then. RecordedHistory makes it (history.hpp), EstimatedSite takes it (site.hpp). It is a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/model/event.hpp"

namespace leasehold {

/// The slots that a cluster wants of all its slot groups: those that it used and those that waited.
struct Want {
  std::string cluster;
  int64_t slots = 0;
  int64_t used = 0;   // part of `slots`
  int64_t needs = 0;  // free slots without which waiting work does not start, as it did not then
  int64_t run_time_ms = 0;  // the mean time that a slot was used so far; 0: not known
  bool degraded = false;
  /// The waiting work by shape; nullopt: its agent did not report it.
  std::optional<wire::Demand> demand;
  /// The expected end of running work, as reported then; nullopt: it was not reported.
  std::optional<wire::Ending> ending;
  std::vector<wire::Demand> passing;  // demand in earlier reports of the same commit
  /// Slots idle on its own hosts outside of all leases, one number a host; nullopt: not reported.
  std::optional<std::vector<int32_t>> elsewhere;
};

/// The time that clusters waited for slots, added up over them, and the part of it of which the
/// record has the shapes of their work.
struct RecordedShapes {
  int64_t waited_ms = 0;
  int64_t with_shapes_ms = 0;
  // Part of with_shapes_ms: idle slots outside of leases were reported too.
  int64_t with_elsewhere_ms = 0;
};

/// A cluster reports a host of another one up or down.
struct HostWord {
  std::string cluster;
  std::string provider;
  uint32_t host = 0;  // in the provider's Cluster::hosts
  bool up = false;
};

struct Moment {
  struct Input {
    Instant now;
    Event event;
  };

  std::vector<Input> inputs;  // without what agents stated of their slots
  std::vector<Want> wants;
  std::vector<HostWord> hosts;
  Instant now;            // of the last of them
  int64_t answer_ms = 0;  // the mean time that agents took to answer an order so far

  void clear() {
    inputs.clear();
    wants.clear();
    hosts.clear();
  }
};

}  // namespace leasehold
