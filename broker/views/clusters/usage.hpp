// UsageMeter: the slot-seconds that clusters and consumers had, for charge-back. It is given the
// states of a history one after the other, adds up in integers and divides once, at the end.
//
// It counts what each side of a lease without a resource plan holds:
//
//   slots held by the provider | `owned` of the provider
//   slots held by the consumer | `lent` of the provider and `borrowed` of the consumer
//   slots in transfer          | `in_transfer` of the provider
//
// The provider's three make up what it exports. It counts what the last recorded evaluation of a
// plan says of each leaf, as if its moves were done: owned in use, lent, borrowed, shared;
// `in_transfer` is the part of them that the leaf does not have yet.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

class UsageMeter {
 public:
  /// Counts from `from` on; earlier use is left out.
  explicit UsageMeter(Instant from) : from_(from) {}

  /// Notes that `state` is in force from `at` on. Groups and plans marked as changed are counted up
  /// to then, and their marks are cleared. `from_now`: the whole state was replaced, whatever is
  /// marked; use counts from here on.
  void changed(State& state, Instant at, bool from_now = false);
  /// Counts everything up to `until`; returns one row for each cluster and leaf, by name.
  Json rows(Instant until);

 private:
  enum Kind : uint8_t { owned, lent, borrowed, shared, in_transfer };
  __extension__ using Sum = __int128;  // slots times milliseconds
  using Sums = std::array<Sum, 5>;
  struct Rate {
    Sums* sums = nullptr;
    std::array<int64_t, 5> slots{};
  };
  /// A slot group of a lease, or a plan.
  struct Part {
    Instant counted_to;
    std::vector<Rate> rates;
  };
  struct Key {
    std::string cluster;
    std::string resource_group;  // "": leases without a plan
    std::string consumer;
    auto operator<=>(const Key&) const = default;
  };

  void begin(State& state, Instant at);
  void count(Part& part, Instant until) const;
  Part& part_at(std::vector<Part>& parts, uint32_t index) const;
  Sums* sums_of(const std::string& cluster, const std::string& group, const std::string& path);
  void rate_lease(const State& state, uint32_t group);
  void rate_plan(const State& state, uint32_t plan);

  Instant from_;
  std::vector<Part> leases_;  // by slot group
  std::vector<Part> plans_;
  std::map<Key, Sums> sums_;
};

}  // namespace leasehold
