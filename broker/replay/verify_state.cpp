#include "broker/replay/verify_state.hpp"

#include <algorithm>

#include "broker/record/state_bytes.hpp"

namespace leasehold {

namespace {

const std::string kReset = "members that a start resets";

using Facts = std::vector<std::pair<std::string, std::string>>;

Difference difference_in(std::string what, std::string recorded, std::string computed) {
  return {0, std::move(what), std::move(recorded), std::move(computed)};
}

/// Returns the first fact in which two things differ; a difference without a name is called `rest`.
Difference first_of(const std::string& of, const Facts& recorded, const Facts& computed,
                    const std::string& rest) {
  for (size_t i = 0; i < std::min(recorded.size(), computed.size()); ++i) {
    if (recorded[i] == computed[i]) continue;
    return difference_in(recorded[i].first + " of " + of, recorded[i].second, computed[i].second);
  }
  return difference_in(rest + " of " + of, kOtherBytes, kOtherBytes);
}

std::string text(uint64_t number) {
  return std::to_string(number);
}
std::string text(int64_t number) {
  return std::to_string(number);
}

Facts facts_of(const SlotGroup& group) {
  Facts facts{{"phase", token(group.phase)},
              {"epoch", text(group.epoch)},
              {"reason", std::string(token(group.reason))},
              {"open transfers", text(uint64_t{group.transfers.size()})},
              {"flips", text(group.flips)},
              {"start of the phase", format_utc(group.since)}};
  for (size_t m = 0; m < group.members.size(); ++m) {
    facts.emplace_back("seq of member " + text(uint64_t{m}), text(group.members[m].seq));
  }
  for (size_t host = 0; host < group.hosts.size(); ++host) {
    const std::string at = " on host " + text(uint64_t{host});
    facts.emplace_back("exported" + at, text(int64_t{group.hosts[host].exported}));
    facts.emplace_back("target" + at, text(int64_t{group.hosts[host].target}));
    facts.emplace_back("in transfer" + at, text(int64_t{group.hosts[host].in_transfer}));
    facts.emplace_back("unallocated" + at, text(int64_t{group.hosts[host].unallocated}));
    facts.emplace_back("just exported" + at, text(int64_t{group.hosts[host].just_exported}));
    for (size_t m = 0; m < group.members.size(); ++m) {
      const Holding& holding = group.at(host, m);
      facts.emplace_back("held by member " + text(uint64_t{m}) + at, text(int64_t{holding.held}));
      facts.emplace_back("due to member " + text(uint64_t{m}) + at, text(int64_t{holding.due}));
      facts.emplace_back("withheld from member " + text(uint64_t{m}) + at,
                         holding.withheld ? "yes" : "no");
    }
  }
  return facts;
}

Facts facts_of(const Cluster& cluster) {
  return {{"name", cluster.name},
          {"seq", text(cluster.seq)},
          {"boot counter", text(cluster.boot)},
          {"machine", cluster.identity.machine},
          {"process", text(cluster.identity.process)},
          {"number of hosts", text(uint64_t{cluster.hosts.size()})},
          {"draining of imports", cluster.draining_imports ? "yes" : "no"},
          {"draining of exports", cluster.draining_exports ? "yes" : "no"},
          {"configured", cluster.configured ? "yes" : "no"}};
}

Facts facts_of(const PolicyState& policy) {
  return {{"name", policy.config.name},
          {"configured", policy.configured ? "yes" : "no"},
          {"open", policy.open ? "yes" : "no"},
          {"chosen", policy.chosen ? "yes" : "no"}};
}

Facts facts_of(const ResourceGroupLedger& plan) {
  Facts facts{{"name", plan.name},
              {"configured", plan.configured ? "yes" : "no"},
              {"variant", text(uint64_t{plan.variant})},
              {"number of consumers", text(uint64_t{plan.consumers.size()})},
              {"number of pairs", text(uint64_t{plan.pairs.size()})},
              {"last evaluation", text(plan.evaluated_at.ms)}};
  const NumberNames& names = number_names(RecordKind::consumer);
  for (const PlanConsumerLedger& consumer : plan.consumers) {
    facts.emplace_back("path", consumer.path);
    facts.emplace_back("reason of " + consumer.path, std::string(token(consumer.reason)));
    for (size_t i = 0; i < names.size(); ++i) {
      facts.emplace_back(std::string(names[i]) + " of " + consumer.path, text(consumer.numbers[i]));
    }
  }
  return facts;
}

Facts facts_of_rest(const State& state) {
  return {{"next generation", text(state.generation_next)},
          {"next transfer", text(state.transfer_next)},
          {"frozen", state.frozen ? "yes" : "no"},
          {"freeze ahead", state.freeze_ahead ? "yes" : "no"},
          {"name", state.config.name},
          {"number of grids", text(uint64_t{state.grids.size()})}};
}

std::string name_of(const State& state, const SlotGroup& group) {
  return "lease " + lease_id(state, group) + " (generation " + text(group.generation) + ")";
}
std::string name_of(const State&, const Cluster& cluster) {
  return "cluster " + cluster.name;
}
std::string name_of(const State&, const PolicyState& policy) {
  return "policy " + policy.config.name;
}
std::string name_of(const State&, const ResourceGroupLedger& plan) {
  return "resource group " + plan.name;
}

template <class Rows>
std::optional<Difference> compare(const State& recorded, const Rows& a, const Rows& b,
                                  const char* plural) {
  std::string left;
  std::string right;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    left.clear();
    right.clear();
    encode_durable(a[i], left);
    encode_durable(b[i], right);
    if (left == right) continue;
    return first_of(name_of(recorded, a[i]), facts_of(a[i]), facts_of(b[i]), "another part");
  }
  if (a.size() == b.size()) return std::nullopt;
  return difference_in(std::string("number of ") + plural, text(uint64_t{a.size()}),
                       text(uint64_t{b.size()}));
}

}  // namespace

