#include "broker/daemon/looks_aside.hpp"

#include <chrono>

#include "common/check.hpp"
#include "common/clock.hpp"

namespace leasehold {

LooksAside::LooksAside(std::unique_ptr<Candidate> asked, Options options)
    : asked_(std::move(asked)), options_(std::move(options)), thread_([this] { work(); }) {}

LooksAside::~LooksAside() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  turn_.notify_all();
  thread_.join();
}

void LooksAside::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    turn_.wait(lock, [this] { return ends_ || looks_; });
    if (ends_) return;
    lock.unlock();
    Result<Candidacy> seen = asked_->look();
    lock.lock();
    seen_ = std::move(seen);
    looks_ = false;
    turn_.notify_all();
  }
}

/// What came meanwhile. Contract: no look is under way.
void LooksAside::tell_asked() {
  for (const auto& [epoch, incarnation] : std::exchange(epochs_, {})) {
    asked_->saw_epoch(epoch, incarnation);
  }
  if (std::exchange(steps_down_, false)) asked_->stepped_down();
}

Result<Candidacy> LooksAside::not_yet() const {
  if (boottime_ms() - begun_ms_ >= options_.at_most_ms) {
    return fail(ErrorCode::io, "the database " + options_.database +
                                   " has answered nothing for more than " +
                                   format_duration(options_.at_most_ms));
  }
  Result<Candidacy> last = *last_;
  if (last) {
    last->may_lead = false;
    last->is_old = true;
  }
  return last;
}

Result<Candidacy> LooksAside::look() {
  std::unique_lock lock(mutex_);
  if (!looks_ && !seen_) {
    tell_asked();
    begun_ms_ = boottime_ms();
    looks_ = true;
    turn_.notify_all();
  }
  const auto over = [this] { return seen_.has_value(); };
  if (!last_) turn_.wait(lock, over);
  turn_.wait_for(lock, std::chrono::milliseconds(options_.at_once_ms), over);
  if (!seen_) return not_yet();
  last_ = *std::exchange(seen_, std::nullopt);
  return *last_;
}

Result<std::unique_ptr<Store>> LooksAside::take_over() {
  {
    const std::lock_guard lock(mutex_);
    LEASEHOLD_CHECK(!looks_ && !seen_, "who takes over has looked, and looks no more");
    tell_asked();
  }
  return asked_->take_over();
}

void LooksAside::saw_epoch(int64_t epoch, uint64_t incarnation) {
  if (epoch == 0) return;
  const std::pair seen(epoch, incarnation);
  if (epochs_.empty() || epochs_.back() != seen) epochs_.push_back(seen);
}

void LooksAside::stepped_down() {
  steps_down_ = true;
}

}  // namespace leasehold
