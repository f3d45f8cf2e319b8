#include "broker/replay/simulate_broker.hpp"

#include <algorithm>
#include <variant>

#include "broker/core/reduce.hpp"
#include "broker/core/step.hpp"
#include "common/check.hpp"

namespace leasehold {
namespace {

constexpr int64_t kCommitEvents = 8192;

uint64_t session_of(uint32_t cluster) {
  return cluster + 1;
}

std::string own_host(const Scenario& scenario, uint32_t cluster) {
  std::string name = scenario.clusters[cluster].name;
  const auto taken = [&](const ScenarioPolicy& policy) { return policy.name == name; };
  while (std::any_of(scenario.policies.begin(), scenario.policies.end(), taken)) name += "-own";
  return name;
}

wire::HostFacts host_of(std::string name, int32_t slots) {
  wire::HostFacts facts;
  facts.name = std::move(name);
  facts.slots = slots;
  return facts;
}

}  // namespace

VirtualBroker::VirtualBroker(const Scenario& scenario, std::vector<JobModel>& models, Store* store)
    : scenario_(scenario), models_(models), store_(store), agents_(models.size()) {
  for (uint32_t i = 0; i < models.size(); ++i) {
    StateReported report;
    report.cluster = scenario.clusters[i].name;
    report.session = session_of(i);
    agents_[i].report = std::move(report);
    agents_[i].model_hosts.resize(scenario.policies.size());
    for (size_t p = 0; p < scenario.policies.size(); ++p) {
      const size_t consumers = scenario.policies[p].distribution.size();
      for (size_t c = 0; c < consumers; ++c) {
        agents_[i].model_hosts[p].push_back(models[i].add_host(0, 0));
      }
    }
  }
}

BrokerConfig VirtualBroker::configuration() const {
  BrokerConfig config;
  config.name = "simulate";
  config.reclaim_delay_ms = scenario_.reclaim_delay_ms;
  // An answer that is as late as the transfer takes is in time.
  config.transfer_timeout_ms = scenario_.transfer_time_ms + 30'000;
  for (const ScenarioCluster& cluster : scenario_.clusters) {
    config.clusters.push_back({cluster.name, "", scenario_.reclaim_delay_ms, {}});
  }
  for (const ScenarioPolicy& policy : scenario_.policies) {
    ExportPolicy exported;
    exported.name = policy.name;
    exported.provider = scenario_.clusters[policy.provider].name;
    exported.hosts = {policy.name};
    exported.slots_per_host = policy.slots;
    exported.distribution = policy.distribution;
    exported.type = policy.type;
    exported.rule =
        policy.type == LeaseType::shared ? RuleKind::idle_comparison : RuleKind::exclusive;
    exported.initial_slots = policy.initial_slots;
    config.policies.push_back(std::move(exported));
  }
  return config;
}

void VirtualBroker::feed(const Event& event, Instant now) {
  effects_.clear();
  now = now + core_ahead_ms_;
  const bool recorded = step(state_, event, now, effects_);
  if (store_ != nullptr && recorded) {
    store_->append(event, now, effects_.records, state_);
    ++uncommitted_;
  }
  for (const Record& row : effects_.records) {
    if (row.kind != RecordKind::flip) continue;
    ++flips_;
    slots_moved_ += row.slots;
  }
  for (const SendOrder& order : effects_.orders) {
    const auto hosts = effects_.hosts_of(order);
    LEASEHOLD_CHECK(hosts.size() <= 1, "a simulated group has one host");
    orders_.push_back(
        {order.cluster, order.generation, order.seq, hosts.empty() ? -1 : hosts.front().limit});
  }
}

void VirtualBroker::feed_hello(uint32_t cluster, Instant now) {
  AgentHello hello;
  hello.cluster = scenario_.clusters[cluster].name;
  hello.state_id = cluster + 1;
  hello.boot = 1;
  hello.session = session_of(cluster);
  hello.fences = {true, true, true};
  feed(hello, now);
}

void VirtualBroker::feed_inventory(uint32_t cluster, Instant now) {
  InventoryReported inventory;
  inventory.cluster = scenario_.clusters[cluster].name;
  inventory.session = session_of(cluster);
  if (const int32_t own = scenario_.clusters[cluster].slots; own > 0) {
    inventory.hosts.push_back(host_of(own_host(scenario_, cluster), own));
  }
  for (const ScenarioPolicy& policy : scenario_.policies) {
    if (policy.provider == cluster) inventory.hosts.push_back(host_of(policy.name, policy.slots));
  }
  feed(inventory, now);
}

Status VirtualBroker::begin(Instant now) {
  core_ahead_ms_ = -now.ms;
  if (store_ != nullptr) {
    Result<State> fresh = store_->load();
    if (!fresh) return tl::unexpected(fresh.error());
    state_ = std::move(*fresh);
  }
  feed(BrokerStarted{1, false}, now);
  feed(ConfigLoaded{configuration(), {}, "start"}, now);
  for (uint32_t i = 0; i < agents_.size(); ++i) {
    feed_hello(i, now);
    feed_inventory(i, now);
    carry_out_orders(now);
  }
  for (uint32_t i = 0; i < agents_.size(); ++i) {
    for (const uint32_t side : agents_[i].sides) answer(side, now);
    carry_out_orders(now);
  }
  begun_ = true;
  return check_offers();
}

/// The groups that the core has made since; each gives its two agents a side.
void VirtualBroker::adopt_groups() {
  for (auto group = static_cast<uint32_t>(sides_.size() / 2); group < state_.groups.size();
       ++group) {
    add_side(group, kProvider);
    add_side(group, kConsumer);
  }
}

void VirtualBroker::add_side(uint32_t index, uint8_t member) {
  const Group& group = state_.groups[index];
  const ExportPolicy& policy = state_.policies[group.policy].config;
  const std::string& consumer = state_.clusters[group.members[kConsumer].cluster].name;
  const auto same_policy = [&](const ScenarioPolicy& p) { return p.name == policy.name; };
  const auto same_share = [&](const Share& share) { return share.cluster == consumer; };
  const auto p = std::find_if(scenario_.policies.begin(), scenario_.policies.end(), same_policy);
  const auto c = std::find_if(p->distribution.begin(), p->distribution.end(), same_share);
  const uint32_t cluster = group.members[member].cluster;
  Side side;
  side.cluster = cluster;
  side.generation = group.generation;
  side.host = agents_[cluster].model_hosts[static_cast<size_t>(p - scenario_.policies.begin())]
                                          [static_cast<size_t>(c - p->distribution.begin())];
  agents_[cluster].sides.push_back(static_cast<uint32_t>(sides_.size()));
  sides_.push_back(side);
}

uint32_t VirtualBroker::find_side(uint32_t cluster, uint64_t generation) const {
  const uint32_t group = find_group(state_, generation);
  LEASEHOLD_CHECK(group != kNoIndex, "an order names a group that nobody knows");
  const uint32_t member = member_of(state_.groups[group], cluster);
  LEASEHOLD_CHECK(member != kNoIndex, "an order went to a cluster that is no member");
  return group * 2 + member;
}

bool VirtualBroker::carry_out_orders(Instant now) {
  adopt_groups();
  bool opened = false;
  while (!orders_.empty()) {
    const Order order = orders_.front();
    orders_.pop_front();
    if (apply(order, now)) opened = true;
    adopt_groups();
  }
  commit_sometimes();
  return opened;
}

/// True: the agent's cluster may use more slots than before.
bool VirtualBroker::apply(const Order& order, Instant now) {
  const uint32_t index = find_side(order.cluster, order.generation);
  Side& side = sides_[index];
  if (order.seq <= side.seq) return false;
  side.seq = order.seq;
  JobModel& model = models_[side.cluster];
  const int32_t before = model.cap(side.host);
  const int32_t used = model.used(side.host);
  int32_t limit = before;
  if (order.limit >= before) limit = order.limit;
  if (order.limit >= 0 && order.limit < before) {
    limit = std::max(order.limit, std::min(before, used));
  }
  model.set_cap(side.host, limit);
  if (begun_ && limit < before && scenario_.transfer_time_ms > 0) {
    side.answer_at = now + scenario_.transfer_time_ms;
  } else {
    side.answer_at = kNever;
    answer(index, now);
  }
  return limit > before;
}

wire::StateBlock& VirtualBroker::fresh_block(uint32_t cluster) {
  auto& report = std::get<StateReported>(agents_[cluster].report);
  report.pending = models_[cluster].pending_slots();
  report.state.clear();
  agents_[cluster].pending_reported = report.pending;
  return report.state;
}

void VirtualBroker::state_side(uint32_t index, wire::StateBlock& block) {
  Side& side = sides_[index];
  const JobModel& model = models_[side.cluster];
  const int32_t limit = model.cap(side.host);
  const int32_t used = std::min(limit, model.used(side.host));
  side.ever_used = side.ever_used || used > 0;
  side.used_reported = used;
  wire::GroupState group;
  group.generation = side.generation;
  group.seq = side.seq;
  group.ever_used = side.ever_used;
  group.first = static_cast<uint32_t>(block.hosts.size());
  group.count = 1;
  block.groups.push_back(group);
  block.hosts.push_back({0, limit, used, true});
}

void VirtualBroker::answer(uint32_t side, Instant now) {
  const uint32_t cluster = sides_[side].cluster;
  state_side(side, fresh_block(cluster));
  feed_report(cluster, now);
}

/// The same way in as in the daemon: checked, reduced to what is new, given to the core.
void VirtualBroker::feed_report(uint32_t cluster, Instant now) {
  auto& report = std::get<StateReported>(agents_[cluster].report);
  const std::optional<Refused> refused = check_state(state_, cluster, report.state);
  LEASEHOLD_CHECK(!refused, refused->message.c_str());
  if (reduce(state_, report)) feed(agents_[cluster].report, now);
}

void VirtualBroker::report(Instant now) {
  for (uint32_t i = 0; i < agents_.size(); ++i) {
    Agent& agent = agents_[i];
    const JobModel& model = models_[i];
    bool news = model.pending_slots() != agent.pending_reported;
    for (const uint32_t index : agent.sides) {
      const Side& side = sides_[index];
      news = news || (side.answer_at == kNever && model.used(side.host) != side.used_reported);
    }
    if (!news) continue;
    wire::StateBlock& block = fresh_block(i);
    for (const uint32_t index : agent.sides) {
      if (sides_[index].answer_at == kNever) state_side(index, block);
    }
    feed_report(i, now);
  }
  carry_out_orders(now);
}

bool VirtualBroker::evaluate(Instant now) {
  feed(Tick{}, now);
  return carry_out_orders(now);
}

Instant VirtualBroker::next_delivery() const {
  Instant soonest = kNever;
  if (scenario_.transfer_time_ms == 0) return soonest;
  for (const Side& side : sides_) soonest = std::min(soonest, side.answer_at);
  return soonest;
}

bool VirtualBroker::deliver(Instant now) {
  bool opened = false;
  for (uint32_t i = 0; i < sides_.size(); ++i) {
    if (sides_[i].answer_at > now) continue;
    sides_[i].answer_at = kNever;
    answer(i, now);
    if (carry_out_orders(now)) opened = true;
  }
  return opened;
}

void VirtualBroker::commit_sometimes() {
  if (store_ == nullptr || uncommitted_ < kCommitEvents || !failed_) return;
  failed_ = store_->commit(state_);
  uncommitted_ = 0;
}

/// A history that cannot be kept is said at the end, once; what was measured does not depend on it.
Status VirtualBroker::finish() {
  if (store_ != nullptr && failed_) failed_ = store_->commit(state_);
  return failed_;
}

/// The contract of contracts 7: all slots but the initial ones are the provider's.
Status VirtualBroker::check_offers() const {
  for (const ScenarioPolicy& policy : scenario_.policies) {
    const size_t p = static_cast<size_t>(&policy - scenario_.policies.data());
    int64_t offered = 0;
    int64_t kept = 0;
    for (size_t i = 0; i < agents_.size(); ++i) {
      for (const uint32_t host : agents_[i].model_hosts[p]) {
        (i == policy.provider ? kept : offered) += models_[i].cap(host);
      }
    }
    const int64_t due = policy.type == LeaseType::exclusive
                            ? policy.slots
                            : std::min(policy.slots, policy.initial_slots);
    if (offered == due && kept == policy.slots - due) continue;
    return tl::unexpected(Error{ErrorCode::refused,
                                "policy '" + policy.name + "': the consumer was offered " +
                                    std::to_string(offered) + " slots where " +
                                    std::to_string(due) + " are due",
                                policy.source.file, policy.source.line, 0});
  }
  return {};
}

}  // namespace leasehold
