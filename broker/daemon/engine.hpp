// Engine: the core with its store. Feeds events to step(), keeps what must be recorded, commits a
// batch in one transaction, and only then lets its effects out (persist before send).
// Not a loop: broker.hpp is. Time comes in from the caller.
#pragma once

#include <functional>
#include <memory>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/daemon/record_log.hpp"
#include "broker/metrics/figures.hpp"
#include "broker/store/store.hpp"

namespace leasehold {

class Engine {
 public:
  /// `state` was loaded from `store`. `figures` outlive it: how long its work takes.
  Engine(std::unique_ptr<Store> store, State state, LoopFigures& figures);

  const State& state() const { return state_; }
  Store& store() { return *store_; }

  /// Steps everything that was due before `at`, then `event`. Returns how many bytes the record has
  /// of the event. Contract: `at` never falls.
  int64_t feed(const Event& event, Instant at);
  /// Steps what is due at or before `at`. After it, the next event must be later than `at`.
  void tick(Instant at);

  /// Commits what was fed since the last commit. After a failure the engine is of no further use:
  /// memory may be ahead of the disk (schema/wire/PROTOCOL.md, "Nothing acknowledged is
  /// forgotten"); effects() must not be sent.
  Status commit();
  bool anything_to_commit() const { return appended_; }

  /// Of everything fed since the last clear_effects(): to be sent once commit() succeeded.
  const Effects& effects() const { return effects_; }
  void clear_effects() {
    effects_.clear();
    caused_.clear();
  }
  /// Which of the records of effects() somebody caused.
  const std::vector<CausedRecords>& caused() const { return caused_; }

 private:
  bool step_one(const Event& event, Instant at);
  void step_tick(Instant at);

  LoopFigures& figures_;
  std::unique_ptr<Store> store_;
  State state_;
  Effects effects_;
  std::vector<CausedRecords> caused_;
  bool appended_ = false;
  Instant silent_;  // of the last Tick that was not recorded (Tick::silent)
};

}  // namespace leasehold
