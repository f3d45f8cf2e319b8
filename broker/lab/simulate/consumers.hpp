// ConsumerMeter: slot-seconds of the leaves of resource plans in a simulated run, from the records
// that the core makes: the numbers of `usage` (views/usage.hpp), without its states.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/lab/simulate/outcome/outcome.hpp"

namespace leasehold {

class ConsumerMeter {
 public:
  void recorded(std::span<const Record> records, Instant at);
  /// Jobs of the consumer ended with the grace of a reclaim. `consumer` is a position in
  /// ResourceGroupLedger::consumers.
  void ended(uint32_t plan, uint32_t consumer, int64_t jobs);
  /// Returns the rows up to `until`, after which nothing was recorded; plan by plan, leaves in the
  /// order of the tree.
  std::vector<ConsumerOutcome> rows(const State& state, Instant until) const;

 private:
  __extension__ using Sum = __int128;  // slots times milliseconds
  enum Kind : uint8_t { owned, lent, borrowed, shared };
  struct Row {
    Instant counted_to;
    std::array<int64_t, 4> slots{};
    std::array<Sum, 4> sums{};
    int64_t jobs_ended = 0;
  };
  static void count(Row& row, Instant until);
  Row& at(uint32_t plan, uint32_t consumer);

  std::vector<std::vector<Row>> rows_;  // [plan][consumer]
};

}  // namespace leasehold
