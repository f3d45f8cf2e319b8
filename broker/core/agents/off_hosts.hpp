// Off hosts: the answer to a heartbeat lists those of the agent's own hosts that are not up and
// that it may switch on for waiting work of others, or that nobody else uses
// (schema/wire/PROTOCOL.md, "Hosts that are down", "Hosts that are asleep"). Reads only: no slot
// moves by it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/plan/asleep.hpp"

namespace leasehold {

inline constexpr size_t kOffHostsMost = 64;

/// Names of the cluster's hosts, at most so many of each.
struct OffHosts {
  std::vector<std::string> wake;
  std::vector<std::string> unused;
};

/// OffHostsFinder finds them, and remembers which hosts plans and waiting work want switched on:
/// that costs an evaluation, and as many agents may ask as there are providers.
class OffHostsFinder {
 public:
  using PlanRows = std::function<std::vector<RowRef>(const State& state, uint32_t resource_group)>;

  explicit OffHostsFinder(PlanRows plan_rows = plan_rows_to_wake)
      : plan_rows_(std::move(plan_rows)) {}

  /// Plans and work are looked at again after kEveryMs if any event came, else after kAtLastMs.
  static constexpr int64_t kEveryMs = 10'000;
  static constexpr int64_t kAtLastMs = 300'000;

  /// Costs a look at the cluster's hosts where all are up, else at its groups too. Where there are
  /// more hosts than kOffHostsMost each answer names others of them.
  OffHosts find(const State& state, uint32_t cluster, Instant now);

 private:
  struct Kept {
    Instant found_at;
    Instant as_of;  // State::now
    std::vector<RowRef> rows;
  };

  template <class Find>
  const std::vector<RowRef>& kept(std::map<uint32_t, Kept>& all, uint32_t index, const State& state,
                                  Instant now, const Find& find);
  std::set<uint32_t> to_wake(const State& state, uint32_t cluster, Instant now);

  PlanRows plan_rows_;
  uint64_t incarnation_ = 0;            // of the state that the positions below are of
  std::map<uint32_t, Kept> plans_;      // by position in State::resource_groups
  std::map<uint32_t, Kept> consumers_;  // of leases, by position in State::clusters
  std::map<uint32_t, uint32_t> turns_;  // answers so far, by cluster
};

}  // namespace leasehold
