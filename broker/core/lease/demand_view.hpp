// Builds the view of one lease for the rule demand-aware (broker/rules/demand_aware): idle slots by
// host, the waiting work of its members by shape, what they have elsewhere and what is about to end
// there. It reads the state alone. by_demand.hpp asks the rule and keeps what it remembers.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "broker/core/model/queries/being_served.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/state.hpp"
#include "broker/rules/demand_aware/view.hpp"

namespace leasehold {

/// True if the rule in force reads work and remembers what it did.
bool goes_by_demand(const State& state, const SlotGroup& group);
/// Selects the members of whom it is read what they have outside the group and what ends there.
/// `if_of_use`: those who could be given slots; the rule asks it of no other.
enum class Outside : uint8_t { read, if_of_use };

/// Makes views of many leases, one after another: what waits at a cluster is read once, and the
/// memory of one view is that of the next.
class ViewReader {
 public:
  /// Contract: the instant is the same, and no report is taken, up to the last view.
  explicit ViewReader(const State& state) : state_(state) {}
  /// Returns the waiting work of a cluster by bucket, whatever host types will do; none if its
  /// agent tells no shapes.
  const std::vector<demand_aware::Waiting>& waiting_of(uint32_t cluster);
  demand_aware::View empty_view();
  /// The view is not needed any more.
  void give_back(demand_aware::View&& view) { used_ = std::move(view); }

 private:
  const State& state_;
  std::unordered_map<uint32_t, std::vector<demand_aware::Waiting>> waiting_;  // by cluster
  demand_aware::View used_;
};

/// The group as it is; `counted`: as it would be. Contract: of a lease.
demand_aware::View demand_view(const State& state, const SlotGroup& group,
                               Asleep asleep = Asleep::left_out, Outside outside = Outside::read,
                               ViewReader* reader = nullptr);
/// Returns the idle slots of the group, host by host. Contract: of a lease.
std::vector<demand_aware::IdleRow> idle_rows(const State& state, const SlotGroup& group);
/// Returns the slots of the group that the member could give.
int64_t idle_by_demand(const State& state, const SlotGroup& group, size_t member);

}  // namespace leasehold
