// Agents: many agents in one thread, each with sockets of its own, that speak the wire protocol as
// far as a broker's speed depends on it: hello, configuration, reports, an answer to every order.
// The load generator; not an agent (agent/): nothing is durable here and no workload runs.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/channel/channel.hpp"
#include "common/wire/codec.hpp"

namespace leasehold::bench {

/// 64 agents in 32 pairs: `p<i>` provides 16 groups of one host to `c<i>`.
inline constexpr int kPairs = 32;
inline constexpr int kGroups = 16;
inline constexpr int32_t kSlots = 8;

class Agents {
 public:
  /// `bare`: where the same bytes go without a broker; "": nowhere.
  Agents(const std::string& broker, const std::string& bare);

  /// Answers what came, waiting for it up to `wait_ms`. Returns the messages taken.
  int take(int64_t wait_ms);
  /// All have their configuration, their groups and, as consumers, the first slot of each.
  bool ready() const;

  /// Every agent reports `rounds` times; each time all its groups' use is another. Kept to be sent.
  /// The last one of all says `pending`, so that its receiver knows that it has them all.
  void prepare_reports(int rounds, int64_t pending);
  /// Sends the prepared reports to the broker or to the bare socket; blocks where they are slow.
  void send_reports(bool bare);
  /// All slots idle from now on: what the agents state makes each lease flip.
  void idle();
  /// Says to the bare socket who is there: a full report each.
  void greet();

 private:
  struct Group {
    uint64_t generation = 0;
    uint64_t seq = 0;
    std::vector<wire::HostState> hosts;
    bool ever_used = false;
  };
  struct Agent {
    Agent(Channel to_broker, Channel to_bare);
    std::string cluster;
    bool provider = false;
    uint64_t session = 0;
    uint64_t configuration = 0;
    uint64_t report = 0;
    Channel channel;
    Channel bare;
    std::vector<Group> groups;
    std::unordered_map<uint64_t, size_t> by_generation;
    std::vector<Bytes> reports;
  };

  bool handle(Agent& agent, Channel& from, const Bytes& bytes);
  void welcome(Agent& agent, const wire::Welcome& welcome);
  void configure(Agent& agent, const wire::Configuration& configuration);
  void obey(Agent& agent, Channel& from, const wire::Order& order);
  void report_all(Agent& agent, int32_t used_most);
  static wire::Report report_of(Agent& agent);

  std::vector<Agent> agents_;
  std::vector<Channel*> channels_;
  Frame frame_;
  wire::State answer_;
  wire::Order order_;
  Bytes out_;
};

/// The generator's process: obeys until its standard input ends. Lines in: "reports ROUNDS
/// PENDING", "send bare", "send broker", "greet", "idle". Lines out: "ready", then one "done" for
/// each line in.
int run_agents(const std::string& broker, const std::string& bare);

}  // namespace leasehold::bench
