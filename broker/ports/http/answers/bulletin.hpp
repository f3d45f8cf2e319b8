// Bulletin carries what the loop publishes to the threads of HTTP: how far it is, which
// configuration is in force, and, when they asked for it, what it knows of its agents. The loop
// publishes and goes on: it never waits for these threads, whatever they do.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "broker/core/model/config.hpp"
#include "broker/metrics/figures.hpp"
#include "broker/ports/access.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "common/wake_fd.hpp"

namespace leasehold {

/// The part of the configuration in force that HTTP needs.
struct InForce {
  std::string name;
  Mode mode = Mode::lease;
  std::shared_ptr<const Access> access;
};

struct Notice {
  uint64_t turn = 0;   // number of the loop's turn, failed ones too; 0: none yet
  Instant now;         // time of that turn: all that was due by then is evaluated
  int64_t event = 0;   // the last durable event
  Instant event_time;  // time of the turn that committed it
  std::shared_ptr<const InForce> in_force;  // nullptr: none yet
  std::shared_ptr<const Liveness> liveness;
  std::shared_ptr<const LoopFigures> figures;  // of the same turn
  uint64_t liveness_turn = 0;                  // the turn that `liveness` is of
  std::string trouble;                         // "": nothing is held back
  bool database_fails = false;                 // the database is the reason of `trouble`
  LeaderView leader_view;                      // who leads, as far as this broker knows
};

class Bulletin {
 public:
  // These are for the loop. None of them waits.
  void in_force(std::shared_ptr<const InForce> configuration);
  /// The reasons why a broker does not lead although it should; "": there is no such reason.
  struct Troubles {
    std::string of_database;   // the database is out of reach, or takes no commits
    std::string of_take_over;  // this broker's own: its file, for one
  };
  /// Publishes the end of a turn. Contract: `event` is durable.
  void turn_over(Instant now, int64_t event, const Liveness& liveness,
                 const LoopFigures& figures = {}, const Troubles& troubles = {});
  /// Publishes whether it leads: at once, and before the commit by which it ceases to.
  void stands(LeaderView leader_view);
  /// True if somebody wants the liveness and the figures of the next turn_over().
  bool is_asked() const { return wanted_.load(); }
  /// Publishes a turn that failed, and why.
  void trouble(const Troubles& troubles);
  /// It is readable when somebody asked; the next turn of the loop answers that.
  int asked_fd() const { return asked_.fd(); }

  // These are for the thread of HTTP.
  Notice read() const;
  uint64_t turn() const;
  /// Asks for a turn of the loop, and for what it knows of its agents then.
  void ask();
  /// It is readable after the first turn that ends after want_turn(), until clear_turn().
  int turn_fd() const { return turn_ended_.fd(); }
  void clear_turn() const { turn_ended_.clear(); }
  void want_turn() { want_turn_.store(true); }

 private:
  void tell();
  void put(const Troubles& troubles);

  mutable std::mutex mutex_;  // held for some assignments, never longer
  Notice notice_;
  std::atomic<bool> wanted_{false};
  std::atomic<bool> want_turn_{false};
  WakeFd asked_;
  WakeFd turn_ended_;
};

}  // namespace leasehold
