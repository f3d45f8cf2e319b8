#include "agent/io/broker/beats.hpp"

#include "common/time/clock.hpp"

namespace leasehold::agent {

Beats::Beats(std::function<void()> beat, int64_t stuck_ms, int64_t every_ms)
    : beat_(std::move(beat)), stuck_ms_(stuck_ms), every_ms_(every_ms), turned_ms_(boottime_ms()) {
  speaks_.lock();
  thread_ = std::thread([this] { run(); });
}

Beats::~Beats() {
  {
    const std::lock_guard stopping(stops_);
    stop_ = true;
  }
  wake_.notify_all();
  speaks_.unlock();
  thread_.join();
}

void Beats::turned() {
  turned_ms_ = boottime_ms();
}

bool Beats::stuck() const {
  return boottime_ms() - turned_ms_ > stuck_ms_;
}

bool Beats::stopped(std::chrono::milliseconds wait) {
  std::unique_lock stopping(stops_);
  return wake_.wait_for(stopping, wait, [this] { return stop_; });
}

void Beats::run() {
  while (!stopped(std::chrono::milliseconds(every_ms_))) {
    const std::lock_guard speaking(speaks_);
    if (stopped(std::chrono::milliseconds(0))) return;
    if (!stuck()) beat_();
  }
}

}  // namespace leasehold::agent
