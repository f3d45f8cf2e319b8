// Broker is the daemon's loop, on one thread: wait, read, step, commit, send. It owns the engine
// and the two ports. The core decides; the configuration reads files. If several brokers share one
// database, one leads; the others stand by in the same loop (stand_by.cpp), answer questions and
// send everybody else to the leader.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "broker/config/inventory_check.hpp"
#include "broker/daemon/cut_off.hpp"
#include "broker/daemon/engine.hpp"
#include "broker/daemon/readings.hpp"
#include "broker/daemon/signals.hpp"
#include "broker/daemon/standby.hpp"
#include "broker/ports/agents/port.hpp"
#include "broker/ports/http/bulletin.hpp"
#include "broker/ports/operators/port.hpp"
#include "broker/store/roll.hpp"
#include "common/channel/channel.hpp"
#include "common/channel/notify.hpp"
#include "common/clock.hpp"

namespace leasehold {

/// The functions that the program gives the loop: files and the database are not its business.
struct BrokerParts {
  /// Reads the configuration file, with windows resolved from `now` and `by` as given.
  ConfigReader::Read read_configuration;
  /// Reloads read the file beside the loop, or, for a loop in virtual time, within the call.
  ConfigReader::Where reads = ConfigReader::Where::in_call;
  /// Admits the keys that the configuration names. Called when a configuration has come into force,
  /// with the Access that was read with it. May be empty.
  std::function<void(const BrokerConfig& config, const Access& access)> set_admitted;
  /// Resolves the windows from `now`; nullopt: the configuration has none.
  std::function<std::optional<ResolvedWindows>(const BrokerConfig& config, Instant now)> resolve;
  /// Finds where a configuration contradicts the hosts that are known.
  std::function<InventoryFindings(const BrokerConfig& config, const State& state)> check_inventory;
  /// A store that was opened, with the state that was loaded from it.
  struct Opened {
    std::unique_ptr<Store> store;
    State state;
    bool database_older = false;  // a file beside it knows later commits
    std::string older_because;    // how that shows; "": no more is known
    bool warm = false;            // BrokerStarted::warm
    std::string clock_set_by;     // set: history goes on at the clock's time, though it is earlier
  };
  std::function<Result<Opened>()> open_store;
  /// Set if several brokers may lead: open_store() then takes over. nullptr: this one is alone.
  std::shared_ptr<Candidate> candidate;
  /// True: the first take-over may put a file in force that names none of the database's clusters.
  bool adopt = false;
  /// Exchanges rows with the other brokers of the database. nullptr: nothing is known of others.
  std::shared_ptr<Roll> roll;
  /// True: the machine's clock is right, whatever it is compared with, until the first take-over.
  std::shared_ptr<bool> accept_clock = std::make_shared<bool>(false);
  /// This broker's own name and the endpoint where its operators reach it.
  LeaderView self = {};
  /// Called at "before-commit", "after-commit" and "after-send" with the batch: for tests that stop
  /// a broker there. May be empty.
  std::function<void(const char* place, std::span<const Record> batch)> reached;
  /// Returns how old the readable tables are; nullptr: none are made. Waits for nothing. May be
  /// empty.
  std::function<std::shared_ptr<const TablesStatus>()> tables;
  /// Called with this broker's own file each time that it was read while the broker does not lead;
  /// nullopt: the file is in force now. May be empty: then it is not read for this.
  std::function<void(std::optional<Result<ConfigRead>> read)> own_file;
  /// Called each turn with why nobody leads; nullopt: somebody does. Waits for nothing. May be
  /// empty.
  std::function<void(const std::optional<NobodyLeads>& nobody)> nobody_leads;
  /// Returns how long the loop's thread has worked, in microseconds, to limit each agent's share.
  /// Empty: each agent may take as much of the loop's time as it likes.
  std::function<int64_t()> work_us;
  /// Publishes the loop's progress for the threads of HTTP. May be nullptr.
  std::shared_ptr<Bulletin> bulletin;
  const TimeSource* time = &machine_time();
};

/// The text logged last for each trouble, so that it is logged once; "": there is no trouble.
struct TroubleLog {
  std::string database;
  std::string not_taken;    // why this broker cannot take over, which is no trouble of the database
  std::string cannot_lead;  // why it could not take over, while another leads
  std::string others;       // why the other brokers' rows cannot be read
  std::string compaction;
};

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
  bool leads() const { return engine_ != nullptr; }
  /// Commits that nobody leads, so that `successor`, or any broker if it is "", may begin at once.
  /// Stands by then.
  void step_down(const std::string& successor);
  /// Steps down and redirects the agents at once, because the process ends.
  void retire();
  /// When stand_by_turn() has something to do though nothing came in, by CLOCK_BOOTTIME.
  int64_t next_look_ms() const { return standby_.next_look_ms(); }
  /// Reads the configuration and opens the store again. Memory is discarded, state is rebuilt from
  /// the database (schema/wire/PROTOCOL.md, "Nothing acknowledged is forgotten").
  Status reopen();
  /// When a turn has something to do though nothing came in. Contract: leads().
  Instant next_turn();
  /// The time of the broker's clock, which next_turn() is in.
  Instant now() const { return clock_->now(); }
  const State& state() const { return engine_->state(); }

