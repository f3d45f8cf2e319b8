#include "broker/daemon/aside/config_reader.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "common/wake_fd.hpp"

namespace leasehold {

namespace {

tl::unexpected<Error> not_read() {
  return fail(ErrorCode::refused,
              "the configuration was not read within " +
                  std::to_string(ConfigReader::kLateMs / 1000) +
                  " s: its file system, or that of a file that it names, does not answer; "
                  "nothing was changed");
}

std::atomic<int> threads_left = 0;  // threads without their reader

}  // namespace

/// The state that the thread and its owner share; the thread may release it last.
struct ConfigReader::Work {
  struct Asked {
    uint64_t ticket = 0;
    std::string by;
    Instant now;
    int64_t since_ms = 0;
  };

  explicit Work(Read how) : read(std::move(how)) {}

  const Read read;
  WakeFd ended;
  std::mutex mutex;
  std::condition_variable more;
  std::deque<Asked> asked;
  std::map<uint64_t, int64_t> waited;  // since when, by the ticket that somebody waits for
  std::map<uint64_t, Result<ConfigRead>> done;
  uint64_t last = 0;
  std::optional<int64_t> reads_since_ms;  // when what is being read was asked for
  bool stuck = false;
  bool ends = false;
  bool is_left = false;  // the reader is gone, and the thread still reads
};

ConfigReader::ConfigReader(Read read, Where where, const TimeSource& time)
    : where_(where), time_(time), work_(std::make_shared<Work>(std::move(read))) {
  if (where_ == Where::in_call) return;
  thread_ = std::thread([shared = work_]() mutable {
    work(*shared);
    const bool is_left = shared->is_left;
    shared.reset();
    if (is_left) --threads_left;  // last: the process may end as usual from here on
  });
}

ConfigReader::~ConfigReader() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(work_->mutex);
    work_->ends = true;
    work_->is_left = work_->reads_since_ms.has_value();
    if (work_->is_left) ++threads_left;
    work_->more.notify_one();
  }
  if (work_->is_left) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

int ConfigReader::left_reading() {
  return threads_left.load();
}

void ConfigReader::work(Work& work) {
  std::unique_lock lock(work.mutex);
  while (true) {
    work.more.wait(lock, [&work] { return work.ends || !work.asked.empty(); });
    if (work.ends) return;
    const Work::Asked asked = std::move(work.asked.front());
    work.asked.pop_front();
    work.reads_since_ms = asked.since_ms;
    lock.unlock();
    Result<ConfigRead> found = work.read(asked.by, asked.now);
    lock.lock();
    work.reads_since_ms.reset();
    work.stuck = work.stuck && !work.asked.empty();
    if (work.waited.contains(asked.ticket)) work.done.emplace(asked.ticket, std::move(found));
    work.ended.wake();
  }
}

uint64_t ConfigReader::begin(const std::string& by, Instant now) {
  if (where_ == Where::in_call) {
    work_->done.emplace(++work_->last, work_->read(by, now));
    return work_->last;
  }
  const std::lock_guard lock(work_->mutex);
  const int64_t since_ms = time_.boottime_ms();
  if (!work_->reads_since_ms && work_->asked.empty()) work_->stuck = false;
  work_->asked.push_back({++work_->last, by, now, since_ms});
  work_->waited.emplace(work_->last, since_ms);
  work_->more.notify_one();
  return work_->last;
}

std::optional<Result<ConfigRead>> ConfigReader::take(uint64_t ticket, bool* was_read) {
  const std::lock_guard lock(work_->mutex);
  if (was_read != nullptr) *was_read = work_->done.contains(ticket);
  if (auto found = work_->done.extract(ticket)) {
    work_->waited.erase(ticket);
    return std::move(found.mapped());
  }
  const auto since = work_->waited.find(ticket);
  if (since == work_->waited.end()) return not_read();
  if (time_.boottime_ms() - since->second < kLateMs) return std::nullopt;
  work_->stuck = true;
  work_->waited.erase(since);
  std::erase_if(work_->asked, [ticket](const auto& each) { return each.ticket == ticket; });
  return not_read();
}

bool ConfigReader::is_waited_for(uint64_t ticket) const {
  const std::lock_guard lock(work_->mutex);
  return work_->waited.contains(ticket) || work_->done.contains(ticket);
}

void ConfigReader::drop(uint64_t ticket) {
  const std::lock_guard lock(work_->mutex);
  work_->waited.erase(ticket);
  work_->done.erase(ticket);
  std::erase_if(work_->asked, [ticket](const auto& each) { return each.ticket == ticket; });
}

void ConfigReader::drop_all() {
  const std::lock_guard lock(work_->mutex);
  work_->waited.clear();
  work_->done.clear();
  work_->asked.clear();
}

int ConfigReader::fd() const {
  return work_->ended.fd();
}

void ConfigReader::acknowledge() {
  work_->ended.clear();
  const std::lock_guard lock(work_->mutex);
  const int64_t now_ms = time_.boottime_ms();
  const int64_t away_ms = now_ms - std::exchange(acknowledged_ms_, now_ms);
  if (away_ms >= kLateMs) return;  // nobody could come: the process stood still
  const int64_t before_ms = now_ms - kGivenUpMs;
  std::erase_if(work_->asked, [&](const auto& each) { return each.since_ms < before_ms; });
  std::erase_if(work_->done, [&](const auto& each) {
    const auto since = work_->waited.find(each.first);
    return since != work_->waited.end() && since->second < before_ms;
  });
  std::erase_if(work_->waited, [&](const auto& each) { return each.second < before_ms; });
}

int64_t ConfigReader::next_late_ms() const {
  const std::lock_guard lock(work_->mutex);
  int64_t next = INT64_MAX;
  if (work_->reads_since_ms && !work_->stuck) next = *work_->reads_since_ms + kLateMs;
  const int64_t now_ms = time_.boottime_ms();
  for (const auto& [ticket, since] : work_->waited) {
    const bool to_come = since + kLateMs > now_ms && !work_->done.contains(ticket);
    if (to_come) next = std::min(next, since + kLateMs);
  }
  return next;
}

bool ConfigReader::is_stuck() {
  const std::lock_guard lock(work_->mutex);
  const std::optional<int64_t>& since_ms = work_->reads_since_ms;
  if (since_ms && time_.boottime_ms() - *since_ms >= kLateMs) work_->stuck = true;
  return work_->stuck && (since_ms || !work_->asked.empty());
}

}  // namespace leasehold
