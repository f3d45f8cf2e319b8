#include "broker/ports/http/answers/bulletin.hpp"

namespace leasehold {

void Bulletin::in_force(std::shared_ptr<const InForce> configuration) {
  const std::lock_guard lock(mutex_);
  notice_.in_force = std::move(configuration);
}

void Bulletin::turn_over(Instant now, int64_t event, const Liveness& liveness,
                         const LoopFigures& figures, const Troubles& troubles) {
  std::shared_ptr<const Liveness> known;
  std::shared_ptr<const LoopFigures> counted;
  if (wanted_.load()) {
    asked_.clear();  // first, so that no later ask()'s signal is taken
    wanted_.store(false);
    known = std::make_shared<const Liveness>(liveness);
    counted = std::make_shared<const LoopFigures>(figures);
  }
  {
    const std::lock_guard lock(mutex_);
    ++notice_.turn;
    notice_.now = now;
    if (event != notice_.event) notice_.event_time = now;
    notice_.event = event;
    put(troubles);
    if (known) {
      notice_.liveness.swap(known);  // the old ones go after the lock
      notice_.figures.swap(counted);
      notice_.liveness_turn = notice_.turn;
    }
  }
  tell();
}

void Bulletin::stands(LeaderView leader_view) {
  const std::lock_guard lock(mutex_);
  std::swap(notice_.leader_view, leader_view);  // the old one goes after the lock
}

void Bulletin::trouble(const Troubles& troubles) {
  {
    const std::lock_guard lock(mutex_);
    ++notice_.turn;
    put(troubles);
  }
  tell();
}

/// Contract: the mutex is held.
void Bulletin::put(const Troubles& troubles) {
  notice_.database_fails = !troubles.of_database.empty();
  notice_.trouble = notice_.database_fails ? troubles.of_database : troubles.of_take_over;
}

void Bulletin::tell() {
  if (want_turn_.exchange(false)) turn_ended_.wake();
}

Notice Bulletin::read() const {
  const std::lock_guard lock(mutex_);
  return notice_;
}

uint64_t Bulletin::turn() const {
  const std::lock_guard lock(mutex_);
  return notice_.turn;
}

void Bulletin::ask() {
  if (!wanted_.exchange(true)) asked_.wake();
}

}  // namespace leasehold
