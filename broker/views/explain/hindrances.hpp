// Hindrances: the sentences on what a lease, or a leaf of a plan, lacks to start a waiting job, and
// on what would change it. waiting.hpp collects them.
#pragma once

#include <string>
#include <vector>

#include "broker/views/explain/slots_seen.hpp"

namespace leasehold::explanation {

/// The reason why one lease, or one leaf of a plan, does not start a job of a bucket now.
struct Hindrance {
  std::string of;         // the lease, or the leaf's path
  const char* role = "";  // of the cluster there
  Obstacle what = Obstacle::not_started;
  std::string sentence;
  std::vector<std::string> changes;  // what would end it
};

/// A lease that the cluster has or provides.
struct AtLease {
  const State& state;
  uint32_t index;  // of the group
  const SlotGroup& group;
  uint8_t member;
  std::string id;
  std::string waits_for;  // as explain of the lease says; "": the rule decides
};

/// A leaf of the cluster in a plan.
struct AtLeaf {
  const State& state;
  const PlanNow& now;
  uint32_t consumer;
  std::string cluster;
};

Hindrance at_lease(const AtLease& at, const SlotsSeen& seen, const wire::DemandBucket& bucket);
Hindrance at_leaf(const AtLeaf& at, const SlotsSeen& seen, const wire::DemandBucket& bucket);
/// Says that a provider has no leaf in the plan of its slots.
Hindrance without_leaf(const std::string& plan, const std::string& cluster);

int64_t slots_of_job(const wire::DemandBucket& bucket);
/// True if the job does not fit, whatever is idle.
bool is_too_small(Obstacle what);
/// Says that slots of the cluster start the job, or will. Contract: not_started or on_way.
std::string own_words(Obstacle what, const std::string& cluster);
std::string in_use_words(const Found& found);
/// Says what is too small for the job; `of`: whose hosts those are. Contract: is_too_small().
std::string too_small_words(const Found& found, const wire::DemandBucket& bucket,
                            const std::string& of);
/// Says which change of what is exported makes the job fit; `where`: "policy pool". Contract: the
/// same.
std::string larger_words(const Found& found, const wire::DemandBucket& bucket,
                         const std::string& where);

}  // namespace leasehold::explanation
