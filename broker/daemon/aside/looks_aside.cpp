#include "broker/daemon/aside/looks_aside.hpp"

#include <chrono>

#include "common/check.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

/// Passes on what was put off while a look was under way. Contract: none is now.
void LooksAside::publish_asked() {
  for (const auto& [epoch, incarnation] : std::exchange(epochs_, {})) {
    asked_->saw_epoch(epoch, incarnation);
  }
  if (std::exchange(steps_down_, false)) asked_->stepped_down();
}

/// The code is io if the database is silent; refused if this broker's own disk is: nothing is known
/// of the database then, and others may reach it.
Error LooksAside::silence() const {
  const std::string file = options_.writes ? options_.writes() : "";
  const std::string most = format_duration(options_.at_most_ms);
  if (!file.empty()) {
    return {ErrorCode::refused,
            "writing " + file + " on this broker's own disk takes longer than " + most,
            {},
            0,
            0};
  }
  return {ErrorCode::io,
          "the database " + options_.database + " has not answered for more than " + most,
          {},
          0,
          0};
}

Result<Candidacy> LooksAside::not_yet() const {
  if (boottime_ms() - begun_ms_ >= options_.at_most_ms) return tl::unexpected(silence());
  Result<Candidacy> last = *last_;
  if (last) {
    last->may_lead = false;
    last->is_old = true;
  }
  return last;
}

Result<Candidacy> LooksAside::look() {
  if (!look_) {
    publish_asked();
    begun_ms_ = boottime_ms();
    look_ = thread_->aside.begin([this] { return asked_->look(); });
  }
  if (!last_) look_->wait();
  const std::chrono::milliseconds at_once(options_.at_once_ms);
  if (look_->wait_for(at_once) != std::future_status::ready) return not_yet();
  last_ = look_->get();
  look_.reset();
  return *last_;
}

Result<std::unique_ptr<Store>> LooksAside::take_over() {
  LEASEHOLD_CHECK(!look_, "who takes over has looked, and looks no more");
  publish_asked();
  auto store = thread_->run([this] { return asked_->take_over(); });
  if (!store) return store;
  return std::make_unique<StoreAside>(std::move(*store), thread_);
}

void LooksAside::saw_epoch(int64_t epoch, uint64_t incarnation) {
  if (epoch == 0) return;
  const std::pair seen(epoch, incarnation);
  if (epochs_.empty() || epochs_.back() != seen) epochs_.push_back(seen);
}

void LooksAside::stepped_down() {
  steps_down_ = true;
}

void LooksAside::meanwhile(std::function<void(const Error& silent)> call) {
  thread_->meanwhile = [this, call = std::move(call)](int64_t waited_ms) {
    if (waited_ms >= options_.at_most_ms) call(silence());
  };
}

}  // namespace leasehold
