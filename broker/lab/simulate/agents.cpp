#include "broker/lab/simulate/agents.hpp"

#include <algorithm>
#include <variant>

#include "broker/lab/simulate/scenario/configuration.hpp"
#include "broker/lab/simulate/work.hpp"
#include "common/bounds.hpp"
#include "common/check.hpp"

namespace leasehold {

namespace {

uint64_t session_of(uint32_t cluster) {
  return cluster + 1;
}

void add_hosts(const std::vector<std::string>& names, int32_t slots, InventoryReported& inventory) {
  for (const std::string& name : names) {
    wire::HostFacts facts;
    facts.name = name;
    facts.slots = slots;
    inventory.hosts.push_back(std::move(facts));
  }
}

}  // namespace

SimulatedAgents::SimulatedAgents(const Scenario& scenario, const SimulationRule& rule,
                                 const VirtualSite& site, std::vector<JobModel>& models,
                                 Watcher* watcher)
    : scenario_(scenario),
      rule_(rule),
      site_(site),
      names_(name_hosts(scenario)),
      models_(models),
      watcher_(watcher),
      agents_(models.size()) {
  for (uint32_t i = 0; i < models.size(); ++i) {
    StateReported report;
    report.cluster = scenario.clusters[i].name;
    report.session = session_of(i);
    agents_[i].report = std::move(report);
    add_policy_hosts(i);
  }
}

void SimulatedAgents::add_policy_hosts(uint32_t cluster) {
  JobModel& model = models_[cluster];
  for (const ScenarioPolicy& policy : scenario_.policies) {
    std::vector<uint32_t>& first = agents_[cluster].first_hosts.emplace_back();
    const size_t parts = is_planned(rule_, policy) ? 1 : policy.distribution.size();
    for (size_t part = 0; part < parts; ++part) {
      first.push_back(static_cast<uint32_t>(model.hosts()));
      for (int32_t host = 0; host < policy.hosts; ++host) model.add_host(0, 0);
    }
  }
}

AgentHello SimulatedAgents::hello(uint32_t cluster) const {
  AgentHello hello;
  hello.cluster = scenario_.clusters[cluster].name;
  hello.state_id = cluster + 1;
  hello.boot = 1;
  hello.session = session_of(cluster);
  hello.fences = {true, true, true};
  return hello;
}

InventoryReported SimulatedAgents::inventory(uint32_t cluster) const {
  InventoryReported inventory;
  const ScenarioCluster& own = scenario_.clusters[cluster];
  inventory.cluster = own.name;
  inventory.session = session_of(cluster);
  if (own.slots > 0) add_hosts(names_.own[cluster], own.slots_per_host(), inventory);
  for (const ScenarioPolicy& policy : scenario_.policies) {
    if (policy.provider != cluster) continue;
    add_hosts(names_.exported[index_of(policy)], policy.slots_per_host(), inventory);
  }
  return inventory;
}

size_t SimulatedAgents::index_of(const ScenarioPolicy& policy) const {
  return static_cast<size_t>(&policy - scenario_.policies.data());
}

void SimulatedAgents::adopt_groups() {
  const auto& groups = site_.state().slot_groups;
  const size_t known = rule_.planned ? 0 : sides_of_.size();
  sides_of_.resize(groups.size());
  for (auto group = static_cast<uint32_t>(known); group < groups.size(); ++group) {
    const auto members = static_cast<uint32_t>(groups[group].members.size());
    for (auto m = static_cast<uint32_t>(sides_of_[group].size()); m < members; ++m) {
      add_side(group, m);
    }
  }
}

uint32_t SimulatedAgents::policy_of(const SlotGroup& group) const {
  const std::string& name = site_.state().policies[group.policy].config.name;
  const auto same = [&name](const ScenarioPolicy& policy) { return policy.name == name; };
  const auto& all = scenario_.policies;
  return static_cast<uint32_t>(std::find_if(all.begin(), all.end(), same) - all.begin());
}

bool SimulatedAgents::by_host(const SlotGroup& group) const {
  const ScenarioPolicy& policy = scenario_.policies[policy_of(group)];
  return is_planned(rule_, policy) || (rule_.by_demand() && policy.provider_first);
}

uint32_t SimulatedAgents::first_host(const SlotGroup& group, uint32_t cluster) const {
  const uint32_t policy = policy_of(group);
  const std::vector<uint32_t>& first = agents_[cluster].first_hosts[policy];
  if (first.size() == 1) return first.front();
  const std::string& consumer = site_.state().clusters[group.members[kConsumer].cluster].name;
  const auto& shares = scenario_.policies[policy].distribution;
  const auto same = [&consumer](const Share& share) { return share.cluster == consumer; };
  const auto at = std::find_if(shares.begin(), shares.end(), same);
  return first[static_cast<size_t>(at - shares.begin())];
}

/// Hosts are found by name, because a group may have only some of the policy's hosts.
void SimulatedAgents::add_rows(uint32_t index, MemberSide& side) {
  const SlotGroup& group = site_.state().slot_groups[index];
  const std::vector<std::string>& names = names_.exported[policy_of(group)];
  const uint32_t provider = group.members[kProvider].cluster;
  const std::vector<Host>& known = site_.state().clusters[provider].hosts;
  const uint32_t first = first_host(group, side.cluster());
  for (size_t row = side.hosts(); row < group.hosts.size(); ++row) {
    const std::string& name = known[group.hosts[row].host].facts.name;
    const auto at = std::find(names.begin(), names.end(), name);
    LEASEHOLD_CHECK(at != names.end(), "a group has a host that its policy does not export");
    side.add_host(first + static_cast<uint32_t>(at - names.begin()));
  }
}

void SimulatedAgents::add_side(uint32_t index, uint32_t member) {
  const SlotGroup& group = site_.state().slot_groups[index];
  const uint32_t cluster = group.members[member].cluster;
  agents_[cluster].sides.push_back(sides());
  sides_of_[index].push_back(sides());
  sides_.emplace_back(cluster, group.generation, models_[cluster], by_host(group));
  add_rows(index, sides_.back());
}

uint32_t SimulatedAgents::side_of(const CoreOrder& order) const {
  const uint32_t group = find_slot_group(site_.state(), order.generation);
  LEASEHOLD_CHECK(group != kNoIndex, "an order names a group that nobody knows");
  const uint32_t member = member_of(site_.state().slot_groups[group], order.cluster);
  LEASEHOLD_CHECK(member != kNoIndex, "an order went to a cluster that is no member");
  return sides_of_[group][member];
}

/// A plan goes by it, so there it does not depend on whether a history is kept.
bool SimulatedAgents::tells_work() const {
  if (rule_.planned) return is_host_by_host(scenario_);
  return rule_.by_demand() || site_.keeps_history();
}

wire::StateBlock& SimulatedAgents::fresh_block(uint32_t cluster, Instant now) {
  const JobModel& model = models_[cluster];
  auto& report = std::get<StateReported>(agents_[cluster].report);
  std::vector<agent::WaitingWork> claimed;
  if (watcher_ != nullptr) claimed = watcher_->claims(cluster, now);
  report.pending =
      std::min<int64_t>(kSlotsMax, model.pending_slots() + agent::slots_wanted(claimed));
  report.state.clear();
  const bool by_demand = rule_.by_demand();
  const Limits limits = by_demand ? Limits::stated : Limits::unstated;
  if (tells_work()) tell_work(model, site_.ahead_ms(), limits, claimed, report);
  if (by_demand) {
    tell_ending(model, agents_[cluster].endings, now, report);
    tell_elsewhere(model, scenario_.clusters[cluster].hosts, report);
  }
  if (watcher_ != nullptr) watcher_->tell(cluster, model, now, report);
  agents_[cluster].pending_known = model.pending_slots();
  return report.state;
}

Event& SimulatedAgents::answer(uint32_t side, Instant now) {
  const uint32_t cluster = sides_[side].cluster();
  sides_[side].state(fresh_block(cluster, now));
  return agents_[cluster].report;
}

Event* SimulatedAgents::news(uint32_t cluster, Instant now) {
  Agent& agent = agents_[cluster];
  const bool news = watcher_ != nullptr || tells_work() ||
                    models_[cluster].pending_slots() != agent.pending_known ||
                    std::any_of(agent.sides.begin(), agent.sides.end(),
                                [this](uint32_t side) { return sides_[side].has_news(); });
  if (!news) return nullptr;
  wire::StateBlock& block = fresh_block(cluster, now);
  for (const uint32_t index : agent.sides) {
    if (!sides_[index].owes_answer()) sides_[index].state(block);
  }
  return &agent.report;
}

void SimulatedAgents::end_overdue(Instant now, ConsumerMeter& meter) {
  for (uint32_t g = 0; g < sides_of_.size(); ++g) {
    const SlotGroup& group = site_.state().slot_groups[g];
    if (sides_of_[g].empty() || !sides_[sides_of_[g].front()].by_host()) continue;
    std::vector<int64_t> usable(group.hosts.size(), 0);
    for (size_t m = 0; m < sides_of_[g].size(); ++m) {
      MemberSide& side = sides_[sides_of_[g][m]];
      const int64_t ended = side.end_overdue(scenario_.transfer_time_ms, now);
      jobs_requeued_ += ended;
      if (ended > 0) meter.ended(group.resource_group, group.members[m].plan_consumer, ended);
      for (size_t row = 0; row < side.hosts(); ++row) usable[row] += side.cap(row);
    }
    for (size_t row = 0; row < usable.size(); ++row) {
      LEASEHOLD_CHECK(usable[row] <= group.hosts[row].exported, "simulated slots have two users");
    }
  }
}

Instant SimulatedAgents::next_delivery() const {
  Instant soonest = kNever;
  for (const MemberSide& side : sides_) soonest = std::min(soonest, side.next_delivery());
  return soonest;
}

int64_t SimulatedAgents::cap(uint32_t cluster, const ScenarioPolicy& policy) const {
  int64_t cap = 0;
  for (const uint32_t first : agents_[cluster].first_hosts[index_of(policy)]) {
    for (uint32_t host = first; host < first + static_cast<uint32_t>(policy.hosts); ++host) {
      cap += models_[cluster].cap(host);
    }
  }
  return cap;
}

int64_t SimulatedAgents::slot_ms_lost() const {
  int64_t lost = 0;
  for (const MemberSide& side : sides_) lost += side.slot_ms_lost();
  return lost;
}

}  // namespace leasehold
