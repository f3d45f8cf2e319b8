// Leader is what a broker does while it leads, on one thread: read, step, commit, send. It exists
// from a take-over until a commit fails or it steps down; whoever has it drops it then, and with it
// the state in memory, of which nothing leaves (rule 4). The core decides.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/daemon/leader_config.hpp"

namespace leasehold {

class Leader {
 public:
  /// The end of a turn. A broker's name, or "" for any broker: it is to step down for it. Error: it
  /// is to give up, for the database did not take a commit, or the lead is another's.
  using Ends = Result<std::optional<std::string>>;

  /// Opens the store, steps the start and the configuration, commits both. Contract: `own` outlives
  /// it.
  static Result<std::unique_ptr<Leader>> open(Equipment& own, ConfigRead config);
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;

  /// Takes one turn: reads what is there, a reload's file included, steps, commits, sends.
  Ends take_turn();
  /// Ends the batch: what was fed is committed, and what is to leave leaves.
  Status commit_and_send();
  /// Returns when a turn has something to do though nothing came in.
  Instant next_turn();
  /// Returns the time of the broker's clock, which next_turn() is in.
  Instant now() const { return clock_.now(); }
  const State& state() const { return engine_.state(); }
  LeadNow lead_now() const;
  /// Returns how far the dates of its events are ahead of the wall clock.
  int64_t dates_ahead_ms() const { return clock_.now() - own_.parts.time->wall_time(); }

  // At its end:
  /// Answers the operators whose changes are in the batch.
  void finish_tasks(const Status& outcome);
  /// Commits that nobody leads (Broker::step_down). Contract: this broker has fallen silent.
  Status step_down(const std::string& successor);

 private:
  Leader(Equipment& own, BrokerParts::Opened& opened);

  Status begin(ConfigRead config, const BrokerParts::Opened& opened);
  void begin_to_lead(bool warm);
  Ends turn();
  Ends read_operators();
  Ends carry_out(OperatorTask task);
  Ends mind_others();
  Status check_not_outranked();
  Status renew();
  int64_t feed(const Event& event);
  void reached(const char* place) const;
  void publish_turn();
  Instant next_instant() const;
  OperatorContext context();

  Equipment& own_;
  Clock clock_;
  Instant ticked_;
  Engine engine_;
  LeaderConfig config_;
  std::vector<uint64_t> tickets_;  // of operators' tasks in this batch
  bool steps_down_ = false;        // after the next commit
};

}  // namespace leasehold
