// Agents are many agents in one thread, each with sockets of its own, that speak the wire protocol
// as far as a broker's speed depends on it: hello, configuration, reports, an answer to every
// order. They generate load and are no real agents (agent/): nothing is durable here and no
// workload runs.
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
  /// `bare`: the socket that gets the same bytes without a broker; "": none.
  Agents(const std::string& broker, const std::string& bare);

  /// Answers what came, waiting for it up to `wait_ms`. Returns the messages taken.
  int take(int64_t wait_ms);
  /// True: all have their configuration, their groups and, as consumers, the first slot of each.
  bool ready() const;

  /// Prepares `rounds` reports of every agent, each with another use of all its groups. The last
  /// one of all says `pending`, so that its receiver knows that it has them all.
  void prepare_reports(int rounds, int64_t pending);
  /// Sends the prepared reports to the broker or to the bare socket; blocks where they are slow.
  void send_reports(bool bare);
  /// Makes all slots idle from now on: what the agents state makes each lease flip.
  void idle();
  /// Sends a full report of each agent to the bare socket.
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

/// Runs the generator's process, which obeys until its standard input ends. Lines in: "reports
/// ROUNDS PENDING", "send bare", "send broker", "greet", "idle". Lines out: "ready", then one
/// "done" for each line in.
int run_agents(const std::string& broker, const std::string& bare);

}  // namespace leasehold::bench
