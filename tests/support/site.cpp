#include "tests/support/site.hpp"

#include <algorithm>
#include <stdexcept>

#include "broker/core/admission.hpp"
#include "broker/core/agents/configuration.hpp"
#include "broker/core/agents/inventory.hpp"
#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/step.hpp"
#include "tests/support/plan_checks.hpp"
#include "tests/support/summary_checks.hpp"

namespace leasehold::test {

BrokerConfig one_pool(int hosts, int32_t slots_per_host, LeaseType type) {
  BrokerConfig config;
  config.clusters = {{"east", "", config.reclaim_delay_ms, {}},
                     {"west", "", config.reclaim_delay_ms, {}}};
  ExportPolicy pool;
  pool.name = "pool";
  pool.provider = "east";
  for (int h = 0; h < hosts; ++h) pool.hosts.push_back("h" + std::to_string(h));
  pool.slots_per_host = slots_per_host;
  pool.distribution = {{"west", 1}};
  pool.type = type;
  pool.rule = type == LeaseType::shared ? RuleKind::idle_comparison : RuleKind::exclusive;
  config.policies = {pool};
  return config;
}

Site::Site(BrokerConfig config) {
  state.config = std::move(config);
  for (const ClusterConfig& cluster : state.config.clusters) {
    agents[cluster.name].cluster = cluster.name;
  }
}

namespace {

/// The time at which the workload manager closes what the cluster leases.
Instant lease_end(const Agent& agent) {
  const int64_t ttl = agent.configuration.lease_ttl_ms;
  return agent.self_expiring && ttl > 0 ? agent.renewed + ttl : kNever;
}

int64_t longest_grace(const Agent& agent) {
  int64_t longest = 0;
  for (const wire::ConfiguredGroup& group : agent.configuration.groups) {
    if (group.role == wire::Role::consumer) longest = std::max(longest, group.grace_ms);
  }
  return longest;
}

int64_t lease_ms(const Agent& agent) {
  const int64_t ttl = agent.configuration.lease_ttl_ms;
  return agent.self_expiring && ttl > 0 ? ttl + longest_grace(agent) : 0;
}

bool imports(const Agent& agent, uint64_t generation) {
  return std::any_of(agent.configuration.groups.begin(), agent.configuration.groups.end(),
                     [generation](const wire::ConfiguredGroup& group) {
                       return group.generation == generation && group.role == wire::Role::consumer;
                     });
}

}  // namespace

/// Shuts out new work; jobs end with the grace. An agent that lives lowers its limits.
void Site::end_lease(Agent& agent) {
  const bool over = now >= lease_end(agent) + longest_grace(agent);
  for (auto& [generation, group] : agent.groups) {
    if (!imports(agent, generation)) continue;
    for (AgentRow& row : group.rows) {
      row.closed = true;
      if (over) row.used = 0;
      if (!agent.connected) continue;
      row.limit = std::min(row.limit, row.used);
      row.shrink_to = 0;
    }
  }
}

void Site::live() {
  for (auto& [name, agent] : agents) {
    const uint32_t index = find_cluster(state, name);
    const bool known =
        index != kNoIndex && agent.session != 0 && state.clusters[index].session == agent.session;
    if (known && agent.connected) {
      agent.answered = now;
      if (agent.hears) agent.renewed = now;
    }
    if (now >= lease_end(agent)) end_lease(agent);
  }
}

bool Site::step(const Event& event) {
  live();
  if (before_any_step != nullptr) before_any_step(state, event, now);
  const bool changed = leasehold::step(state, event, now, effects);
  const auto broken = violations(state);
  if (!broken.empty()) throw std::runtime_error(broken.front());
  const auto wrong = wrong_lines(state);
  if (!wrong.empty()) throw std::runtime_error(wrong.front());
  const auto left_out = overlooked(state);
  if (!left_out.empty()) throw std::runtime_error(left_out.front());
  if (changed && recorder) recorder(event, effects.records);
  file_effects();
  return changed;
}

void Site::file_effects() {
  for (const SendConfiguration& send : effects.configurations) {
    agents[state.clusters[send.cluster].name].inbox.emplace_back(
        configuration_for(state, send.cluster));
  }
  for (const SendOrder& send : effects.orders) {
    if (send.generation == 0) continue;
    wire::Order order;
    effects.write(send, state.clusters[send.cluster].configuration, order);
    if (watcher) watcher(state.clusters[send.cluster].name, order);
    agents[state.clusters[send.cluster].name].inbox.emplace_back(order);
  }
  history.insert(history.end(), effects.records.begin(), effects.records.end());
  effects.clear();
}

void Site::start() {
  const BrokerConfig config = state.config;
  step(BrokerStarted{1, false});
  load(config);
}

void Site::load(const BrokerConfig& config, const ResolvedWindows& windows) {
  step(ConfigLoaded{config, windows, "test"});
}

void Site::restart_broker(bool warm) {
  const BrokerConfig config = state.config;
  const ResolvedWindows windows = state.windows;
  for (auto& [name, agent] : agents) {
    agent.inbox.clear();
    agent.connected = false;
  }
  step(BrokerStarted{state.incarnation + 1, false, warm});
  load(config, windows);
}

void Site::add_hosts(const std::string& cluster, int count, int32_t slots) {
  for (int h = 0; h < count; ++h) {
    wire::HostFacts host;
    host.name = "h" + std::to_string(h);
    host.slots = slots;
    agents[cluster].hosts.push_back(host);
  }
}

wire::StateBlock Site::block_of(const Agent& agent, uint64_t generation) const {
  wire::StateBlock block;
  for (const auto& [id, group] : agent.groups) {
    if (generation != 0 && id != generation) continue;
    wire::GroupState said{id,
                          group.seq,
                          group.ever_used,
                          0,
                          static_cast<uint32_t>(block.hosts.size()),
                          static_cast<uint32_t>(group.rows.size())};
    block.groups.push_back(said);
    for (uint32_t row = 0; row < group.rows.size(); ++row) {
      const AgentRow& host = group.rows[row];
      block.hosts.push_back({row, host.limit, host.used, host.up, host.exported, host.division});
    }
  }
  return block;
}

void Site::hello(const std::string& cluster) {
  Agent& agent = agents[cluster];
  agent.inbox.clear();
  agent.connected = true;
  agent.session = ++sessions;
  ++agent.boot;
  wire::Hello hello;
  hello.cluster = cluster;
  hello.incarnation = state.incarnation;
  hello.state_id = agent.state_id;
  hello.boot = agent.boot;
  const int64_t left = lease_end(agent) == kNever ? 0 : lease_end(agent) - now;
  if (now >= lease_end(agent)) end_lease(agent);
  const int64_t stated =
      lease_ms(agent) == 0 ? 0 : std::max(left + longest_grace(agent), lease_ms(agent));
  if (auto refused = check_hello(state, hello)) throw std::runtime_error(refused->message);
  step(AgentHello{cluster,
                  agent.state_id,
                  agent.boot,
                  agent.session,
                  true,
                  agent.self_expiring,
                  agent.fences,
                  "test",
                  block_of(agent, 0),
                  stated,
                  {},
                  agent.chooses});
  agent.renewed = agent.answered = now;
  const uint32_t index = find_cluster(state, cluster);
  if (agent.hosts.empty()) return;
  if (const auto news = inventory_news(state, index, agent.session, agent.hosts)) step(*news);
}

void Site::lose(const std::string& cluster) {
  agents[cluster].connected = false;
  agents[cluster].inbox.clear();
  step(AgentLost{cluster, agents[cluster].session, agents[cluster].answered});
}

void Site::say(const Agent& agent, const wire::StateBlock& block) {
  const uint32_t index = find_cluster(state, agent.cluster);
  if (state.clusters[index].session != agent.session) return;
  if (auto refused = check_state(state, index, block)) throw std::runtime_error(refused->message);
  StateReported event{agent.cluster,  agent.session, agent.pending,
                      agent.degraded, block,         lease_ms(agent)};
  event.demand = agent.demand;
  if (drop_known(state, event)) step(event);
}

void Site::report(const std::string& cluster) {
  const Agent& agent = agents[cluster];
  if (agent.connected) say(agent, block_of(agent, 0));
}

/// Slots that left a provider's export are its own again at once; new ones are the group's from its
/// next order on, so that nothing is enforced twice; what is no longer named is forgotten.
void Site::configure(Agent& agent, const wire::Configuration& configuration) {
  const bool same_session = agent.configuration.session == configuration.session;
  if (same_session && configuration.number < agent.configuration.number) return;
  std::map<uint64_t, AgentGroup> known;
  for (const wire::ConfiguredGroup& group : configuration.groups) {
    AgentGroup& kept = known[group.generation];
    if (agent.groups.count(group.generation) > 0) kept = agent.groups[group.generation];
    kept.rows.resize(group.hosts.size());
    for (size_t row = 0; row < kept.rows.size(); ++row) {
      const int32_t ended = kept.rows[row].exported - group.hosts[row].slots;
      if (group.role != wire::Role::provider || ended <= 0) continue;
      kept.rows[row].exported -= ended;
      kept.rows[row].limit = std::max(0, kept.rows[row].limit - ended);
      kept.rows[row].used = std::min(kept.rows[row].used, kept.rows[row].limit);
      kept.rows[row].shrink_to = std::min(kept.rows[row].shrink_to, kept.rows[row].limit);
    }
  }
  agent.groups = std::move(known);
  agent.configuration = configuration;
}

namespace {

void take_new_exports(Agent& agent, uint64_t generation) {
  for (const wire::ConfiguredGroup& group : agent.configuration.groups) {
    if (group.generation != generation || group.role != wire::Role::provider) continue;
    for (size_t row = 0; row < group.hosts.size(); ++row) {
      AgentRow& kept = agent.groups[generation].rows.at(row);
      const int32_t grown = group.hosts[row].slots - kept.exported;
      if (grown <= 0) continue;
      kept.exported += grown;
      kept.limit += grown;
      const int32_t runs = std::min(grown, agent.own_work);
      kept.used += runs;
      agent.own_work -= runs;
    }
  }
}

}  // namespace

void Site::apply_order(Agent& agent, const wire::Order& order) {
  wire::Order part = order;
  std::vector<uint64_t> generations{order.generation};
  apply_part(agent, part);
  for (const wire::OrderPart& more : order.parts) {
    part.generation = more.generation;
    part.hosts = more.hosts;
    apply_part(agent, part);
    generations.push_back(more.generation);
  }
  if (order.session != agent.session) return;
  const bool known = std::any_of(agent.sets.begin(), agent.sets.end(),
                                 [&](const AgentSet& held) { return held.seq == order.seq; });
  for (const wire::ReclaimSet& set : order.sets) {
    if (!known) agent.sets.push_back({order.seq, set});
  }
  give_to_sets(agent);
  for (const uint64_t generation : generations) {
    if (agent.groups.count(generation) > 0) say(agent, block_of(agent, generation));
  }
}

void Site::apply_part(Agent& agent, const wire::Order& order) {
  auto found = agent.groups.find(order.generation);
  if (order.session != agent.session || found == agent.groups.end()) return;
  const bool same_session = agent.configuration.session == order.session;
  if (!same_session || order.configuration != agent.configuration.number) return;
  AgentGroup& group = found->second;
  if (order.seq < group.seq) return;
  if (imports(agent, order.generation) && now >= lease_end(agent)) return;
  if (order.seq > group.seq) {
    group.seq = order.seq;
    take_new_exports(agent, order.generation);
    for (AgentRow& row : group.rows) {
      row.shrink_to = -1;
      row.closed = false;
    }
    for (const wire::OrderedHost& host : order.hosts) {
      AgentRow& row = group.rows.at(host.host);
      row.limit = std::max(host.limit, std::min(row.limit, row.used));
      const bool lasts = host.lowering != wire::Lowering::release && row.limit > host.limit;
      if (lasts) row.shrink_to = host.limit;
    }
  }
}

bool Site::take_one(const std::string& cluster) {
  Agent& agent = agents[cluster];
  if (agent.inbox.empty() || !agent.connected) return false;
  const wire::Message message = agent.inbox.front();
  agent.inbox.pop_front();
  if (const auto* order = std::get_if<wire::Order>(&message)) {
    apply_order(agent, *order);
  } else if (const auto* config = std::get_if<wire::Configuration>(&message)) {
    configure(agent, *config);
    say(agent, block_of(agent, 0));
  }
  return true;
}

void Site::run_until_idle() {
  for (bool moved = true; moved;) {
    moved = false;
    for (auto& [name, agent] : agents) moved = take_one(name) || moved;
  }
  for (auto& [name, agent] : agents) report(name);
  const bool left = std::any_of(agents.begin(), agents.end(), [](const auto& entry) {
    return entry.second.connected && !entry.second.inbox.empty();
  });
  if (left) run_until_idle();
}

void Site::pass(int64_t duration_ms) {
  const Instant end = now + duration_ms;
  while (next_deadline(state) <= end) {
    now = std::max(now, next_deadline(state));
    step(Tick{});
    run_until_idle();
  }
  now = end;
}

void Site::use(const std::string& cluster, const std::string& lease, uint32_t row, int32_t used) {
  Agent& agent = agents[cluster];
  AgentGroup& group = agent.groups.at(this->group(lease).generation);
  AgentRow& host = group.rows.at(row);
  host.used = std::min(used, host.closed ? host.used : host.limit);
  group.ever_used = group.ever_used || host.used > 0;
  if (host.shrink_to >= 0) host.limit = std::max(host.shrink_to, std::min(host.limit, host.used));
  give_to_sets(agent);
}

void Site::kill_agent(const std::string& cluster) {
  agents[cluster].connected = false;
  agents[cluster].inbox.clear();
}

}  // namespace leasehold::test