 private:
  Broker(BrokerParts parts, AgentPort agents, OperatorPort operators);

  Status open(ConfigRead config);
  Status reopen(Result<ConfigRead> own);
  Status begin();
  bool renew();
  bool reopen_until_good(Signals& signals);
  bool stand_by(Signals& signals, std::span<Channel* const> channels);
  void begin_to_lead(bool warm);
  void give_up(const Error& why);
  void fall_silent();
  bool may_go_on();
  void look();
  void log_trouble(const std::string& trouble);
  void log_not_taken(const std::string& why);
  void log_cannot_lead();
  void read_own_file(bool reload_asked);
  Status check_clusters(const BrokerConfig& config) const;
  Status check_own_clock() const;
  bool mind_others();
  bool keep_to_agents();
  RollRow roll_row() const;
  std::vector<RollRow> others() const;
  void share_leader_view();
  void add_clock(LeaderView& leader_view) const;
  void refuse_reloads();
  void read_questions();
  void wait_out(const Error& silent);
  void learn(Result<ConfigRead> config);
  void take_own_file(Result<ConfigRead> read);
  void note_changes(ConfigRead& config) const;
  void log_in_force(const ConfigRead& config) const;
  const char* orders_after(const Error& why) const;
  void publish_role(bool leads);
  std::vector<int> wakers() const;
  void hold_out(Signals& signals, int64_t most_ms);
  void turn();
  void wait(Signals& signals, std::span<Channel* const> channels);
  void read_operators();
  bool carry_out(OperatorTask task);
  void renew_windows();
  Result<ConfigRead> checked(Result<ConfigRead> config) const;
  void feed_configuration(const Event& event, std::shared_ptr<const Access> access);
  void put_in_force();
  void log_compaction();
  void wake_log_followers();
  void publish_turn();
  void reload_by_signal();
  int64_t feed(const Event& event);
  void reached(const char* place) const;
  bool commit_and_send();
  Instant next_instant();
  void begin_clock(const BrokerParts::Opened& opened);
  OperatorContext context();
  void finish_tasks(const Status& outcome);

  BrokerParts parts_;
  AgentPort agents_;
  OperatorPort operators_;
  Standby standby_;
  Readings readings_;
  TroubleLog logged_;
  int64_t others_due_ms_ = 0;
  CutOff cut_off_;
  bool steps_down_ = false;  // steps down after the next commit
  bool begun_ = false;       // start() is done: operators and access are known
  LoopFigures figures_;
  std::unique_ptr<Engine> engine_;  // counts in figures_; nullptr: it does not lead
  Watchdog watchdog_;
  std::optional<Clock> clock_;
  Instant now_;
  Instant ticked_{INT64_MIN};
  std::vector<uint64_t> tickets_;                     // of operators' tasks in this batch
  std::optional<std::shared_ptr<const Access>> fed_;  // set if the batch has a configuration
  Frame frame_;
};

}  // namespace leasehold
