#include "broker/simulate/broker.hpp"

#include <algorithm>
#include <variant>

#include "broker/config/windows.hpp"
#include "broker/core/admission.hpp"
#include "broker/core/model/deadlines.hpp"
#include "broker/core/step.hpp"
#include "broker/simulate/work.hpp"
#include "common/check.hpp"

namespace leasehold {
namespace {

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

VirtualBroker::VirtualBroker(const Scenario& scenario, SimulationRule rule,
                             std::vector<JobModel>& models, Store* store, Watcher* watcher)
    : scenario_(scenario),
      rule_(rule),
      models_(models),
      store_(store),
      watcher_(watcher),
      agents_(models.size()) {
  for (uint32_t i = 0; i < models.size(); ++i) {
    StateReported report;
    report.cluster = scenario.clusters[i].name;
    report.session = session_of(i);
    agents_[i].report = std::move(report);
    agents_[i].model_hosts.resize(scenario.policies.size());
    for (size_t p = 0; p < scenario.policies.size(); ++p) {
      const ScenarioPolicy& policy = scenario.policies[p];
      const size_t parts = planned(policy) ? 1 : policy.distribution.size();
      for (size_t part = 0; part < parts; ++part) {
        agents_[i].model_hosts[p].push_back(models[i].add_host(0, 0));
      }
    }
  }
}

ExportPolicy VirtualBroker::exported_by(const ScenarioPolicy& policy) const {
  ExportPolicy exported;
  exported.name = policy.name;
  exported.provider = scenario_.clusters[policy.provider].name;
  exported.hosts = {policy.name};
  exported.slots_per_host = policy.slots;
  if (planned(policy)) return exported;
  exported.distribution = policy.distribution;
  exported.type = policy.type;
  set_rule(rule_, scenario_, exported);
  exported.initial_slots = policy.initial_slots;
  return exported;
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
    config.policies.push_back(exported_by(policy));
  }
  if (rule_ != SimulationRule::plan) return config;
  config.leeway_ms += scenario_.transfer_time_ms;
  config.resource_groups = scenario_.groups;
  // After the starts of an instant, whatever `react` is: everything of it happens at once.
  for (ResourceGroup& group : config.resource_groups) group.react_ms = 0;
  return config;
}

void VirtualBroker::feed(const Event& event, Instant now) {
  effects_.clear();
  now = now + core_ahead_ms_;
  if (now != fed_at_) commit();
  fed_at_ = now;
  const bool recorded = step(state_, event, now, effects_);
  if (store_ != nullptr && recorded) {
    store_->append(event, now, effects_.records, state_);
    kept_at_ = now;
  }
  count(now);
  for (const SendOrder& order : effects_.orders) {
    if (order.generation == 0) continue;  // a later one of the same step replaced it
    const auto hosts = effects_.hosts_of(order);
    LEASEHOLD_CHECK(hosts.size() <= 1, "a simulated group has one host");
    orders_.push_back({order.cluster, order.generation, order.seq,
                       hosts.empty() ? wire::OrderedHost{0, -1} : hosts.front(), order.grace_ms});
  }
}

/// Under a plan an evaluation that gives or takes is a flip; slots have moved when granted.
void VirtualBroker::count(Instant now) {
  bool moved = false;
  for (const Record& row : effects_.records) {
    if (row.kind == RecordKind::flip) {
      ++flips_;
      slots_moved_ += row.slots;
      slots_in_transfer_ += row.slots;
    } else if (row.kind == RecordKind::consumer) {
      moved = moved || row.slots != 0;
    } else if (row.kind == RecordKind::transfer_granted &&
               state_.slot_groups[row.group].resource_group != kNoIndex) {
      slots_moved_ += row.slots;
    } else if (row.kind == RecordKind::transfer_released && begun_ &&
               state_.slot_groups[row.group].resource_group != kNoIndex) {
      slots_in_transfer_ += row.slots;
    }
  }
  flips_ += moved ? 1 : 0;
  if (rule_ == SimulationRule::plan) meter_.recorded(effects_.records, now);
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
  core_ahead_ms_ = rule_ == SimulationRule::plan ? scenario_.start.ms : -now.ms;
  if (rule_ == SimulationRule::demand_aware) core_ahead_ms_ += kWorkEpochMs;
  if (store_ != nullptr) {
    Result<State> fresh = store_->load();
    if (!fresh) return tl::unexpected(fresh.error());
    state_ = std::move(*fresh);
  }
  feed(BrokerStarted{1, false}, now);
  ConfigLoaded loaded{configuration(), {}, "start"};
  loaded.windows = resolve_windows(loaded.config, now + core_ahead_ms_);
  feed(loaded, now);
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

wire::StateBlock& VirtualBroker::fresh_block(uint32_t cluster, Instant now) {
  auto& report = std::get<StateReported>(agents_[cluster].report);
  report.pending = models_[cluster].pending_slots();
  report.state.clear();
  if (tells_work()) tell_work(models_[cluster], core_ahead_ms_, report);
  if (rule_ == SimulationRule::demand_aware) tell_elsewhere(models_[cluster], report);
  if (watcher_ != nullptr) watcher_->tell(cluster, models_[cluster], now, report);
  agents_[cluster].pending_reported = report.pending;
  return report.state;
}

void VirtualBroker::state_side(uint32_t index, wire::StateBlock& block) {
  Side& side = sides_[index];
  const JobModel& model = models_[side.cluster];
  const int32_t limit = side.planned ? side.planned->limit_stated() : model.cap(side.host);
  const int32_t used = std::min(limit, model.used(side.host));
  side.ever_used = side.ever_used || used > 0;
  side.used_reported = used;
  side.limit_reported = limit;
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
  state_side(side, fresh_block(cluster, now));
  feed_report(cluster, now);
}

/// The same way in as in the daemon: checked, reduced to what is new, given to the core.
void VirtualBroker::feed_report(uint32_t cluster, Instant now) {
  auto& report = std::get<StateReported>(agents_[cluster].report);
  const std::optional<Refused> refused = check_state(state_, cluster, report.state);
  LEASEHOLD_CHECK(!refused, refused->message.c_str());
  if (drop_known(state_, report)) feed(agents_[cluster].report, now);
}

bool VirtualBroker::has_news(const Side& side) const {
  if (side.answer_at != kNever) return false;
  if (models_[side.cluster].used(side.host) != side.used_reported) return true;
  return side.planned && side.planned->limit_stated() != side.limit_reported;
}

bool VirtualBroker::report(Instant now) {
  for (uint32_t i = 0; i < agents_.size(); ++i) {
    Agent& agent = agents_[i];
    const JobModel& model = models_[i];
    bool news =
        watcher_ != nullptr || tells_work() || model.pending_slots() != agent.pending_reported;
    for (const uint32_t index : agent.sides) news = news || has_news(sides_[index]);
    if (!news) continue;
    wire::StateBlock& block = fresh_block(i, now);
    for (const uint32_t index : agent.sides) {
      if (sides_[index].answer_at == kNever) state_side(index, block);
    }
    feed_report(i, now);
  }
  return carry_out_orders(now);
}

bool VirtualBroker::evaluate(Instant now) {
  resolve_ahead(now);
  feed(Tick{}, now);
  return carry_out_orders(now);
}

/// As the daemon does: in good time before what is resolved comes to its end.
void VirtualBroker::resolve_ahead(Instant now) {
  constexpr int64_t kGoodTimeMs = kWindowHorizonMs / 2;
  if (!has_windows(state_.config)) return;
  const Instant at = now + core_ahead_ms_;
  if (state_.windows.until - at > kGoodTimeMs) return;
  feed(WindowsResolved{resolve_windows(state_.config, at)}, now);
}

Instant VirtualBroker::next_evaluation() const {
  const Instant next = next_deadline(state_);
  return next == kNever ? kNever : next + -core_ahead_ms_;
}

void VirtualBroker::settle(Instant now) {
  for (uint32_t g = 0; g < sides_of_.size(); ++g) {
    const SlotGroup& group = state_.slot_groups[g];
    if (group.resource_group == kNoIndex) continue;
    int64_t usable = 0;
    for (size_t m = 0; m < sides_of_[g].size(); ++m) {
      Side& side = sides_[sides_of_[g][m]];
      const int64_t ended = side.planned->settle(scenario_.transfer_time_ms, now);
      if (ended > 0) meter_.ended(group.resource_group, group.members[m].plan_consumer, ended);
      usable += models_[side.cluster].cap(side.host);
    }
    LEASEHOLD_CHECK(usable <= exported(group), "slots of a simulated plan have two users");
  }
}

Instant VirtualBroker::next_delivery() const {
  Instant soonest = kNever;
  for (const Side& side : sides_) {
    soonest = std::min(soonest, side.answer_at);
    if (!side.planned) continue;
    soonest = std::min({soonest, side.planned->next_delivery(), side.planned->next_grace_end()});
  }
  return soonest;
}

bool VirtualBroker::deliver(Instant now) {
  bool opened = false;
  for (uint32_t i = 0; i < sides_.size(); ++i) {
    const bool arrived = sides_[i].planned && sides_[i].planned->deliver(now);
    if (!arrived && sides_[i].answer_at > now) continue;
    sides_[i].answer_at = kNever;
    answer(i, now);
    if (carry_out_orders(now)) opened = true;
  }
  return opened;
}

std::vector<ConsumerOutcome> VirtualBroker::consumers(Instant now) const {
  return meter_.rows(state_, now + core_ahead_ms_);
}

/// One commit an instant: the past is read as of the end of a commit.
void VirtualBroker::commit() {
  if (store_ != nullptr && failed_) failed_ = store_->commit(state_);
}

/// A history that cannot be kept is said at the end, once; what was measured does not depend on it.
Status VirtualBroker::finish(Instant end) {
  // An input that changes nothing but is kept: until then the last state lasted.
  if (kept_at_ < end + core_ahead_ms_) feed(WindowsResolved{state_.windows}, end);
  commit();
  return failed_;
}

/// As schema/README.md, "Simulated time", says: all slots but the initial ones are the provider's.
Status VirtualBroker::check_offers() const {
  for (const ScenarioPolicy& policy : scenario_.policies) {
    if (planned(policy)) continue;
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
