// Bulletin: what the loop tells those who answer by HTTP: how far it is, what is in force, and,
// when they asked for it, what it knows of its agents. The loop puts up what is new and goes on: it
// waits for nobody, and nothing that they do costs it more than that.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "broker/core/model/config.hpp"
#include "broker/metrics/figures.hpp"
#include "broker/ports/access.hpp"
#include "broker/views/liveness.hpp"
#include "common/open_file.hpp"

namespace leasehold {

/// A configuration in force: what HTTP needs of it.
struct InForce {
  std::string name;
  Mode mode = Mode::lease;
  std::shared_ptr<const Access> access;
};

struct Notice {
  uint64_t turn = 0;                        // of the loop, failed ones too; 0: it has not begun
  Instant now;                              // of that turn: until then everything due was evaluated
  int64_t event = 0;                        // the last that is durable
  Instant event_time;                       // of the turn that committed it
  std::shared_ptr<const InForce> in_force;  // nullptr: none yet
  std::shared_ptr<const Liveness> liveness;
  std::shared_ptr<const LoopFigures> figures;  // of the same turn
  uint64_t liveness_turn = 0;                  // when it was so
  std::string trouble;                         // "": nothing is held back
  bool database_fails = false;                 // and that is why it is
  BrokerStanding standing;                     // who leads, as far as this broker knows
};

class Bulletin {
 public:
  Bulletin();

  // For the loop. None of it waits.
  void in_force(std::shared_ptr<const InForce> configuration);
  /// Of a standby whose loop turns: why nothing moves all the same; "": no such reason.
  struct Troubles {
    std::string of_database;   // it is out of reach
    std::string of_take_over;  // it is this broker's turn, and it cannot
  };
  /// At the end of each turn, `event` being durable.
  void turn_over(Instant now, int64_t event, const Liveness& liveness,
                 const LoopFigures& figures = {}, const Troubles& troubles = {});
  /// Whether it leads; at once, and before the commit by which it ceases to.
  void stands(BrokerStanding standing);
  /// Somebody wants what the next turn_over() is given of agents and figures.
  bool is_asked() const { return wanted_.load(); }
  /// Commits fail.
  void trouble(std::string why);
  /// Readable when somebody asked: a turn is all that they want.
  int asked_fd() const { return asked_.fd(); }

  // For the thread of HTTP.
  Notice read() const;
  uint64_t turn() const;
  /// Wants a turn of the loop, and what it knows of its agents then.
  void ask();
  /// Readable when there is something new, once told() was asked for it.
  int told_fd() const { return told_.fd(); }
  void want_told() { want_told_.store(true); }

 private:
  void tell();

  mutable std::mutex mutex_;  // held for some assignments, never longer
  Notice notice_;
  std::atomic<bool> wanted_{false};
  std::atomic<bool> want_told_{false};
  OpenFile asked_;
  OpenFile told_;
};

/// An eventfd, which neither reading nor writing waits for.
OpenFile open_signal();
/// Takes what was written to an eventfd.
void take_signals(int fd);
void give_signal(int fd);

}  // namespace leasehold
