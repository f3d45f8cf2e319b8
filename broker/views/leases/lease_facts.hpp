// LeaseFacts: the facts about one lease that rows of `leases`, metrics and pages show. In a slot
// group of a plan, which holds many leases, each fact is the consumer's own. It keeps what repeats
// from lease to lease (flips of a plan's consumers) and refers to the state, which must not change
// meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// True if the transfer concerns the lease of `member`: it involves only its two members.
bool concerns(const Transfer& transfer, size_t member);

class LeaseFacts {
 public:
  explicit LeaseFacts(const State& state) : state_(state), flips_(state.resource_groups.size()) {}

  struct Kind {
    const char* type = "";
    const char* rule = "";
  };
  /// Returns type and rule; under a plan the rule is the policy of the consumer's branch.
  Kind kind(const LeaseRef& lease) const;
  Reason reason(const LeaseRef& lease) const;
  /// Returns the id of the lease's group; under a plan the resource group's name.
  std::string group_name(const LeaseRef& lease) const;
  /// Returns the path of a plan's consumer; "": the lease is of a policy.
  std::string_view path(const LeaseRef& lease) const;
  /// True once work of the consumer has used a slot. A member of a plan needs no first job: it
  /// already has the slots that it is due.
  bool is_made(const LeaseRef& lease) const;
  /// True for the cluster of a leaf that the plan no longer names, once its slots are back.
  bool has_left(const LeaseRef& lease) const;
  /// Returns the slots exported for the lease; under a plan, those that the consumer holds.
  int64_t exported(const LeaseRef& lease) const;

  /// Returns what each side may use and uses on hosts that are up for both (a plan's provider: up
  /// for it). Unlike totals_of(), which evaluations read, it counts a draining lease too, because
  /// people ask what still runs there.
  Totals totals(const LeaseRef& lease) const;
  /// Returns the slots on their way; under a plan, those that were released for this consumer.
  int32_t in_transfer(const LeaseRef& lease) const;
  /// Returns the slots on their way, with those that their holder was asked to release and has not
  /// yet.
  int64_t asked_for(const LeaseRef& lease) const;

  struct SlotsDown {
    int64_t provider = 0;
    int64_t consumer = 0;
  };
  /// Returns the slots held on hosts that are not up for both sides (a plan's provider: not up for
  /// it): they stay there, neither idle nor used.
  SlotsDown slots_down(const LeaseRef& lease) const;

  /// Returns the flips of the lease; those of a plan's consumer are with any other consumer.
  int64_t flips(const LeaseRef& lease);
  /// Returns the last flip; of a plan's consumer, when it last gained slots. INT64_MIN ms: never
  /// yet.
  Instant last_flip(const LeaseRef& lease) const;
  /// Returns kNever where there is no next evaluation.
  Instant next_evaluation(const LeaseRef& lease) const;

 private:
  const SlotGroup& group(const LeaseRef& lease) const { return state_.slot_groups[lease.group]; }

  const State& state_;
  // By resource group and consumer; empty: not yet counted.
  std::vector<std::vector<int64_t>> flips_;
};

}  // namespace leasehold
