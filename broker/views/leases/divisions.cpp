#include "broker/views/leases/divisions.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/core/model/queries/hosts.hpp"

namespace leasehold {

namespace {

void note_part(std::vector<PartNotLent>& parts, const PartNotLent& part) {
  const auto known = std::find_if(parts.begin(), parts.end(),
                                  [&](const PartNotLent& one) { return one.host == part.host; });
  if (known == parts.end()) {
    parts.push_back(part);
  } else {
    known->slots = std::max(known->slots, part.slots);
  }
}

}  // namespace

std::vector<std::vector<PartNotLent>> parts_not_lent(const State& state) {
  std::vector<std::vector<PartNotLent>> by_policy(state.policies.size());
  for (const SlotGroup& group : state.slot_groups) {
    if (group.phase == Phase::closed || group.policy == kNoIndex) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      if (!lends_no_part(state, group, row)) continue;
      note_part(by_policy[group.policy], {group.hosts[row].host, policy_slots(state, group, row),
                                          division_of(state, group, row)});
    }
  }
  return by_policy;
}

std::string why_indivisible(wire::Division division) {
  switch (division) {
    case wire::Division::whole_nodes:
      return "a workload manager gives out whole hosts there";
    case wire::Division::pinned_cores:
      return "a workload manager binds work to cores there";
    case wire::Division::memory:
      return "a workload manager gives out its memory";
    case wire::Division::devices:
      return "it has devices";
    case wire::Division::by_operator:
      return "the operator of an agent says so: [hosts] divisible = \"no\"";
    case wire::Division::unsaid:
    case wire::Division::divisible:
    case wire::Division::divisible_by_operator:
    case wire::Division::other_reason:
      break;
  }
  return "an agent says so";
}

std::string remedy_of_part(const ExportPolicy& policy, const wire::HostFacts& host) {
  const std::string all = std::to_string(host.slots);
  const bool dealt = policy.distribution.size() > 1 && !policy.by_host;
  return "export all of its slots to one consumer: slots_per_host = " + all + " in policy " +
         policy.name + (dealt ? ", with unit = \"host\" or one consumer" : "") +
         ", then leasectl reload; or, if parts of it can be used side by side, [hosts] divisible = "
         "\"yes\" at the agents that say otherwise";
}

Json division_json(const State& state, const Cluster& owner, const Host& host) {
  Json list = Json::array();
  const auto add = [&list](const std::string& cluster, wire::Division division) {
    if (division == wire::Division::unsaid) return;
    list.push_back({{"cluster", cluster}, {"says", token(division)}});
  };
  add(owner.name, host.facts.division);
  for (const DivisionSaid& said : host.divisions) {
    add(state.clusters[said.cluster].name, said.division);
  }
  return list;
}

Json divisible_json(const Host& host) {
  if (is_indivisible(strictest_division(host))) return false;
  return host.facts.division == wire::Division::unsaid ? Json(nullptr) : Json(true);
}

}  // namespace leasehold
