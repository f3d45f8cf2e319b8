// A digest of what of a State is durable.
#pragma once

#include <string>

#include "broker/record/hash.hpp"
#include "broker/record/state_bytes.hpp"

namespace leasehold::test {

/// Returns BLAKE2b over the durable part: equal for a state, for the same state after commit and
/// load, and for the state at the end of a replay of its history.
inline Hash state_digest(const State& state) {
  std::string all;
  encode_durable_rest(state, all);
  for (const Cluster& cluster : state.clusters) encode_durable(cluster, all);
  for (const PolicyState& policy : state.policies) encode_durable(policy, all);
  for (const SlotGroup& group : state.slot_groups) encode_durable(group, all);
  for (const ResourceGroupLedger& plan : state.resource_groups) encode_durable(plan, all);
  return hash_of(all);
}

}  // namespace leasehold::test
