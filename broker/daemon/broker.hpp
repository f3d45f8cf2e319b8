// Broker is the daemon's loop, on one thread: wait, and take a turn of the leader (leader.hpp) or,
// if it does not lead, of a broker that stands by: it asks the database who leads, answers
// questions and sends everybody else to the leader.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "broker/daemon/equipment.hpp"
#include "broker/daemon/leader.hpp"
#include "broker/daemon/start/signals.hpp"
#include "common/channel/channel.hpp"
#include "common/channel/notify.hpp"

namespace leasehold {

class Broker {
 public:
  /// Steps and commits the start, or stands by if another leads. Fails if the database does not
  /// take the commit, or cannot be asked.
  static Result<std::unique_ptr<Broker>> start(BrokerParts parts, AgentPort agents,
                                               OperatorPort operators);
  /// Runs until SIGTERM or SIGINT, woken by `channels`, those of its ports. Tries to commit the
  /// last batch before it returns.
  void run(Signals& signals, std::span<Channel* const> channels);

  // run() is made of these; loops in virtual time call them.
  /// Takes one turn: reads what is there, a reload's file included, steps, commits, sends. False:
  /// the broker leads no more, until reopen() or, if it is not alone, stand_by_turn().
  bool take_turn(bool reload_asked);
  /// Takes one turn of a broker that does not lead: asks the database who leads, takes over if this
  /// broker may, answers requests. False: it still does not lead.
  bool stand_by_turn(bool reload_asked);
  bool leads() const { return leader_ != nullptr; }
  /// Commits that nobody leads, so that `successor`, or any broker if it is "", may begin at once.
  /// Stands by then.
  void step_down(const std::string& successor);
  /// Steps down and redirects the agents at once, because the process ends.
  void retire();
  /// Returns when stand_by_turn() has something to do though nothing came in, by CLOCK_BOOTTIME.
  int64_t next_look_ms() const { return own_.standby.next_look_ms(); }
  /// Reads the configuration and opens the store again. Memory is discarded, state is rebuilt from
  /// the database (schema/wire/PROTOCOL.md, "Nothing acknowledged is forgotten").
  Status reopen();
  // Contract of these: leads().
  Instant next_turn() { return leader_->next_turn(); }
  Instant now() const { return leader_->now(); }
  const State& state() const { return leader_->state(); }

 private:
  Broker(BrokerParts parts, AgentPort agents, OperatorPort operators);

  Status begin();
  Status lead(ConfigRead config);
  Status reopen(Result<ConfigRead> own);
  bool reopen_until_good(Signals& signals);
  void hold_out(Signals& signals, int64_t most_ms);
  bool stand_by(Signals& signals, std::span<Channel* const> channels);
  void wait(Signals& signals, std::span<Channel* const> channels, int64_t most_ms);
  void give_up(const Error& why);
  void fall_silent();
  void publish_no_lead();
  void wait_out(const Error& silent);
  void look();
  void learn(Result<ConfigRead> config);
  void read_own_file(bool reload_asked);
  OperatorContext elsewhere(const Error& why) const;
  void refuse_reloads();
  void read_questions();

  Equipment own_;
  bool begun_ = false;              // start() is done: operators and access are known
  std::unique_ptr<Leader> leader_;  // nullptr: it does not lead
  Watchdog watchdog_;
};

}  // namespace leasehold
