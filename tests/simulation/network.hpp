// Network: the network between the agents and the broker: one line for each connection of an agent,
// on which messages take time and, where a fault says so, are lost, repeated, overtaken, held back
// or garbled. It knows bytes; only the faults that lie look into them. The broker's end of it is an
// Exchange like the socket's.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/channel/exchange.hpp"
#include "tests/simulation/chance.hpp"
#include "tests/simulation/faults.hpp"
#include "tests/simulation/timeline.hpp"

namespace leasehold::simulation {

class Network {
 public:
  using Line = uint64_t;  // the connection of one agent process; never used again
  /// Called with bytes for the agent on this line.
  using Deliver = std::function<void(const Bytes& bytes)>;

  Network(Timeline& time, Chance chance, FaultPlan& faults);

  Line connect(Deliver deliver);
  void disconnect(Line line);
  void from_agent(Line line, const Bytes& bytes);
  void from_broker(const std::string& peer, std::span<const uint8_t> bytes);

  /// The broker's socket. Frames for an absent broker wait, as in the agents' sockets; its next
  /// start drops a random part of them.
  std::deque<Frame>& broker_inbox() { return inbox_; }
  std::function<void()> broker_has_mail;
  bool broker_is_there = true;  // it listens
  void broker_restarted();

  // Faults of one line:
  void cut(Line line, bool to_broker, bool to_agent, int64_t for_ms);
  void clog(Line line, int64_t for_ms);
  void heal();
  int64_t latency_most_ms = 20;
  int64_t messages = 0;

 private:
  struct Way {
    int64_t cut_until_ms = 0;
    bool clogged = false;
    std::vector<Bytes> held;
    int64_t last_arrival_ms = 0;
  };
  struct Connection {
    std::string peer;  // its routing id at the broker
    Deliver deliver;
    Way to_broker;
    Way to_agent;
  };

  void send(Line line, bool to_broker, Bytes bytes);
  void travel(Line line, bool to_broker, Bytes bytes, bool in_order);
  void arrive(Line line, bool to_broker, Bytes bytes);
  void unclog(Line line);
  bool spoilt(Line line, Bytes& bytes);
  void lie(Bytes& bytes);
  void lie_in_hello(Bytes& bytes);
  void exaggerate(Bytes& bytes);
  Way* way(Line line, bool to_broker);

  Timeline& time_;
  Chance chance_;
  FaultPlan& faults_;
  std::map<Line, Connection> connections_;
  std::map<std::string, Line> line_of_;
  std::deque<Frame> inbox_;
  Line next_ = 1;
  std::vector<uint64_t> generations_;  // of groups that hellos named, of any cluster
  bool healed_ = false;
};

/// The broker's end.
class BrokerEnd : public Exchange {
 public:
  explicit BrokerEnd(Network& network) : network_(network) {}
  bool receive_into(Frame& frame) override;
  bool send(const std::string& peer, std::span<const uint8_t> bytes) override;

 private:
  Network& network_;
};

}  // namespace leasehold::simulation
