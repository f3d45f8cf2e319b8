// Advance reservations as qrstat prints them: it lists them without their slots, and tells the
// slots of those that are named. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold::agent {

struct GridEngineReservation {
  std::string id;
  std::string name;  // not unique; "": it has none
  std::string state;
  Instant begins = {};  // {}: not known
  Instant ends = {};
  std::vector<std::pair<std::string, int32_t>> slots = {};  // by queue instance, "all.q@big1"
};

struct GridEngineReservations {
  std::vector<GridEngineReservation> made;
  std::vector<std::string> unknown;  // sentences about unknown words that affect nothing else
};

/// Reads `qrstat -u * -xml`, and `qrstat -ar … -xml`, which leaves out those that are gone.
Result<GridEngineReservations> parse_qrstat(const std::string& text);

}  // namespace leasehold::agent
