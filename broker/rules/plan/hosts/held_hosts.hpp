// Hosts of a resource group as placement sees them: their slots, and which leaf holds what of them.
#pragma once

#include <cstdint>
#include <vector>

#include "common/index.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

/// Slots of one host with one leaf.
struct HostHolding {
  uint32_t consumer = kNoIndex;
  int64_t slots = 0;
  int64_t used = 0;    // of them; the others are taken first
  int64_t needed = 0;  // of the others: its waiting work starts on them, so they are taken last
  bool operator==(const HostHolding&) const = default;
};

/// Slots of one host that a leaf's waiting work starts on once they have come. `from`: who has
/// them; kNoIndex: nobody.
struct HostWanted {
  uint32_t consumer = kNoIndex;
  uint32_t from = kNoIndex;
  int64_t slots = 0;
};

struct PlanHost {
  wire::HostFacts facts;
  int64_t slots = 0;
  std::vector<HostHolding> held;   // each consumer once
  int64_t busy = 0;                // slots that nobody is given but work still runs on; taken last
  std::vector<uint32_t> barred;    // consumers that cannot use it, whatever they require
  uint32_t owner = kNoIndex;       // the leaf of its provider, if that has one
  std::vector<HostWanted> wanted;  // by leaves whose agents tell the shapes of their work
};

}  // namespace leasehold
