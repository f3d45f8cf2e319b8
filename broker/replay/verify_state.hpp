// Where two states differ in their durable part, in words. Inner header of verify.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// The first thing that is not as it should be.
struct Difference {
  int64_t event_id = 0;  // 0: not of an event
  std::string what;      // "hash", "slots", "ledger of east-batch:west", …
  std::string recorded;  // what the database says
  std::string computed;  // what the core says
};

/// The first durable part that is not the same; nullopt: none.
std::optional<Difference> first_difference(const State& recorded, const State& computed);

/// The same of all parts, byte for byte, volatile members too, but for what only waits for the next
/// evaluation, deadline or turn, which images do not have.
std::optional<Difference> volatile_difference(State recorded, State computed);

}  // namespace leasehold
