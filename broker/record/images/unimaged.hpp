// Unimaged: the part of a state that no image keeps (images.hpp), because only the next evaluation
// reads it. It is small. With it a state that followed the log equals the core's own, byte for
// byte, so that a base can be made of it.
#pragma once

#include <vector>

#include "broker/core/model/state.hpp"

namespace leasehold {

struct Unimaged {
  struct Plan {
    bool evaluate_flag = false;
    Instant react_at = kNever;
  };

  Instant now;
  std::vector<Grid> grids;
  std::vector<Deadline> deadlines;
  std::vector<Returning> returning;
  uint32_t returned = 0;
  Instant returning_next = kNever;
  std::vector<Plan> plans;  // in the order of State::resource_groups
};

Unimaged unimaged_of(const State& state);
/// Contract: `state` is the same one, by the log.
void put_back(const Unimaged& unimaged, State& state);

}  // namespace leasehold
