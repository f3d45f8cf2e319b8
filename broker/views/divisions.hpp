// Divisions: hosts that may not be split, as people are told of them: who says so and why, and of
// which of them nothing is lent because a policy exports a part. For the .cpp files of the views.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// A host of which a policy exports a part, and nothing is lent because it may not be split.
struct PartNotLent {
  uint32_t host = 0;  // of the policy's provider
  int32_t slots = 0;  // the most that one lease was to have
  wire::Division division = wire::Division::unsaid;
};

/// By policy, in State::policies.
std::vector<std::vector<PartNotLent>> parts_not_lent(const State& state);

/// "its workload manager binds work to cores"
std::string why_indivisible(wire::Division division);
/// What to write so that something of the host is lent.
std::string mend_of_part(const ExportPolicy& policy, const wire::HostFacts& host);

/// [{"cluster","says"}]: its owner first, then who may borrow it; of those that say nothing none.
Json division_json(const State& state, const Cluster& owner, const Host& host);
/// false: somebody says that it may not be split; null: its owner does not say.
Json divisible_json(const Host& host);

}  // namespace leasehold
