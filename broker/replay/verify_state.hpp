// Describes in words where two states differ in their durable part. For verify only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// The first difference that was found.
struct Difference {
  int64_t event_id = 0;  // 0: it is not of an event
  std::string what;      // "hash", "slots", "ledger of east-batch:west", …
  std::string recorded;  // the database's value
  std::string computed;  // the core's value
};

/// Both values of a difference that is known as one of bytes alone.
constexpr const char* kOtherBytes = "other bytes";

/// Returns the first durable part that differs; nullopt: none does.
std::optional<Difference> first_difference(const State& recorded, const State& computed);

/// Compares all parts byte for byte, also members that a start resets, except what only waits for
/// the next evaluation, deadline or turn, which images leave out.
std::optional<Difference> difference_but_reset(State recorded, State computed);

}  // namespace leasehold
