// Claim: the slots that make a member's waiting work start, and what of them is the other's. Work
// that backs off claims nothing. Not who is served: decide.cpp.
#pragma once

#include "broker/rules/demand_aware/ledger.hpp"
#include "broker/rules/demand_aware/view.hpp"

namespace leasehold::demand_aware {

struct Claim {
  std::vector<RowSlots> moves;
  std::vector<RowSlots> reclaims;
  std::vector<Shape> shapes;  // that need those
  std::vector<Shape> fit;     // with the moves or without
  int64_t slots = 0;          // to be moved
  int64_t beside = 0;         // idle ones of the member, which those shapes need with them
  bool waits_off = false;     // some of the work does
};

struct Claimant {
  uint8_t member = kNobody;
  bool takes_used = false;  // also what the other uses, where idle slots are not enough
  int64_t protect = 0;      // so many of the other's idle slots are not to be given
};

Claim claim_of(const View& view, const Ledger& ledger, const Claimant& claimant,
               const std::vector<Waiting>& waiting);

}  // namespace leasehold::demand_aware
