// Broker: the daemon's loop, one thread: wait, read, step, commit, send. Owns the engine and the
// two ports. Deciding is the core's, reading files the configuration's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "broker/io/agent_port.hpp"
#include "broker/io/engine.hpp"
#include "broker/io/operator_port.hpp"
#include "broker/io/pause_point.hpp"
#include "broker/io/signals.hpp"
#include "common/clock.hpp"

namespace leasehold {

/// What the loop asks of main(): files and the database are not its business.
struct BrokerParts {
  /// The configuration read anew, windows resolved from `now`; `by` as given.
  std::function<Result<ConfigLoaded>(const std::string& by, Instant now)> read_configuration;
  /// Windows resolved anew; nullopt: the configuration in force has none.
  std::function<std::optional<ResolvedWindows>(const BrokerConfig& config, Instant now)> resolve;
  /// What a configuration gets wrong about the hosts that are known; one Error holds all of it.
  std::function<Status(const BrokerConfig& config, const State& state)> check_inventory;
  /// A store opened and its state loaded; says whether the file beside it knows later commits.
  struct Opened {
    std::unique_ptr<Store> store;
    State state;
    bool database_older = false;
  };
  std::function<Result<Opened>()> open_store;
  ValueSource value_source;
  PausePoint pause;
};

class Broker {
 public:
  /// Steps and commits the start; fails if the database does not take it.
  static Result<std::unique_ptr<Broker>> start(BrokerParts parts, AgentPort agents,
                                               OperatorPort operators);
  /// Until SIGTERM or SIGINT. Every batch is committed when it returns.
  void run(Signals& signals);

 private:
  Broker(BrokerParts parts, AgentPort agents, OperatorPort operators);

  Status open();
  bool reopen(Signals& signals);
  void turn();
  void wait(Signals& signals);
  void read_operators();
  void renew_windows();
  Result<ConfigLoaded> read_configuration(const std::string& by) const;
  void reload(const std::string& by);
  void feed(const Event& event);
  bool commit_and_send();
  Instant next_instant();
  OperatorContext context() const;
  void finish_tasks(const Status& outcome);

  BrokerParts parts_;
  AgentPort agents_;
  OperatorPort operators_;
  std::unique_ptr<Engine> engine_;
  std::optional<Clock> clock_;
  Instant now_;
  Instant ticked_{INT64_MIN};
  std::vector<uint64_t> tickets_;  // operators' tasks of this batch
  bool more_ = false;              // input is left over from the last turn
};

}  // namespace leasehold