std::optional<Difference> first_difference(const State& recorded, const State& computed) {
  if (auto found = compare(recorded, recorded.clusters, computed.clusters, "clusters")) {
    return found;
  }
  if (auto found = compare(recorded, recorded.policies, computed.policies, "policies")) {
    return found;
  }
  if (auto found = compare(recorded, recorded.resource_groups, computed.resource_groups,
                           "resource groups")) {
    return found;
  }
  if (auto found = compare(recorded, recorded.slot_groups, computed.slot_groups, "slot groups")) {
    return found;
  }
  std::string left;
  std::string right;
  encode_durable_rest(recorded, left);
  encode_durable_rest(computed, right);
  if (left == right) return std::nullopt;
  return first_of("the broker", facts_of_rest(recorded), facts_of_rest(computed), "configuration");
}

namespace {

void forget_what_waits(State& state) {
  for (Grid& grid : state.grids) {
    grid.changed.clear();
    grid.cursor = 0;
    grid.next = grid.last = {};  // they change without anything to record
  }
  for (ResourceGroupLedger& plan : state.resource_groups) {
    plan.evaluate_flag = false;
    plan.react_at = kNever;
  }
  state.deadlines.clear();
  state.returning.clear();
  state.returned = 0;
  state.returning_next = kNever;
  state.now = {};
}

/// Returns the bytes of a state that contains only `of`.
template <class Rows>
std::string bytes_of_one(Rows State::*list, const typename Rows::value_type& of) {
  State one;
  (one.*list).push_back(of);
  std::string bytes;
  encode_state(one, bytes);
  return bytes;
}

template <class Rows, class Name>
std::optional<Difference> differing(Rows State::*list, const State& left, const State& right,
                                    Name name) {
  for (size_t i = 0; i < std::min((left.*list).size(), (right.*list).size()); ++i) {
    if (bytes_of_one(list, (left.*list)[i]) == bytes_of_one(list, (right.*list)[i])) continue;
    return difference_in(kReset + " of " + name(left, (left.*list)[i]), kOtherBytes, kOtherBytes);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Difference> difference_but_reset(State recorded, State computed) {
  forget_what_waits(recorded);
  forget_what_waits(computed);
  std::string left;
  std::string right;
  encode_state(recorded, left);
  encode_state(computed, right);
  if (left == right) return std::nullopt;
  auto found = differing(&State::clusters, recorded, computed,
                         [](const State&, const Cluster& cluster) { return cluster.name; });
  if (!found) {
    found = differing(&State::slot_groups, recorded, computed,
                      [](const State& in, const SlotGroup& group) { return group_id(in, group); });
  }
  return found ? found : difference_in(kReset, kOtherBytes, kOtherBytes);
}

}  // namespace leasehold
