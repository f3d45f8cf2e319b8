// LeaseFacts: what is told of one lease, whoever tells it: rows of `leases`, metrics, pages. Of a
// plan's slot group, which many leases lie in, each fact is the consumer's own. Not how it is told.
// It keeps what repeats from lease to lease (flips of a plan's consumers), and copies nothing of
// the state, which must stay as it is meanwhile.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Of a plan's slot group a transfer is of two members, and none of the others' business.
bool concerns(const SlotGroup& group, const Transfer& transfer, size_t member);

class LeaseFacts {
 public:
  explicit LeaseFacts(const State& state) : state_(state), flips_(state.resource_groups.size()) {}

  struct Kind {
    const char* type = "";
    const char* rule = "";
  };
  /// Type and rule; of a plan the policy of the consumer's branch.
  Kind kind(const LeaseRef& lease) const;
  Reason reason(const LeaseRef& lease) const;

  /// Slots on their way: of a plan those that were released for this consumer.
  int32_t in_transfer(const LeaseRef& lease) const;
  /// Of those on their way, also what its holder was asked to release and has not yet.
  int64_t asked_for(const LeaseRef& lease) const;

  struct SlotsDown {
    int64_t provider = 0;
    int64_t consumer = 0;
  };
  /// Held on hosts that one of the two sides does not call up: they stay there, neither idle nor
  /// used.
  SlotsDown slots_down(const LeaseRef& lease) const;

  /// Of a plan's consumer: between it and any other.
  int64_t flips(const LeaseRef& lease);
  /// Of a plan's consumer: when it last gained slots. INT64_MIN ms: never yet.
  Instant last_flip(const LeaseRef& lease) const;
  /// kNever: none is to come.
  Instant next_evaluation(const LeaseRef& lease) const;

 private:
  const SlotGroup& group(const LeaseRef& lease) const { return state_.slot_groups[lease.group]; }
  const std::vector<int64_t>& flips_by_consumer(uint32_t resource_group);

  const State& state_;
  std::vector<std::vector<int64_t>> flips_;  // by resource group and consumer; empty: not yet asked
};

}  // namespace leasehold
