#include "broker/lab/what_if/handover.hpp"

#include <utility>

namespace leasehold {

Handover::Handover(std::function<Status(Moment)> take)
    : take_(std::move(take)), thread_([this] { work(); }) {}

Handover::~Handover() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = failed_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Handover::give(Moment moment) {
  filling_.push_back(std::move(moment));
  if (filling_.size() < kPart) return true;
  hand_over();
  const std::lock_guard lock(mutex_);
  return !failed_;
}

void Handover::hand_over() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return parts_.size() < kParts || failed_; });
  parts_.push_back(std::exchange(filling_, {}));
  filling_.reserve(kPart);
  lock.unlock();
  changed_.notify_all();
}

Status Handover::finish() {
  hand_over();
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
  return result_;
}

void Handover::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !parts_.empty() || ended_; });
    if (parts_.empty() || failed_) return;
    std::vector<Moment> part = std::move(parts_.front());
    parts_.pop_front();
    lock.unlock();
    changed_.notify_all();
    take_part(std::move(part));
    lock.lock();
    failed_ = failed_ || !result_;
    changed_.notify_all();
  }
}

void Handover::take_part(std::vector<Moment> part) {
  for (Moment& moment : part) {
    result_ = take_(std::move(moment));
    if (!result_) return;
  }
}

}  // namespace leasehold
