// Moment: what one commit of a history tells a what-if: the inputs, and what each cluster wanted
// then. Made by RecordedHistory (history.hpp), taken by EstimatedSite (site.hpp). A value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/model/event.hpp"

namespace leasehold {

/// Slots that a cluster wants of all its slot groups: what it used of them, and what waited.
struct Want {
  std::string cluster;
  int64_t slots = 0;
  int64_t used = 0;   // of them
  int64_t needs = 0;  // free slots without which what waits does not start, as then it did not
  int64_t run_time_ms = 0;  // how long a slot was used at a time so far, in the mean; 0: not known
  bool degraded = false;
  /// What waited, by shape; nullopt: its agent did not say.
  std::optional<wire::Demand> demand;
  /// When what ran was expected to end, as it was told then; nullopt: it was not.
  std::optional<wire::Ending> ending;
  std::vector<wire::Demand> passing;  // what reports of the same commit told before it
  /// Idle on its own hosts outside of all leases, a number a host; nullopt: it was not asked.
  std::optional<std::vector<int32_t>> elsewhere;
};

/// How long clusters waited for slots, added up over them, and how much of it the record tells what
/// their work looked like.
struct ShapesTold {
  int64_t waited_ms = 0;
  int64_t with_shapes_ms = 0;
  int64_t with_elsewhere_ms = 0;  // of those: and what was idle outside of leases
};

/// A cluster calls a host of another one up or down.
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

  std::vector<Input> inputs;  // but for what agents stated of their slots
  std::vector<Want> wants;
  std::vector<HostWord> hosts;
  Instant now;            // of the last of them
  int64_t answer_ms = 0;  // how long agents took to answer an order so far, in the mean

  void clear() {
    inputs.clear();
    wants.clear();
    hosts.clear();
  }
};

}  // namespace leasehold
