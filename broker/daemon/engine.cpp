#include "broker/daemon/engine.hpp"

#include <algorithm>

#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/step.hpp"
#include "broker/record/event_codec.hpp"

namespace leasehold {

Engine::Engine(std::unique_ptr<Store> store, State state, LoopFigures& figures)
    : figures_(figures), store_(std::move(store)), state_(std::move(state)) {}

bool Engine::step_one(const Event& event, Instant at) {
  const size_t before = effects_.records.size();
  const Stopwatch watch;
  const bool changed = step(state_, event, at, effects_);
  if (std::holds_alternative<Tick>(event)) figures_.evaluation.add(watch.us());
  if (!changed) return false;
  if (const std::string_view by = by_whom(event); !by.empty()) {
    caused_.push_back({before, effects_.records.size(), std::string(by)});
  }
  store_->append(event, at, std::span(effects_.records).subspan(before), state_);
  appended_ = true;
  silent_ = {};
  return true;
}

void Engine::step_tick(Instant at) {
  if (!step_one(Tick{silent_}, at)) silent_ = at;
}

int64_t Engine::feed(const Event& event, Instant at) {
  // Deadlines strictly before come first, at an instant of their own: replay makes the ticks that
  // were not recorded in the same place (broker/replay). Before a start there was no process to
  // make one; and the loaded state lacks what agents had reported to the old process.
  const bool starts =
      std::holds_alternative<BrokerStarted>(event) || std::holds_alternative<ClockSet>(event);
  if (!starts && next_deadline(state_) < at) {
    step_tick(Instant{std::max(at.ms - 1, state_.now.ms)});
  }
  const int64_t before = store_->coming_bytes();
  step_one(event, at);
  return store_->coming_bytes() - before;
}

void Engine::tick(Instant at) {
  if (next_deadline(state_) <= at) step_tick(at);
}

Status Engine::commit() {
  if (!appended_) return {};
  appended_ = false;
  const Stopwatch watch;
  Status done = store_->commit(state_);
  figures_.commit.add(watch.us());
  figures_.commits_failed += done ? 0 : 1;
  return done;
}

}  // namespace leasehold
