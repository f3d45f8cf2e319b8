// Broker: the daemon's loop, one thread: wait, read, step, commit, send. Owns the engine and the
// two ports. Deciding is the core's, reading files the configuration's. Of several brokers on one
// database one leads; the others stand by in the same loop (stand_by.cpp), which answers questions
// and sends everybody else to the leader.
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

/// What the loop asks of main(): files and the database are not its business.
struct BrokerParts {
  /// The configuration read anew, windows resolved from `now`; `by` as given.
  ConfigReader::Read read_configuration;
  /// Once the loop turns it is read beside it, unless the loop is one in virtual time.
  ConfigReader::Where reads = ConfigReader::Where::in_call;
  /// Called when a configuration is in force, with what was read beside it: lets in whom it names.
  /// May be empty.
  std::function<void(const BrokerConfig& config, const Access& access)> let_in;
  /// Windows resolved anew; nullopt: the configuration in force has none.
  std::function<std::optional<ResolvedWindows>(const BrokerConfig& config, Instant now)> resolve;
  /// What a configuration gets wrong about the hosts that are known.
  std::function<InventoryFindings(const BrokerConfig& config, const State& state)> check_inventory;
  /// A store opened and its state loaded; says whether the file beside it knows later commits.
  struct Opened {
    std::unique_ptr<Store> store;
    State state;
    bool database_older = false;
    std::string older_because;  // what is seen of that; "": nothing more
    bool warm = false;          // BrokerStarted::warm
    std::string clock_set_by;   // history goes on at what the clock shows, though it is earlier
  };
  std::function<Result<Opened>()> open_store;
  /// Where several brokers may lead; open_store() takes over then. nullptr: this one is alone.
  std::shared_ptr<Candidate> candidate;
  /// Its first take-over may put a file in force that names none of the database's clusters.
  bool adopt = false;
  /// What the brokers of the database tell of themselves. nullptr: nothing is known of others.
  std::shared_ptr<Roll> roll;
  /// The machine's clock is right, whatever it is compared with: once, for the first take-over.
  std::shared_ptr<bool> accept_clock = std::make_shared<bool>(false);
  /// Of this broker, as it tells it: its name and where its operators reach it.
  BrokerStanding self = {};
  /// Called at "before-commit", "after-commit" and "after-send" with the batch: for tests that stop
  /// a broker there. May be empty.
  std::function<void(const char* place, std::span<const Record> batch)> reached;
  /// Called after each commit: there is more in the log. Waits for nothing. May be empty.
  std::function<void()> committed;
  /// News of the readable tables: that they fail and why, or, an empty text, that they follow
  /// again. Asked once a turn; waits for nothing. May be empty.
  std::function<std::optional<std::string>()> tables_news;
  /// Called while this broker does not lead with its file as it is now; nullopt: what was read last
  /// is in force. May be empty: then it is not read.
  std::function<void(std::optional<Result<ConfigRead>> read)> own_file;
  /// Called each turn: that nobody leads; nullopt: somebody does. Waits for nothing. May be empty.
  std::function<void(const std::optional<NobodyLeads>& nobody)> nobody_leads;
  /// How long its thread has worked, in microseconds: what agents send is read by it. Empty: each
  /// may take as much of the loop's time as it likes.
  std::function<int64_t()> work_us;
  /// Where whoever answers by HTTP reads how far the loop is. May be nullptr.
  std::shared_ptr<Bulletin> bulletin;
  const TimeSource* time = &machine_time();
};

/// What was logged last of each trouble, so that it is logged once; "": there is none.
struct TroubleLog {
  std::string database;
  std::string not_taken;    // why this broker cannot take over, which is no trouble of the database
  std::string cannot_lead;  // while another leads
  std::string others;       // what the brokers of the database say of themselves is not to be had
  std::string compaction;
};

class Broker {
 public:
  /// Steps and commits the start, or stands by where another leads; fails if the database does not
  /// take it, or cannot be asked.
  static Result<std::unique_ptr<Broker>> start(BrokerParts parts, AgentPort agents,
                                               OperatorPort operators);
  /// Until SIGTERM or SIGINT, woken by `channels`, those of its ports. Every batch is committed
  /// when it returns.
  void run(Signals& signals, std::span<Channel* const> channels);

  // What run() is made of, for a loop in virtual time.
  /// One turn: reads what is there, steps, commits, sends; then the same for a reload if asked.
  /// False: it leads no more; nothing until reopen(), or stand_by_turn() where it is not alone.
  bool take_turn(bool reload_asked);
  /// Of a broker that does not lead: looks whose turn it is, and leads if it is its own; answers
  /// who came meanwhile. False: it still does not lead.
  bool stand_by_turn(bool reload_asked);
  bool leads() const { return engine_ != nullptr; }
  /// Commits that nobody leads, for another to begin at once. It stands by then.
  void step_down(const std::string& successor);
  /// The same of one that ends: its agents go to the others at once.
  void retire();
  /// When stand_by_turn() has something to do though nothing came in, by CLOCK_BOOTTIME.
  int64_t next_look_ms() const { return standby_.next_look_ms(); }
  /// Reads the configuration and opens the store again. Memory is discarded, state is rebuilt from
  /// the database (schema/wire/PROTOCOL.md, "Nothing acknowledged is forgotten").
  Status reopen();
  /// When a turn has something to do though nothing came in.
  Instant next_turn();
  /// What its clock shows: next_turn() is in its time.
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
  void tell_trouble(const std::string& trouble);
  void tell_not_taken(const std::string& why);
  void tell_cannot_lead();
  void read_own_file(bool reload_asked);
  Status check_clusters(const BrokerConfig& config) const;
  Status check_own_clock() const;
  bool mind_others();
  bool keep_to_agents();
  RollRow roll_row() const;
  std::vector<RollRow> others() const;
  void tell_others();
  void tell_clock(BrokerStanding& standing) const;
  void read_questions();
  void wait_out(const Error& silent);
  void learn(Result<ConfigRead> config);
  void tell_own_file(Result<ConfigRead> read);
  void note_changes(ConfigRead& config) const;
  void tell_in_force(const ConfigRead& config) const;
  const char* orders_after(const Error& why) const;
  void tell_standing(bool leads);
  std::vector<int> wakers() const;
  void hold_out(Signals& signals, int64_t most_ms);
  void turn();
  void wait(Signals& signals, std::span<Channel* const> channels);
  void read_operators();
  bool carry_out(OperatorTask task);
  void renew_windows();
  void hear_of_tables();
  Result<ConfigRead> checked(Result<ConfigRead> config) const;
  void feed_configuration(const Event& event, std::shared_ptr<const Access> access);
  void put_in_force();
  void tell_of_compaction();
  void tell_committed();
  void tell_turn();
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
  bool steps_down_ = false;  // once what is fed is committed
  bool begun_ = false;       // it is known whom to answer
  LoopFigures figures_;
  std::unique_ptr<Engine> engine_;  // which counts in them
  Watchdog watchdog_;
  std::optional<std::string> tables_untold_;  // news of the tables in no commit yet
  std::optional<Clock> clock_;
  Instant now_;
  Instant ticked_{INT64_MIN};
  std::vector<uint64_t> tickets_;                     // operators' tasks of this batch
  std::optional<std::shared_ptr<const Access>> fed_;  // with a configuration of this batch
  Frame frame_;
};

}  // namespace leasehold
