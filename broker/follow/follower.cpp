#include "broker/follow/follower.hpp"

#include <chrono>

#include "common/log.hpp"

namespace leasehold {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TablesOptions tables_options(const Follower::Options& options) {
  TablesOptions tables;
  tables.log = options.log;
  tables.file = options.file;
  tables.least_free_bytes = options.least_free_bytes;
  return tables;
}

}  // namespace

Follower::Follower(Options options)
    : options_(std::move(options)), tables_(tables_options(options_)), thread_([this] { run(); }) {}

Follower::~Follower() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  end_.notify_one();
  thread_.join();
}

bool Follower::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  return !end_.wait_for(lock, milliseconds(options_.interval_ms), [this] { return ends_.load(); });
}

void Follower::run() {
  Time looked;
  do {
    const Time now = steady_clock::now();
    const bool look = now - looked >= milliseconds(options_.look_ms);
    if (look) looked = now;
    // After a failure only the regular looks try again.
    const bool more = !failing_ && committed_.exchange(false, std::memory_order_relaxed);
    if (more || (look && (failing_ || tables_.lost()))) catch_up(Time::max());
  } while (wait());
  catch_up(steady_clock::now() + milliseconds(options_.last_ms));
}

void Follower::catch_up(Time until) {
  const bool last = until != Time::max();
  while (steady_clock::now() < until && (last || !ends_)) {
    const Result<bool> at_end = tables_.step();
    tell(at_end ? Status{} : Status(tl::unexpected(at_end.error())));
    if (!at_end || *at_end) return;
  }
}

/// Logs a failure once when it begins and once when it ends.
void Follower::tell(const Status& outcome) {
  const bool fails = !outcome;
  if (fails == failing_) return;
  failing_ = fails;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    why_ = fails ? describe(outcome.error()) : "";
  }
  fails_.store(fails, std::memory_order_release);
  if (!fails) return log_info("readable-tables-work-again", {{"file", options_.file}});
  log_warn("readable-tables-failed", {{"file", options_.file},
                                      {"why", describe(outcome.error())},
                                      {"leases", "do not depend on it"},
                                      {"tried_again", "each second"}});
}

std::optional<std::string> Follower::take_news() {
  if (fails_.load(std::memory_order_acquire) == news_fails_) return std::nullopt;
  const Time now = steady_clock::now();
  if (news_at_ != Time{} && now - news_at_ < milliseconds(options_.news_ms)) return std::nullopt;
  const std::lock_guard<std::mutex> lock(mutex_);
  news_fails_ = !why_.empty();
  news_at_ = now;
  return why_;
}

}  // namespace leasehold
