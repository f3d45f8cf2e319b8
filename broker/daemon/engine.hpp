// Engine is the core with its store. It feeds events to step(), keeps what must be recorded,
// commits a batch in one transaction, and only then are its effects to be sent (persist before
// send). The loop is Broker (broker.hpp). Time comes in from the caller.
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
  /// Contract: `state` was loaded from `store`. `figures` count how long the work takes, and must
  /// outlive the engine.
  Engine(std::unique_ptr<Store> store, State state, LoopFigures& figures);

  const State& state() const { return state_; }
  Store& store() const { return *store_; }

  /// Steps every deadline before `at`, then `event`. Returns how many bytes the record has
  /// of the event. Contract: `at` never falls.
  int64_t feed(const Event& event, Instant at);
  /// Steps every deadline at or before `at`. After it, the next event must be later than `at`.
  void tick(Instant at);

  /// Commits what was fed since the last commit. After a failure the engine is of no further use:
  /// memory may be ahead of the disk (schema/wire/PROTOCOL.md, "Nothing acknowledged is
  /// forgotten"); effects() must not be sent.
  Status commit();

  /// Returns the effects of everything fed since clear_effects(): to be sent once commit()
  /// succeeded.
  const Effects& effects() const { return effects_; }
  void clear_effects() {
    effects_.clear();
    caused_.clear();
  }
  /// Returns the records of effects() that a person, or SIGHUP, caused.
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
