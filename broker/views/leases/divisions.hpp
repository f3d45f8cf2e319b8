// Divisions: hosts that may not be split, as people are shown them: who says so and why, and which
// of them lend nothing because a policy exports only a part. For the .cpp files of the views.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// A host of which a policy exports a part. Nothing of it is lent, because it may not be split.
struct PartNotLent {
  uint32_t host = 0;  // an index into the hosts of the policy's provider
  int32_t slots = 0;  // the most that one lease was to have
  wire::Division division = wire::Division::unsaid;
};

/// Returns the hosts by policy, in the order of State::policies.
std::vector<std::vector<PartNotLent>> parts_not_lent(const State& state);

/// Returns the reason in words: "its workload manager binds work to cores".
std::string why_indivisible(wire::Division division);
/// Returns what to write into the configuration so that something of the host is lent.
std::string remedy_of_part(const ExportPolicy& policy, const wire::HostFacts& host);

/// Returns [{"cluster","says"}]: first the owner, then those who may borrow the host. Clusters that
/// say nothing are left out.
Json division_json(const State& state, const Cluster& owner, const Host& host);
/// Returns false if a cluster says that the host may not be split; null if its owner does not say.
Json divisible_json(const Host& host);

}  // namespace leasehold
