// Site is a broker's core with agents played by the test, in one thread and with a clock of its
// own. Messages wait in queues until the test delivers, drops or repeats them. The agents follow
// schema/wire/PROTOCOL.md in the shortest way; they are the test's reading of it, not agent/core.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"

namespace leasehold::test {

struct AgentRow {
  int32_t limit = 0;
  int32_t used = 0;
  int32_t exported = 0;    // provider: slots that are the group's, not its own
  int32_t shrink_to = -1;  // >= 0: an open shrink or reclaim down to this
  bool up = true;
  wire::Division division = wire::Division::unsaid;  // consumer: what it says of the host
  bool closed = false;  // consumer: its workload manager ended the lease; an order opens it again
};

/// A set of hosts of which the agent chooses what it gives up.
struct AgentSet {
  uint64_t seq = 0;  // of the order that brought it
  wire::ReclaimSet set;
};

struct AgentGroup {
  uint64_t seq = 0;
  bool ever_used = false;
  std::vector<AgentRow> rows;
};

struct Agent {
  std::string cluster;
  uint64_t state_id = 7;
  uint64_t boot = 0;
  uint64_t session = 0;
  bool connected = false;
  int64_t pending = 0;
  int32_t own_work = 0;  // slots that its jobs use on its own hosts: the group's once exported
  bool degraded = false;
  wire::Fences fences;
  std::vector<wire::HostFacts> hosts;
  std::map<uint64_t, AgentGroup> groups;
  wire::Configuration configuration;
  bool chooses = false;  // its hello says so
  std::vector<AgentSet> sets;
  // Its leases end by themselves: the workload manager closes its slots without the agent.
  bool self_expiring = false;
  bool hears = true;                   // answers to its heartbeats reach it
  Instant renewed;                     // sending of the last heartbeat that was answered
  Instant answered;                    // the broker's last answer
  std::deque<wire::Message> inbox;     // from the broker, in order
  std::optional<wire::Demand> demand;  // its reports tell these shapes of waiting work
};

class Site {
 public:
  explicit Site(BrokerConfig config);

  State state;
  Effects effects;
  Instant now{1'000'000};
  std::vector<Record> history;
  std::map<std::string, Agent> agents;
  uint64_t sessions = 100;
  /// Called with every event that history must know and the records it made.
  std::function<void(const Event&, std::span<const Record>)> recorder;
  /// Called with every order, as it is sent.
  std::function<void(const std::string& cluster, const wire::Order&)> watcher;

  /// Called before every step of every site: for programs that keep what is stepped.
  inline static void (*before_any_step)(const State&, const Event&, Instant) = nullptr;

  /// Steps, files records, puts configurations and orders into the agents' inboxes.
  bool step(const Event& event);
  void start();  // BrokerStarted + ConfigLoaded
  void load(const BrokerConfig& config, const ResolvedWindows& windows = {});
  /// Restarts the broker: what a start resets goes, agents must say hello again.
  void restart_broker(bool warm = false);

  Agent& agent(const std::string& cluster) { return agents[cluster]; }
  void add_hosts(const std::string& cluster, int count, int32_t slots);
  void hello(const std::string& cluster);
  void lose(const std::string& cluster);
  /// Sends the connected agents' heartbeats and ends leases that nobody renewed. step() calls it as
  /// time goes.
  void live();

  /// Lets the agent take the next message of its inbox and answer orders. False: the inbox is
  /// empty.
  bool take_one(const std::string& cluster);
  /// Lets all agents take all messages and report, until nothing moves any more.
  void run_until_idle();
  void report(const std::string& cluster);
  void pass(int64_t duration_ms);  // time, with every deadline on the way, idle after each

  /// Slots of the agent's sets that are to come back still, of those that hold the row.
  static int64_t asked(const Agent& agent, uint64_t generation, uint32_t row);
  /// Lets hosts of sets give up what is idle there, the last first: the agent chooses.
  static void give_to_sets(Agent& agent);
  /// Sets how many of its slots on a row the cluster's jobs use; capped by its limit.
  void use(const std::string& cluster, const std::string& lease, uint32_t row, int32_t used);

  /// Slots that all agents together may use on one host of a provider, by what they enforce.
  int64_t enforced(const std::string& provider, uint32_t host) const;
  /// Ends the agent's process; it comes back with its state file, connected again only after
  /// hello().
  void kill_agent(const std::string& cluster);

  const SlotGroup& group(const std::string& lease) const;
  int32_t held(const std::string& lease, size_t member) const;
  std::string phase(const std::string& lease) const;
  int count(RecordKind kind) const;

 private:
  void file_effects();
  void apply_order(Agent& agent, const wire::Order& order);
  void apply_part(Agent& agent, const wire::Order& order);
  wire::StateBlock block_of(const Agent& agent, uint64_t generation) const;
  void say(const Agent& agent, const wire::StateBlock& block);
  void end_lease(Agent& agent);
  void configure(Agent& agent, const wire::Configuration& configuration);
};

/// A broker configuration with one shared policy "pool" of `hosts` hosts of east for west.
BrokerConfig one_pool(int hosts, int32_t slots_per_host, LeaseType type = LeaseType::shared);

}  // namespace leasehold::test
