// Served is the broker's turn around AgentPort and Engine, as broker/daemon/broker.cpp makes it,
// without operators, driven by a benchmark. NoStore keeps nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/daemon/engine.hpp"
#include "broker/ports/agents/port.hpp"
#include "common/channel/channel.hpp"
#include "common/time/clock.hpp"

namespace leasehold::bench {

/// Measures what memory alone costs: it writes nothing and only clears the marks of what waits.
class NoStore : public Store {
 public:
  Result<State> load() override { return State{}; }
  void append(const Event&, Instant, std::span<const Record>, const State&) override {}
  Status commit(State& state) override;
  int64_t last_event() const override { return 0; }
};

/// 32 providers with 16 policies of one host, each for one consumer.
BrokerConfig config_of_pairs(int64_t reclaim_delay_ms);

/// The work of a turn that committed something.
struct ServedBatch {
  int64_t messages = 0;  // read for it
  int64_t flips = 0;     // records of them that were committed
};

class Served {
 public:
  /// `messages_max`: read in one turn.
  Served(std::unique_ptr<Store> store, const BrokerConfig& config, int messages_max);

  const std::string& endpoint() { return channel_->endpoint(); }
  const State& state() const { return engine_->state(); }
  /// Waits at most `wait_ms` or until the next evaluation; reads, steps, commits, sends.
  void turn(int64_t wait_ms);

  int64_t turns = 0;
  std::vector<ServedBatch> batches;

 private:
  void commit_and_send(Instant now);
  void note_batch();

  std::unique_ptr<Channel> listening_;  // until the port has it
  Channel* channel_;
  int64_t messages_ = 0;  // read since the last commit
  AgentPort port_;
  LoopFigures figures_;
  std::unique_ptr<Engine> engine_;
  Clock clock_;
  Instant ticked_{};
  int messages_max_;
};

}  // namespace leasehold::bench
